// Batches of samples as one transaction (a live one, or several that are replayed): leases and batch ledger, the dictionary, one COPY a table, commit. Guards: all of
// it or nothing; the same batch is never written twice; of a lease that has passed on only what was collected before.
import type pg from 'pg';
import { type Copy, copyAll } from '../../../kernel/copy.ts';
import { isUnreachable } from '../../../kernel/db.ts';
import { yieldIfBusy } from '../../../kernel/scheduler.ts';
import { type Sql, sql } from '../../../kernel/sql.ts';
import { withVisibleName } from '../../../kernel/statement-name.ts';
import {
  type NamedObject,
  nameObjects,
  type ObjectFamily,
  type ObjectInput,
} from '../../layout/objects.queries.ts';
import type { TableLayout } from '../../layout/table-layout.ts';
import type { Lease } from '../fence.queries.ts';
import { NO_LABELS, type ObjectRef } from '../objects/object-names.ts';
import { tickLine } from './encode.ts';
import { noteStates, type StatedReading } from './reading-states.queries.ts';
import type { Entry } from './sample-queue.ts';
import * as queries from './sample-writer.queries.ts';

export interface Written {
  /** Leases that have passed on. */
  passed: Lease[];
  /** Entries that were collected after their lease had passed on; nothing of them was written. */
  refused: number;
  statements: number;
}

const COMMIT = sql`commit`;

class Transaction {
  readonly client: pg.ClientBase;
  statements = 0;

  constructor(client: pg.ClientBase) {
    this.client = client;
  }

  async rows<T extends pg.QueryResultRow>({ text, values, name: known }: Sql): Promise<T[]> {
    this.statements += 1;
    const statement = { text: withVisibleName(text), values: [...values] };
    return (await this.client.query<T>({ ...statement, ...(known !== undefined && { name: known }) })).rows;
  }

  async copy(copies: readonly Copy[], last?: Sql): Promise<void> {
    this.statements += copies.length + (last ? 1 : 0);
    await copyAll(this.client, copies, last);
  }
}

interface Unnamed {
  readonly families: readonly ObjectFamily[];
  readonly inputs: readonly ObjectInput[];
  /** Which input each of them is. */
  readonly refs: ReadonlyMap<ObjectRef, number>;
}

const NAMED_AT_ONCE = 5000;

/** Objects that the dictionary has to be asked about or told of, each once, and who they are. */
function unnamed(entries: readonly Entry[]): Unnamed {
  const families = new Map<string, ObjectFamily & { index: number; known: Map<string, number> }>();
  const inputs: ObjectInput[] = [];
  const refs = new Map<ObjectRef, number>();
  const ask = (entry: Entry, seen: number, ref: ObjectRef) => {
    if (refs.has(ref)) return;
    const { connection_id, database_name } = entry;
    const kind = entry.layout.probe;
    const name = `${connection_id}\0${kind}\0${database_name}`;
    const family = families.get(name) ?? {
      connection_id,
      kind,
      database_name,
      index: families.size,
      known: new Map(),
    };
    families.set(name, family);
    const { key: object_key, keyJson: key, labelsJson } = ref;
    const at = family.known.get(object_key) ?? inputs.length;
    // Of an object that went nobody knows the labels any more; those it had are told with it.
    const labels = labelsJson === NO_LABELS ? (inputs[at]?.labels ?? labelsJson) : labelsJson;
    // What came back within the batch was seen before, too.
    const first = Math.min(inputs[at]?.seen ?? seen, seen);
    inputs[at] = { family: family.index, object_key, key, labels, seen: first };
    family.known.set(object_key, at);
    refs.set(ref, at);
  };
  for (const entry of entries)
    for (const { at, whole, refs: mentioned, gone } of entry.ticks) {
      for (const ref of mentioned) if (ref.id === undefined || ref.dirty || whole) ask(entry, at, ref);
      for (const ref of gone) if (ref.id === undefined || ref.dirty) ask(entry, at, ref);
    }
  return { families: [...families.values()], inputs, refs };
}

/** Asks the dictionary; answers the ids of the references that had none, valid once the transaction has committed. */
async function name(
  transaction: Transaction,
  entries: readonly Entry[],
  late: boolean,
): Promise<Map<ObjectRef, number>> {
  const names = new Map<ObjectRef, number>();
  for (const portion of portions(entries)) {
    await yieldIfBusy();
    const { families, inputs, refs } = unnamed(portion);
    if (inputs.length === 0) continue;
    const rows = await transaction.rows<NamedObject & pg.QueryResultRow>(nameObjects(families, inputs, late));
    const ids = new Map(rows.map(({ position, object_id }) => [position, object_id]));
    for (const [ref, input] of refs) names.set(ref, ids.get(input + 1) ?? 0);
  }
  return names;
}

/** So many objects at a time that asking for them holds up nobody. */
function* portions(entries: readonly Entry[]): Generator<Entry[]> {
  let portion: Entry[] = [];
  let mentioned = 0;
  for (const entry of entries) {
    const count = entry.ticks.reduce((sum, { refs, gone }) => sum + refs.length + gone.length, 0);
    if (count === 0) continue;
    if (mentioned + count > NAMED_AT_ONCE && portion.length > 0) {
      yield portion;
      [portion, mentioned] = [[], 0];
    }
    portion.push(entry);
    mentioned += count;
  }
  if (portion.length > 0) yield portion;
}

