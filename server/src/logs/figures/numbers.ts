// Numbers out of a text. Pure. Guards: what a version does not write is null and never zero.
import type { Figures } from '../types.ts';

/** The group of each pattern that the text has, as a number. */
export function numbersIn(text: string, patterns: Readonly<Record<string, RegExp>>): Figures {
  return Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => {
      const found = pattern
        .exec(text)
        ?.slice(1)
        .find((group) => group !== undefined);
      return [name, found === undefined ? null : Number(found)];
    }),
  );
}
