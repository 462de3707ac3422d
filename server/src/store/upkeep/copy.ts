// Copies everything that a datastore keeps into another one, of whichever engine, and compares both sides. Guards: each
// part (a table; a day or month of a table of metrics) is written and noted in one transaction of the target, so a run
// that was killed goes on with the next part and writes nothing twice; rows are streamed and never lie in memory as a
// table; a target that is in use or holds anything else is left alone.
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import type { Database } from '../../kernel/db.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Sql } from '../../kernel/sql.ts';
import { engineOf } from '../layout/engine/open.ts';
import { boundsOf, type Engine } from '../layout/engine/types.ts';
import * as queries from './copy.queries.ts';

export interface Copying {
  source: Database;
  target: Database;
  /** Looked at between two parts. */
  signal?: AbortSignal;
  /** After each part that was written. */
  onPart?: (name: string, rows: number) => void;
}

interface Sum {
  rows: string;
  checksum: string;
}

export interface Compared {
  table: string;
  /** The day on which the part begins; null for a whole table. */
  day: string | null;
  source: Sum;
  target: Sum;
  is_same: boolean;
}

const idOf = async (db: Database) => (await db.one<{ id: string }>(queries.identity)).id;
const isThere = async (db: Database, relation: string) =>
  (await db.one<{ is_there: boolean }>(queries.has(relation))).is_there;

async function refuseInUse(db: Database, which: string): Promise<void> {
  if ((await db.one<{ in_use: boolean }>(queries.inUse)).in_use)
    throw new UsageError(
      `The ${which} is in use by a running Matriarch. Stop all of its processes, wait half a minute, and start the copy again.`,
    );
}

/** Throws UsageError unless this target may be written to. Before it is migrated: what is refused is not touched. */
export async function checkTarget({ source, target }: Copying): Promise<void> {
  const id = await idOf(source);
  if (id === (await idOf(target)))
    throw new UsageError('The target is the datastore itself. Give the URL of another, empty database.');
  await refuseInUse(source, 'datastore');
  if (!(await isThere(target, 'matriarch.connection_leases'))) return;
  await refuseInUse(target, 'target');
  if (await isThere(target, 'matriarch_copy.run')) {
    const run = await target.maybe<queries.CopyRun>(queries.readRun);
    if (run?.source === id) return;
    if (run) throw new UsageError('The target holds a copy of another datastore. Give an empty database.');
  }
  if ((await target.one<{ holds_others: boolean }>(queries.holdsOthers)).holds_others)
    throw new UsageError(
      'The target already holds accounts, connections or metrics of its own. Give an empty database.',
    );
}

/** The driver would give a query up after half a minute; a month of metrics takes longer. */
const PATIENT = { query_timeout: 2_147_483_647 };

const ask = (client: pg.ClientBase, { text }: Sql) => client.query({ text, ...PATIENT });

async function sum(client: pg.ClientBase, part: queries.Part): Promise<Sum> {
  const [row] = (await ask(client, queries.sumOf(part))).rows;
  return { rows: String(row.rows), checksum: String(row.checksum) };
}

const dayText = (ms: number | undefined) =>
  ms === undefined ? null : new Date(ms).toISOString().slice(0, 10);

const nameOf = ({ table, from: begin }: queries.Part): string =>
  [`${table.schema}.${table.name}`, dayText(begin)].filter((text) => text !== null).join(' ');

