// COPY into the datastore: values as text lines, streamed over a client that the pool has lent. Guards: whatever a
// value holds, it stays one value; a failure of the datastore rejects and leaves the transaction to the caller.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import type { Sql } from './sql.ts';

const SPECIAL = /[\\\n\r\t]/;
const EVERY_SPECIAL = /[\\\n\r\t]/g;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (text: string) =>
  SPECIAL.test(text) ? text.replace(EVERY_SPECIAL, (found) => ESCAPES[found] ?? found) : text;

export type CopyValue = string | number | boolean | null;

/** One value of a COPY line. */
export function copyValue(value: CopyValue): string {
  if (typeof value === 'number') return String(value);
  if (value === null) return '\\N';
  if (typeof value === 'string') return escaped(value.replaceAll('\0', '\ufffd').toWellFormed());
  return value ? 't' : 'f';
}

function element(value: CopyValue): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return copyValue(value);
  return `"${value.replaceAll('\0', '\ufffd').toWellFormed().replace(/["\\]/g, '\\$&')}"`;
}

/** An array as one value of a COPY line; null is no array at all. */
export function copyArray(values: readonly CopyValue[] | null): string {
  return values === null ? '\\N' : escaped(`{${values.map(element).join(',')}}`);
}

/** Runs `copy … from stdin` with these lines, each without its newline. */
export async function copyIn(client: pg.ClientBase, statement: Sql, lines: Iterable<string>): Promise<void> {
  await pipeline(Readable.from(chunked(lines)), client.query(from(statement.text)));
}

const CHUNK = 64 * 1024;

/** Few large chunks instead of one message for each line. */
function* chunked(lines: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text) yield Buffer.from(text);
}
