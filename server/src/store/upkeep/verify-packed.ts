// Looks into packed hours, all of them, and into the rollups of the newest ones; of tiers that are made once their day is over, into the
// newest hours of such days as well. Guards: one hour is in memory at a
// time; nothing that is found is put right, and nothing that is tried stays.
import { type Database, type Db, isUnreachable } from '../../kernel/db.ts';
import { errorCode, Fault } from '../../kernel/errors.ts';
import { identifier, sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { rollupDays } from '../compact/rolled-days.ts';
import { ensurePartitions, madeUntil, readTierTables } from '../compact/tables.ts';
import { unpackSamples, unpackTicks } from '../format/hour.ts';
import { hasRaw, type PackedRow, packedHours, type Slice } from '../format/stored-rows.queries.ts';
import { readRows } from '../format/stored-rows.ts';
import { dayOf, type Engine } from '../layout/engine/types.ts';
import { type Intervals, intervalOfHour, readIntervals } from '../layout/intervals.ts';
import { type Retentions, readRetentions } from '../layout/retention.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { isByClass, lateTiersOf, numbersOf, packedName, type Tier } from '../layout/tiers.ts';
import { reachOf, rollUp } from '../rollup/roll.ts';

/** A packed hour's place. */
interface PackedHour {
  connection_id: number;
  database_name: string;
  /** Milliseconds since the epoch. */
  hour: number;
}

const HOURS_AT_ONCE = 5000;
/** Databases whose newest packed hour is rolled up anew, of each probe. */
const MOST_ROLLED = 20;
/** Hours that are tried of a database, where rows that came lately lie around the newest ones. */
const MOST_TRIED = 4;
/** Older changes of intervals are forgotten. */
const INTERVALS_DAYS = 14;

const hourName = ({ connection_id, database_name, hour }: PackedHour) =>
  `connection ${connection_id}${database_name && ` database ${database_name}`}, ${new Date(hour).toISOString()}`;

const hoursAfter = (layout: TableLayout, last: PackedHour | undefined) => sql`
  /* store.verify_places */
  select p.connection_id, p.database_name, (extract(epoch from p.collected_at) * 1000)::bigint as hour
  from metrics.${identifier(packedName(layout))} p
  where (p.connection_id, p.database_name, p.collected_at) > (
    ${last?.connection_id ?? -1}::integer,
    ${last?.database_name ?? ''},
    ${new Date(last?.hour ?? 0).toISOString()}::timestamptz
  )
  order by p.connection_id, p.database_name, p.collected_at
  limit ${HOURS_AT_ONCE}`;

/** What is wrong with the rows of an hour. */
function fault(layout: TableLayout, row: PackedRow): string | null {
  const packed = new Map(
    row.names.flatMap((name, index): [string, Buffer][] => {
      const data = row.columns[index];
      return data ? [[name, data]] : [];
    }),
  );
  if (packed.size !== row.names.length) return 'lacks columns that its layout names';
  const isSamples = layout.keeps === 'samples';
  const samples = isSamples ? unpackSamples(layout.values, packed) : [];
  const ticks = isSamples ? [] : unpackTicks(layout.values, packed);
  const rows = [
    ...samples.map(({ at, row_no }) => [at, row_no]),
    ...ticks.map(({ at, keyframe }) => [at, keyframe]),
  ];
  if (rows.length === 0) return 'holds nothing';
  const end = (row.hour + HOUR_MS) * 1000;
  if (rows.some(([at]) => !(Number(at) >= row.hour * 1000 && Number(at) < end)))
    return 'holds what is of another hour';
  if (new Set(rows.map(String)).size !== rows.length) return 'holds the same row twice';
  const ragged = ticks.some(({ ids, columns }) =>
    columns.some((cells) => cells !== null && cells.length !== 0 && cells.length !== ids.length),
  );
  return ragged ? 'has values without objects' : null;
}

/** Unpacks every hour; the first fault and how many there are. */
export async function packedProblem(db: Db, layout: TableLayout): Promise<string | null> {
  const faults: string[] = [];
  let last: PackedHour | undefined;
  for (;;) {
    const hours: PackedHour[] = await db.rows<PackedHour>(hoursAfter(layout, last));
    for (const packed of hours) {
      const slice = { ...packed, from: packed.hour, to: packed.hour + 1 };
      try {
        for (const row of await db.rows<PackedRow>(packedHours(packedName(layout), slice))) {
          const found = fault(layout, row);
          if (found) faults.push(`${hourName(packed)} ${found}`);
        }
      } catch (error) {
        if (!(error instanceof Error) || isOfDatastore(error)) throw error;
        faults.push(`${hourName(packed)} cannot be unpacked (${error.message})`);
      }
    }
    last = hours.at(-1);
    if (hours.length < HOURS_AT_ONCE) break;
  }
  const [first] = faults;
  return first === undefined ? null : `${faults.length} packed hours are wrong: ${first}.`;
}

interface Newest extends Omit<PackedHour, 'hour'> {
  /** The newest first. */
  hours: number[];
}

/** Before a moment, or of all. */
const newest = (layout: TableLayout, before: number) => sql`
  /* store.verify_newest */
  select
    p.connection_id, p.database_name,
    (array_agg((extract(epoch from p.collected_at) * 1000)::double precision order by p.collected_at desc))[
      1:${MOST_TRIED}::integer
    ] as hours
  from metrics.${identifier(packedName(layout))} p
  where ${Number.isFinite(before) ? sql`p.collected_at < ${new Date(before).toISOString()}::timestamptz` : sql`true`}
  group by 1, 2
  order by max(p.collected_at) desc, 1, 2
  limit ${MOST_ROLLED}`;

class Undo extends Error {}

const isOfDatastore = (error: Error) =>
  error instanceof Fault || isUnreachable(error) || /^[0-9A-Z]{5}$/.test(errorCode(error) ?? '');

interface Rolled {
  names: Database;
  engine: Engine;
  layout: TableLayout;
  packed: PackedHour;
  interval_seconds: number;
  madeUntil(tier: Tier): number;
}

/** The hour's rollups made anew, and what they were; null: they are the same. */
async function compare(db: Db, of: Rolled): Promise<string | null> {
  const { names, layout, packed, interval_seconds } = of;
  const slice: Slice = { ...packed, from: packed.hour, to: packed.hour + HOUR_MS };
  const { before: back, after: ahead } = reachOf(interval_seconds);
  const before = await rollupDays(db, layout, slice);
  const rows = await readRows(db, layout, { ...slice, from: slice.from - back, to: slice.to + ahead });
  await rollUp(db, layout, {
    names,
    slice,
    rows,
    intervalAt: () => interval_seconds,
    madeUntil: of.madeUntil,
  });
  const after = await rollupDays(db, layout, slice);
  for (const [tier, spans] of after)
    for (const [at, said] of spans)
      if (before.get(tier)?.get(at) !== said)
        return `${hourName(packed)}: ${tier} of ${new Date(at).toISOString()} is not what its samples say`;
  return null;
}

async function differs(of: Rolled): Promise<string | null> {
  const { names: db, engine, layout, packed } = of;
  await ensurePartitions(db, engine, { layout, from: packed.hour, to: packed.hour + HOUR_MS });
  let problem: string | null = null;
  await db
    .transaction(async (inner) => {
      problem = await compare(inner, of);
      throw new Undo();
    })
    .catch((error: unknown) => {
      if (error instanceof Undo) return;
      if (!(error instanceof Error) || isOfDatastore(error)) throw error;
      problem = `${hourName(packed)}: its samples cannot be unpacked (${error.message})`;
    });
  return problem;
}

/**
 * Rows that are still raw may have come after the rollups were made: the next compaction makes those anew, and only then
 * a difference means something.
 */
async function isSettled({ names: db, layout, packed, interval_seconds }: Rolled): Promise<boolean> {
  const { before, after } = reachOf(interval_seconds);
  const [from, to] = [packed.hour - before, packed.hour + HOUR_MS + after];
  return !(await db.one<{ is_raw: boolean }>(hasRaw(layout, { ...packed, from, to }))).is_raw;
}

/** Samples before this may have gone, by the policy of that connection, after rollups were made of them. */
function keptSince({ layout, now }: RollupCheck, retentions: Retentions, connectionId: number): number {
  const { probe, retentionDays: retention_days } = layout;
  const days = retentions.of(connectionId, { probe, retention_days });
  return dayOf(now - Math.min(days, INTERVALS_DAYS) * DAY_MS) + DAY_MS;
}

export interface RollupCheck {
  layout: TableLayout;
  engine: Engine;
  /** Milliseconds since the epoch. */
  now: number;
}

interface Looking extends RollupCheck {
  intervals: Intervals;
  retentions: Retentions;
  madeUntil(tier: Tier): number;
}

/** Whether the rollups of the newest packed hours before a moment are what comes out of them. */
async function problemBefore(db: Database, before: number, looking: Looking): Promise<string | null> {
  const { layout, engine, intervals, retentions } = looking;
  for (const { hours, ...of } of await db.rows<Newest>(newest(layout, before))) {
    const { connection_id } = of;
    const since = keptSince(looking, retentions, connection_id);
    for (const hour of hours) {
      const interval_seconds = intervalOfHour(intervals, { layout, connection_id, hour });
      const packed = { ...of, hour };
      const rolled = { names: db, engine, layout, packed, interval_seconds, madeUntil: looking.madeUntil };
      if (hour - reachOf(interval_seconds).before < since) break;
      const problem = await differs(rolled);
      if (problem === null) break;
      if (await isSettled(rolled)) return problem;
    }
  }
  return null;
}

/** Of the newest hours of all, and of those of which tiers that are made late were made. */
export async function rollupProblem(db: Database, check: RollupCheck): Promise<string | null> {
  const { layout } = check;
  if (isByClass(layout) || numbersOf(layout).length === 0) return null;
  const made = madeUntil(layout, await readTierTables(db, [layout]));
  const looking: Looking = {
    ...check,
    intervals: await readIntervals(db),
    retentions: await readRetentions(db),
    madeUntil: made,
  };
  for (const before of new Set([Infinity, ...lateTiersOf(layout).map(made)])) {
    const problem = before === -Infinity ? null : await problemBefore(db, before, looking);
    if (problem !== null) return problem;
  }
  return null;
}