function* linesOf(entries: readonly Entry[], names: ReadonlyMap<ObjectRef, number>): Generator<string> {
  const idOf = (ref: ObjectRef) => names.get(ref) ?? ref.id ?? 0;
  for (const entry of entries) {
    yield* entry.lines;
    for (const tick of entry.ticks) yield tickLine(entry, { tick, idOf });
  }
}

function byTable(entries: readonly Entry[]): [TableLayout, Entry[]][] {
  const tables = new Map<string, [TableLayout, Entry[]]>();
  for (const entry of entries) {
    const { table } = entry.layout;
    const known = tables.get(table.name) ?? [entry.layout, []];
    known[1].push(entry);
    tables.set(table.name, known);
  }
  return [...tables.values()].sort(([{ table: a }], [{ table: b }]) => (a.name < b.name ? -1 : 1));
}

export interface Group {
  /** Null for a part of a batch: it is written carefully, and nothing is noted. */
  readonly batch: queries.Batch | null;
  readonly entries: readonly Entry[];
}

export interface WriteBatch {
  groups: readonly Group[];
  /** Some rows may be there already: skips those instead of failing. */
  skipExisting: boolean;
  /** Newer rows may be there already: labels of known objects are left alone. */
  late?: boolean;
}

const leaseKey = ({ connection_id, epoch }: Lease) => `${connection_id}/${epoch}`;

const batchKey = ({ collector, epoch, seq }: queries.Batch) => `${collector}/${epoch}/${seq}`;

/** The entries that the datastore does not have yet. */
function freshOf(groups: readonly Group[], opened: queries.Opened | undefined): Entry[] {
  const fresh = new Set(opened?.fresh.map(([collector, epoch, seq]) => batchKey({ collector, epoch, seq })));
  return groups.flatMap(({ batch, entries }) =>
    batch === null || fresh.has(batchKey(batch)) ? entries : [],
  );
}

/** Which entries are to be written, by what the datastore says of their leases. */
function judge(leases: readonly Lease[], opened: queries.Opened | undefined) {
  const untils = new Map(
    opened?.leases.map(([connection_id, epoch, until]) => [
      leaseKey({ connection_id, epoch }),
      until ?? Number.POSITIVE_INFINITY,
    ]),
  );
  const until = (lease: Lease) => untils.get(leaseKey(lease)) ?? 0;
  return {
    passed: leases.filter((lease) => Number.isFinite(until(lease))),
    isTaken: (entry: Entry) => entry.at < until(entry),
  };
}

/** What the readings were like, of each family the newest. */
function statesOf(entries: readonly Entry[]): StatedReading[] {
  const states = new Map<string, StatedReading>();
  for (const { connection_id, database_name, layout, at, state } of entries) {
    if (!state) continue;
    const { probe } = layout;
    states.set(JSON.stringify([connection_id, probe, database_name]), {
      ...state,
      ...{ connection_id, probe, database_name, at },
    });
  }
  return [...states.values()];
}

async function writeIn(transaction: Transaction, options: WriteBatch): Promise<Omit<Written, 'statements'>> {
  const { groups } = options;
  await transaction.client.query(queries.BEGIN);
  const entries = groups.flatMap((group) => group.entries);
  const batches = groups.flatMap(({ batch }) => batch ?? []);
  const leases = [...new Map(entries.map((entry) => [leaseKey(entry), entry])).values()];
  const [opened] = await transaction.rows<queries.Opened & pg.QueryResultRow>(
    queries.openBatch(batches, leases),
  );
  const { passed, isTaken } = judge(leases, opened);
  // Whoever has such a lease now may have counted already what this one grew by.
  const late = options.late === true || passed.length > 0;
  const skipExisting = options.skipExisting || passed.length > 0;
  const fresh = freshOf(groups, opened);
  const accepted = fresh.filter(isTaken);
  const names = await name(transaction, accepted, late);
  const states = statesOf(accepted);
  if (states.length > 0) await transaction.rows(noteStates(states));
  const tables = byTable(accepted).map(([layout, rows]) => ({
    layout,
    lines: () => linesOf(rows, names),
  }));
  if (skipExisting)
    for (const { layout, lines } of tables) {
      await transaction.rows(queries.asideTable(layout.table));
      await transaction.copy([{ statement: queries.copyAside(layout.table), lines: lines() }]);
      await transaction.rows(queries.takeOver(layout));
    }
  const straight = skipExisting ? [] : tables;
  const copies = straight.map(({ layout, lines }) => ({
    statement: queries.copyLines(layout.table),
    lines: lines(),
  }));
  await transaction.copy(copies, COMMIT);
  for (const [ref, id] of names) {
    ref.id = id;
    ref.dirty = false;
    ref.home?.settle(ref);
  }
  return { passed, refused: fresh.length - accepted.length };
}

/** Rejects with the datastore's error when nothing was written, or when nobody knows (the connection is lost). */
export async function writeBatch(client: pg.ClientBase, options: WriteBatch): Promise<Written> {
  const transaction = new Transaction(client);
  try {
    const written = await writeIn(transaction, options);
    return { ...written, statements: transaction.statements + 1 };
  } catch (error) {
    // A session that answers nothing would not answer that either, and is thrown away.
    if (!isUnreachable(error)) await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
