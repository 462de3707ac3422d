// When what can run out on many servers runs out: a value a day of the last month, from whichever tier tells it, what limits it,
// and the trend between both. Guards: one statement (two the first time) for the days of all kinds on fifty servers, and one each
// for what limits them; what was not collected is unknown and says why; what is gone is not there.
import type { Db } from '../../kernel/db.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { type Trend, type TrendPoint, trendOf } from '../../kernel/trend.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import {
  type Inquiry,
  type Question,
  questionOf,
  type Reading,
  readInquiries,
  type Series,
  seriesOf,
  type Window,
} from '../../store/read/doors/buckets.ts';
import { placeOf, type RunwayFacts, readFacts } from './runway-facts.ts';
import { type KindOf, kindsOf, type RunwayKind } from './runway-kinds.ts';

const RUNWAY_DAYS = 30;

export interface RunwayQuery {
  connection_ids: readonly number[];
  /** All of them when absent. */
  kinds?: readonly RunwayKind[] | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface RunwayRow {
  connection_id: number;
  kind: RunwayKind;
  /** Null: the server as a whole. */
  database_name: string | null;
  /** What it is about; null: there is only one, or nothing was collected. */
  object: string | null;
  unit: KindOf['unit'];
  used: number | null;
  limit: number | null;
  /** What the limit is; null where nobody knows one. */
  limited_by: string | null;
  trend: Trend;
  /** One for each day, the newest last; null: nobody measured. */
  days: (number | null)[];
}

/** Days end on this hour, the last of them with the hour that is not over. */
function runwayWindow(now: number): Window {
  const to = Math.ceil(now / HOUR_MS) * HOUR_MS;
  return { from: to - RUNWAY_DAYS * DAY_MS, to, buckets: RUNWAY_DAYS };
}

interface RunwayRead {
  of: KindOf;
  /** Of the column that is used, and of those beside it. */
  questions: readonly Question[];
}

function askedOf(of: KindOf, connection_ids: readonly number[]): RunwayRead {
  const { probe, column, beside, aggregate, group_by } = of;
  const one = (name: string) =>
    questionOf(
      { probe, column: name, connection_ids, aggregate: name === column ? aggregate : 'last' },
      group_by,
    );
  return { of, questions: [column, ...beside].map(one) };
}

/** The series of one entity: what is used, and what stands beside it. */
interface Entity {
  used: Series;
  beside: readonly (Series | undefined)[];
}

const keyOf = ({ connection_id, group }: Series) => JSON.stringify([connection_id, Object.values(group)]);
const lastOf = (values: readonly (number | null)[]) => values.findLastIndex((value) => value !== null);

async function entitiesOf(
  { questions }: RunwayRead,
  readings: readonly Reading[],
  window: Window,
): Promise<Map<number, Entity[]>> {
  const [used = [], ...beside] = await Promise.all(
    questions.map((question, index) => {
      const reading = readings[index];
      return reading ? seriesOf({ reading, question, windows: [window] }) : [];
    }),
  );
  const besideBy = beside.map((all) => new Map(all.map((one) => [keyOf(one), one])));
  const entities = used.map((one) => ({ used: one, beside: besideBy.map((all) => all.get(keyOf(one))) }));
  return Map.groupBy(entities, (one) => one.used.connection_id);
}

/** Columns that name sequences, which are told apart by number. */
const SEQUENCE_NAMES = ['seqrelid', 'schemaname', 'sequencename'];

function namesIn(readings: readonly Reading[]): Map<string, string> {
  return new Map(
    (readings[0]?.entities ?? []).map((one) => [
      JSON.stringify([one.connection_id, one.database_name, String(one.read('seqrelid'))]),
      `${one.read('schemaname') ?? '?'}.${one.read('sequencename') ?? '?'}`,
    ]),
  );
}

interface RunwayInput {
  of: KindOf;
  facts: RunwayFacts;
  window: Window;
  now: number;
  names: ReadonlyMap<string, string>;
}

function pointsOf({ values }: Series, { window, now }: RunwayInput): TrendPoint[] {
  return values.flatMap((value, index) =>
    value === null ? [] : [{ at: Math.min(now, window.from + (index + 1) * DAY_MS), value }],
  );
}

function nameOf(
  { connection_id, group }: Series,
  { of, names }: RunwayInput,
): Pick<RunwayRow, 'database_name' | 'object'> {
  if (of.kind === 'sequence') {
    const database_name = String(group.database_name ?? '');
    const key = JSON.stringify([connection_id, database_name, String(group.seqrelid)]);
    return { database_name, object: names.get(key) ?? String(group.seqrelid) };
  }
  if (of.kind === 'statements') return { database_name: null, object: null };
  const [value] = Object.values(group);
  const text = value === undefined || value === null ? null : String(value);
  return of.probe.name === 'pg_wraparound'
    ? { database_name: text, object: null }
    : { database_name: null, object: text };
}

const daysIn = (values: readonly (number | null)[]) => values.filter((value) => value !== null).length;

function unknown(reason: string, days = 0): Trend {
  const none = { at: null, earliest: null, latest: null, per_day: null };
  return { ...none, state: 'unknown', days_of_data: Math.max(0, days - 1), reason };
}

function rowOf({ used: series, beside }: Entity, told: RunwayInput): RunwayRow {
  const { of, facts, now } = told;
  const { connection_id, group, values } = series;
  const days = [...values];
  const common = { connection_id, kind: of.kind, unit: of.unit, days, ...nameOf(series, told) };
  const last = lastOf(values);
  if (last < values.length - 1) {
    const since = new Date(told.window.from + (last + 1) * DAY_MS).toISOString().slice(0, 10);
    const trend = unknown(`Nothing was collected since ${since}.`, daysIn(values));
    return { ...common, used: null, limit: null, limited_by: null, trend };
  }
  const used = values[last] ?? 0;
  const entity = { group, used, beside: beside.map((one) => one?.values[lastOf(one.values)] ?? null) };
  const context = facts.contexts.get(connection_id);
  const { limit, says } = context
    ? of.limitOf(entity, context)
    : { limit: null, says: 'Its limit is not known.' };
  if (limit === null)
    return { ...common, used, limit, limited_by: null, trend: unknown(says, daysIn(values)) };
  const [heldBelow, { fallsBack }] = [of.heldBelow?.(entity), of];
  const trend = trendOf({ points: pointsOf(series, told), limit, now, heldBelow, fallsBack });
  return { ...common, used, limit, limited_by: says, trend };
}

/** Soonest first; then what is unknown, then what does not grow, the fullest first. */
export function compareRows(a: RunwayRow, b: RunwayRow): number {
  const rank = ({ trend }: RunwayRow) => (trend.state === 'runs_out' ? 0 : trend.state === 'unknown' ? 1 : 2);
  const share = ({ used, limit }: RunwayRow) => (used === null || !limit ? 0 : used / limit);
  return (
    rank(a) - rank(b) ||
    (a.trend.at ?? 0) - (b.trend.at ?? 0) ||
    share(b) - share(a) ||
    a.connection_id - b.connection_id ||
    RUNWAY_ORDER.indexOf(a.kind) - RUNWAY_ORDER.indexOf(b.kind)
  );
}
const RUNWAY_ORDER = kindsOf.map(({ kind }) => kind);

/** Why there is nothing of a kind on a server; undefined: there is none of it, and that is well. */
function whyNone(connection_id: number, { of, facts }: RunwayInput): string | undefined {
  const runs = facts.outcomes.get(placeOf(connection_id, of.probe.name)) ?? [];
  if (runs.some(({ cause }) => cause === 'not_applicable')) return undefined;
  const failed = runs.find(({ outcome }) => outcome !== 'ran');
  if (failed) return failed.reason ?? 'It could not be collected.';
  return runs.length > 0 ? undefined : 'It was not collected yet.';
}

/** A remedy within a sentence: where it is to be run, which a comment says, and what; a comment in one line with it would hide it. */
function fixWords(mend: string | null): string {
  if (mend === null) return '';
  const lines = Map.groupBy(mend.split('\n'), (line) => line.startsWith('--'));
  const where = (lines.get(true) ?? []).map((line) => line.replace(/^-+\s*|:\s*$/g, '')).join(', ');
  return ` To fix it, run ${where || 'there'}: ${(lines.get(false) ?? []).join(' ')}`;
}

/** What is hidden from our role, in which database and what shows it: a list without it is not the whole. */
function hiddenRows(connection_id: number, { of, facts }: RunwayInput): RunwayRow[] {
  const runs = facts.outcomes.get(placeOf(connection_id, of.probe.name)) ?? [];
  const none = { used: null, limit: null, limited_by: null, object: null, days: [] };
  return runs
    .filter(({ outcome, cause }) => outcome === 'ran' && cause === 'missing_grant')
    .map(({ database_name, reason, mend }) => ({
      ...{ connection_id, kind: of.kind, unit: of.unit, ...none, database_name: database_name || null },
      trend: unknown(`${reason ?? 'Our role may not read it.'}${fixWords(mend)}`),
    }));
}

function isThere({ used }: Entity, { of, facts }: RunwayInput): boolean {
  if (of.kind === 'tablespace') return used.group.spcname !== 'pg_global';
  if (of.kind !== 'replication_slot') return true;
  const known = facts.slots.get(used.connection_id);
  return known?.has(String(used.group.slot_name)) ?? false;
}

function readRows(connection_id: number, all: readonly Entity[], told: RunwayInput): RunwayRow[] {
  const { kind, unit, isWorstOnly } = told.of;
  const newestDay = all.reduce((most, { used }) => Math.max(most, lastOf(used.values)), -1);
  const there = all.filter((one) => lastOf(one.used.values) === newestDay && isThere(one, told));
  if (newestDay < 0 || all.length === 0) {
    const because = whyNone(connection_id, told);
    if (because === undefined) return [];
    const none = { used: null, limit: null, limited_by: null, database_name: null, object: null };
    return [{ connection_id, kind, unit, ...none, trend: unknown(because), days: [] }];
  }
  const rows = there.map((one) => rowOf(one, told)).sort(compareRows);
  if (!isWorstOnly) return rows;
  const dated = rows.filter(({ trend }) => trend.state === 'runs_out');
  if (dated.length > 0) return dated;
  return rows.toSorted((a, b) => (b.used ?? 0) - (a.used ?? 0)).slice(0, 1);
}

const rowsOf = (connection_id: number, all: readonly Entity[], told: RunwayInput): RunwayRow[] => [
  ...readRows(connection_id, all, told),
  ...hiddenRows(connection_id, told),
];

/** Free space by connection, from the newest day of the disks. */
function withVolumes(facts: RunwayFacts, disks: ReadonlyMap<number, readonly Entity[]>): void {
  for (const [id, own] of disks) {
    const context = facts.contexts.get(id);
    if (!context) continue;
    context.volumes = own.flatMap(({ used, beside: [free] }) => {
      const value = free?.values.at(-1) ?? null;
      return value === null ? [] : [{ mount_point: String(used.group.mount_point), free: value }];
    });
  }
}

/** So many servers are read at once: a month of hours of each is held in memory meanwhile. */
const AT_ONCE = 50;

/** Of all these servers, in no order. */
export async function readRunway(db: Db, query: RunwayQuery): Promise<RunwayRow[]> {
  const rows: RunwayRow[] = [];
  for (let first = 0; first < query.connection_ids.length; first += AT_ONCE) {
    const connection_ids = query.connection_ids.slice(first, first + AT_ONCE);
    for (const row of await readSome(db, { ...query, connection_ids })) rows.push(row);
    await yieldIfBusy();
  }
  return rows;
}

async function readSome(db: Db, query: RunwayQuery): Promise<RunwayRow[]> {
  const { connection_ids, kinds, now } = query;
  // What lies on a disk is limited by it.
  const asked = kindsOf
    .filter(({ kind }) => kind === 'disk' || !kinds || kinds.includes(kind))
    .map((of) => askedOf(of, connection_ids));
  const window = runwayWindow(now);
  const inquiries = asked.map(({ of, questions }): Inquiry => {
    const named = of.kind === 'sequence' ? SEQUENCE_NAMES : [];
    return { questions, windows: [window], listAll: true, named };
  });
  const [readings, facts] = await Promise.all([
    readInquiries(db, inquiries),
    readFacts(
      db,
      connection_ids,
      asked.map(({ of }) => of),
    ),
  ]);
  const found = await Promise.all(
    asked.map(async (one, index) => {
      const own = readings[index] ?? [];
      return { of: one.of, names: namesIn(own), entities: await entitiesOf(one, own, window) };
    }),
  );
  withVolumes(facts, found.find(({ of }) => of.kind === 'disk')?.entities ?? new Map());
  return found
    .filter(({ of }) => !kinds || kinds.includes(of.kind))
    .flatMap(({ of, names, entities }) =>
      connection_ids.flatMap((id) => rowsOf(id, entities.get(id) ?? [], { of, names, facts, window, now })),
    );
}
