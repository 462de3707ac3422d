// Careful reading of JSON that came from outside: everything is checked, cut to a length, and absent when it is
// not what was expected.

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The member, or undefined for anything that has none. */
export const member = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** At most `max` entries of a list; an empty list for anything else. */
export const entries = (value: unknown, max: number): unknown[] =>
  Array.isArray(value) ? value.slice(0, max) : [];

/** Text without control characters, cut to `max` characters; undefined when empty or no text. */
export function textOf(value: unknown, max = 256): string | undefined {
  if (typeof value !== 'string') return undefined;
  const cut = value
    .slice(0, max * 2)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed();
  return cut === '' ? undefined : cut;
}

/** A positive whole number, or undefined. */
export const countOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && typeof value === 'number' && value > 0 ? value : undefined;
