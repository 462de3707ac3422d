// COPY into the datastore: values as text lines, streamed over a client that the pool has lent. Guards: whatever a
// value holds, it stays one value; a failure of the datastore rejects and leaves the transaction to the caller.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import { type CopyChunks, CopyQuery } from './copy-query.ts';
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

export interface Copy {
  /** `copy … from stdin`. */
  statement: Sql;
  /** Each without its newline. */
  lines: Iterable<string>;
}

/** More than that is streamed, as fast as the datastore takes it. */
const AT_ONCE = 256 * 1024;

async function stream(client: pg.ClientBase, { text }: Sql, chunks: Iterable<Uint8Array>): Promise<void> {
  await pipeline(Readable.from(chunks), client.query(from(text)));
}

/**
 * Runs all of them one after the other, then `last`: what is small goes out together and is answered once. To wait for
 * each takes longer than to write it. Rejects with the first error, after which nothing more is run.
 */
export async function copyAll(client: pg.ClientBase, copies: Iterable<Copy>, last?: Sql): Promise<void> {
  let together: CopyChunks[] = [];
  let bytes = 0;
  const send = async (after?: string) => {
    if (together.length > 0 || after !== undefined) await sendAll(client, together, after);
    [together, bytes] = [[], 0];
  };
  for (const { statement, lines } of copies) {
    const rest = chunked(lines);
    const chunks: Uint8Array[] = [];
    let own = 0;
    while (own <= AT_ONCE) {
      const next = rest.next();
      if (next.done) break;
      chunks.push(next.value);
      own += next.value.length;
    }
    if (own > AT_ONCE) {
      await send();
      await stream(client, statement, both(chunks, rest));
      continue;
    }
    together.push({ text: statement.text, chunks });
    bytes += own;
    if (bytes > AT_ONCE) await send();
  }
  await send(last?.text);
}

function sendAll(
  client: pg.ClientBase,
  copies: readonly CopyChunks[],
  last: string | undefined,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const done = (error: Error | null | undefined) => {
    if (!error) return resolve();
    // The driver's errors say where they were read from the socket, and not who asked.
    Error.captureStackTrace(error);
    reject(error);
  };
  client.query(new CopyQuery(copies, last, done));
  return promise;
}

function* both(first: Iterable<Uint8Array>, rest: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield* first;
  yield* rest;
}

const CHUNK = 64 * 1024;

/** Few large chunks instead of one message for each line. */
function* chunked(lines: Iterable<string>): Generator<Uint8Array> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text) yield Buffer.from(text);
}
