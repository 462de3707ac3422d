// Writes before every function of a statement the schema that it was found in. Pure. Guards: what a function's name stands for is decided
// once; a function of the same name that somebody makes, before or after, is not called instead.
import type { NameUse } from '../../kernel/parser/types.ts';
import { isBuiltIn } from './functions.ts';
import { StatementRefused } from './types.ts';

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The name as it may be written at that place; letters beyond ASCII are as they are. */
function standsThere(bytes: Buffer, at: number, name: string): boolean {
  const length = Buffer.byteLength(quoted(name));
  const there = bytes.subarray(at, at + length).toString('utf8');
  return there === quoted(name) || there.slice(0, name.length).toLowerCase() === name.toLowerCase();
}

export function qualified(
  text: string,
  uses: readonly NameUse[],
  schemas: ReadonlyMap<string, string>,
): string {
  const bytes = Buffer.from(text);
  const bare = uses.filter(({ of, parts }) => of === 'function' && parts.length === 1);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { parts, at } of [...bare].sort((a, b) => a.at - b.at)) {
    const [name = ''] = parts;
    const schema = isBuiltIn(name) ? 'pg_catalog' : schemas.get(name);
    if (schema === undefined || at < from || !standsThere(bytes, at, name))
      throw new StatementRefused(
        'not_allowed',
        `The function ${name} is written in a way that is not understood.`,
      );
    pieces.push(bytes.subarray(from, at), Buffer.from(`${quoted(schema)}.`));
    from = at;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]).toString('utf8');
}
