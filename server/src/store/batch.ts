// One batch of samples as one transaction: leases and ledger, the dictionary, one COPY a table, commit. Guards: all of
// it or nothing; the same batch is never written twice; nothing is written under a lease that has passed on.
import type pg from 'pg';
import { copyIn } from '../kernel/copy.ts';
import type { Sql } from '../kernel/sql.ts';
import type { ObjectRef } from './deltas.ts';
import { tickLine } from './encode.ts';
import {
  asideTable,
  type Batch,
  BEGIN,
  copyAside,
  copyLines,
  nameObjects,
  type ObjectId,
  type ObjectInput,
  type Opened,
  openBatch,
  takeOver,
} from './history.queries.ts';
import type { Entry } from './history-queue.ts';
import type { MetricTable } from './shapes.ts';

export interface Written {
  /** Entries whose lease was not in force; nothing of them was written. */
  fenced: Entry[];
  statements: number;
}

class Transaction {
  readonly client: pg.ClientBase;
  statements = 0;

  constructor(client: pg.ClientBase) {
    this.client = client;
  }

  async rows<T extends pg.QueryResultRow>({ text, values }: Sql): Promise<T[]> {
    this.statements += 1;
    return (await this.client.query<T>({ text, values: [...values] })).rows;
  }

  async copy(statement: Sql, lines: Iterable<string>): Promise<void> {
    this.statements += 1;
    await copyIn(this.client, statement, lines);
  }
}

const objectKey = (of: Omit<ObjectId, 'object_id'>) =>
  `${of.connection_id}\0${of.kind}\0${of.database_name}\0${of.object_key}`;

/** Objects that the dictionary has to be asked about or told of, each once, and who they are. */
function unnamed(entries: readonly Entry[]) {
  const inputs = new Map<string, ObjectInput>();
  const refs = new Map<ObjectRef, string>();
  for (const { connection_id, database_name, shape, ticks } of entries) {
    for (const tick of ticks) {
      const all = [...tick.objects.map(({ ref }) => ref), ...tick.gone];
      for (const ref of all) {
        if (ref.id !== undefined && !ref.dirty && !tick.whole) continue;
        const of = { connection_id, kind: shape.probe, database_name, object_key: ref.key };
        const key = objectKey(of);
        inputs.set(key, { ...of, key: ref.keyJson, labels: ref.labelsJson, seen: tick.at });
        refs.set(ref, key);
      }
    }
  }
  return { inputs: [...inputs.values()], refs };
}

/** Asks the dictionary; answers the ids of the references that had none, valid once the transaction has committed. */
async function name(transaction: Transaction, entries: readonly Entry[]): Promise<Map<ObjectRef, number>> {
  const { inputs, refs } = unnamed(entries);
  if (inputs.length === 0) return new Map();
  const rows = await transaction.rows<ObjectId & pg.QueryResultRow>(nameObjects(inputs));
  const ids = new Map(rows.map((row) => [objectKey(row), row.object_id]));
  return new Map([...refs].map(([ref, key]) => [ref, ids.get(key) ?? 0]));
}

function* linesOf(entries: readonly Entry[], names: ReadonlyMap<ObjectRef, number>): Generator<string> {
  const idOf = (ref: ObjectRef) => names.get(ref) ?? ref.id ?? 0;
  for (const entry of entries) {
    yield* entry.lines;
    for (const tick of entry.ticks) yield tickLine(entry.shape, entry, { tick, idOf });
  }
}

function byTable(entries: readonly Entry[]): [MetricTable, Entry[]][] {
  const tables = new Map<string, [MetricTable, Entry[]]>();
  for (const entry of entries) {
    const { table } = entry.shape;
    const known = tables.get(table.name) ?? [table, []];
    known[1].push(entry);
    tables.set(table.name, known);
  }
  return [...tables.values()].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
}

export interface WriteBatch {
  batch: Batch;
  entries: readonly Entry[];
  /** Some rows may be there already: skips those instead of failing. */
  careful: boolean;
}

async function writeIn(transaction: Transaction, { batch, entries, careful }: WriteBatch): Promise<Entry[]> {
  await transaction.client.query(BEGIN);
  const ids = [...new Set(entries.map(({ connection_id }) => connection_id))];
  const [opened] = await transaction.rows<Opened & pg.QueryResultRow>(openBatch(batch, ids));
  const leases = new Set(opened?.leases.map(([id, epoch]) => `${id}/${epoch}`));
  const inForce = (entry: Entry) => leases.has(`${entry.connection_id}/${entry.epoch}`);
  const accepted = opened?.fresh ? entries.filter(inForce) : [];
  const names = await name(transaction, accepted);
  for (const [table, rows] of byTable(accepted)) {
    if (careful) await transaction.rows(asideTable(table));
    await transaction.copy(careful ? copyAside(table) : copyLines(table), linesOf(rows, names));
    if (careful) await transaction.rows(takeOver(table));
  }
  await transaction.client.query('commit');
  for (const [ref, id] of names) {
    ref.id = id;
    ref.dirty = false;
  }
  return opened?.fresh ? entries.filter((entry) => !inForce(entry)) : [];
}

/** Rejects with the datastore's error when nothing was written, or when nobody knows (the connection is lost). */
export async function writeBatch(client: pg.ClientBase, options: WriteBatch): Promise<Written> {
  const transaction = new Transaction(client);
  try {
    const fenced = await writeIn(transaction, options);
    return { fenced, statements: transaction.statements + 2 };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