/** Lends a client for one transaction without a limit of time. Whatever fails ends the session, a COPY with it. */
function patiently<T>(db: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return db.withClient(async (client) => {
    try {
      await client.query('begin');
      await client.query('set local statement_timeout = 0');
      const result = await work(client);
      await client.query({ text: 'commit', ...PATIENT });
      return result;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  });
}

async function write(
  out: pg.ClientBase,
  client: pg.ClientBase,
  part: queries.Part,
): Promise<Sum | undefined> {
  await client.query({ text: queries.LOCK_PART, ...PATIENT });
  if ((await client.query(queries.PART_IS_DONE, [nameOf(part)])).rowCount) return undefined;
  if (part.table.has_triggers) await ask(client, queries.triggers(part, 'disable'));
  await ask(client, queries.clearPart(part));
  const reading = Object.assign(to(queries.copyOut(part).text), PATIENT, { callback: (): void => undefined });
  try {
    await pipeline(
      out.query(reading),
      client.query(Object.assign(from(queries.copyInto(part).text), PATIENT)),
    );
  } finally {
    // The library never calls it when the rows are out, and until then the driver's timer keeps the process.
    reading.callback();
  }
  if (part.table.has_triggers) await ask(client, queries.triggers(part, 'enable'));
  const written = await sum(client, part);
  await client.query(queries.NOTE_PART, [nameOf(part), written.rows, written.checksum]);
  return written;
}

/** Those that others refer to come first. */
function inOrder(tables: readonly queries.SourceTable[]): queries.SourceTable[] {
  const placed = new Set<queries.SourceTable>();
  const place = (table: queries.SourceTable) => {
    if (placed.has(table)) return;
    for (const parent of tables) if (table.parents.includes(parent.name)) place(parent);
    placed.add(table);
  };
  for (const table of tables) place(table);
  return [...placed];
}

async function makeTable(target: Database, engine: Engine, table: queries.SourceTable): Promise<void> {
  const { name, key } = table;
  if (await isThere(target, `metrics.${name}`)) return;
  const columns = table.columns.map(([column, type, notNull]) => ({
    name: column,
    type,
    ...(notNull && { notNull }),
  }));
  await target.transaction((inner) =>
    engine.createTable(inner, { name, key, columns, packed: /__(ticks|m1|m15|h1)$/.test(name) }),
  );
}

interface Plan {
  whole: queries.Part[];
  /** Of tables that engines make. */
  byTime: queries.SourceTable[];
  days: queries.Part[];
}

async function planOf(source: Database): Promise<Plan> {
  const all = await source.rows<queries.SourceTable>(queries.sourceTables);
  const made = new Set((await source.rows<{ name: string }>(queries.enginesTables)).map(({ name }) => name));
  const isMade = ({ schema, name }: queries.SourceTable) => schema === 'metrics' && made.has(name);
  const byTime = all.filter(isMade);
  const partitions = await engineOf(source).partitions(source, [...made]);
  return {
    whole: inOrder(all.filter((table) => !isMade(table))).map((table) => ({ table })),
    byTime,
    days: partitions.flatMap(({ table: name, day, until }) => {
      const table = byTime.find((one) => one.name === name);
      return table ? [{ table, from: day, to: until }] : [];
    }),
  };
}

async function copyPart({ source, target, onPart }: Copying, part: queries.Part): Promise<void> {
  const written = await patiently(source, (out) => patiently(target, (client) => write(out, client, part)));
  if (written) onPart?.(nameOf(part), Number(written.rows));
}

async function copyAll(copying: Copying, { whole, byTime, days }: Plan): Promise<void> {
  const { source, target, signal } = copying;
  const engine = engineOf(target);
  for (const part of whole) {
    signal?.throwIfAborted();
    await copyPart(copying, part);
  }
  for (const table of byTime) await makeTable(target, engine, table);
  for (const part of days) {
    signal?.throwIfAborted();
    const { from: begin = 0, to: end = 0 } = part;
    const { name } = part.table;
    for (let at = begin; engine.makesAhead && at < end; at = boundsOf(name, at).to)
      await engine.makePartition(target, name, at);
    await copyPart(copying, part);
  }
  for (const { name, last_value } of await source.rows<{ name: string; last_value: string }>(
    queries.sequences,
  ))
    await target.run(queries.setSequence(name, last_value));
  await target.run(queries.finishRun);
}

/** Every part on both sides, and each table of metrics as a whole, so that rows of other days are found as well. */
async function compare({ source, target }: Copying, { whole, byTime, days }: Plan): Promise<Compared[]> {
  const found: Compared[] = [];
  for (const part of [...whole, ...days, ...byTime.map((table): queries.Part => ({ table }))]) {
    const [ours, theirs] = await Promise.all(
      [source, target].map((db) => patiently(db, (client) => sum(client, part))),
    );
    if (!ours || !theirs) throw new Error('a side that was not counted');
    found.push({
      table: `${part.table.schema}.${part.table.name}`,
      day: dayText(part.from),
      source: ours,
      target: theirs,
      is_same: ours.rows === theirs.rows && ours.checksum === theirs.checksum,
    });
  }
  return found;
}

/**
 * Copies what is not there yet, and answers how both sides compare. A copy that was finished before is only compared.
 * Both datastores are migrated, and their engines open; checkTarget comes first.
 */
export async function copyStore(copying: Copying): Promise<Compared[]> {
  const { source, target } = copying;
  for (const statement of queries.PROGRESS) await target.run(statement);
  await target.run(queries.beginRun(await idOf(source)));
  const run = await target.one<queries.CopyRun>(queries.readRun);
  const plan = await planOf(source);
  if (!run.is_finished) await copyAll(copying, plan);
  return compare(copying, plan);
}
