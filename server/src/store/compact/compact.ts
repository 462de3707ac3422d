// Compaction: an hour that is over (and of what comes in by the second, what is over of the hour) becomes one packed row of each database of a connection, and its rollups; its raw
// rows are deleted in the same transaction. Guards: nothing is deleted but what was read; it can stop anywhere and be
// done again; rows that come late, however late, reopen their hour and its rollups are made anew.
//
// Raw rows are deleted hour by hour, so their space is used again by the hours that follow, and a day that is all
// packed is dropped as a whole.
import type { Database, Db } from '../../kernel/db.ts';
import { greatest, least } from '../../kernel/lists.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { packSamples, packTicks } from '../format/hour.ts';
import { packedStarts, type Slice } from '../format/stored-rows.queries.ts';
import { type Rows, readRows } from '../format/stored-rows.ts';
import { engineOf } from '../layout/engine/open.ts';
import type { Engine } from '../layout/engine/types.ts';
import { intervalOfHour, readIntervals } from '../layout/intervals.ts';
import { datastoreNow, noteIntervals } from '../layout/retention.queries.ts';
import { readRetentions, SAMPLES_LEAST_DAYS } from '../layout/retention.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { type TierTable, tierTables } from '../layout/tier-tables.queries.ts';
import { isMadeLate, packedName, tiersOf } from '../layout/tiers.ts';
import { reachOf, rollUp } from '../rollup/roll.ts';
import { type CompactionJob, closedBefore, holeMs, hourCeil, longestOf } from './closed.ts';
import * as queries from './compact.queries.ts';
import { makeLateDays } from './late-days.ts';
import { packDays, SeenDays } from './pack-days.ts';
import { type CompactionReport, type Run, wordsOf } from './run.ts';
import {
  dropEmptied,
  dropExpired,
  emptiedPartitions,
  ensurePartitions,
  ensureTierTables,
  madeUntil,
  readTierTables,
  type TierTablesThere,
} from './tables.ts';

/** Hours of one database that are read and packed together. */
const TOGETHER = 6;

export interface CompactionRun {
  db: Database;
  layouts: readonly TableLayout[];
  engine?: Engine;
  /** Instead of the datastore's time, in milliseconds since the epoch. */
  now?: number;
  signal?: AbortSignal;
  /** What runs before this one saw; nothing is taken as seen without it. */
  seenDays?: SeenDays;
}

/** Hours in a row of the same database, a few at a time. */
function runsOf(hours: readonly queries.OpenHour[]): queries.OpenHour[][] {
  const runs: queries.OpenHour[][] = [];
  for (const hour of hours) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const isNext =
      last?.connection_id === hour.connection_id &&
      last.database_name === hour.database_name &&
      last.hour + HOUR_MS === hour.hour;
    if (run && isNext && run.length < TOGETHER) run.push(hour);
    else runs.push([hour]);
  }
  return runs;
}

async function packedLayoutId(db: Db, names: readonly string[]): Promise<number> {
  await db.run(queries.addLayout(names));
  return (await db.one<{ layout_id: number }>(queries.findLayout(names))).layout_id;
}

async function packHour(
  db: Db,
  layout: TableLayout,
  { open, rows, before }: { open: queries.OpenHour; rows: Rows; before: number },
): Promise<number> {
  const { hour } = open;
  const end = Math.min(hour + HOUR_MS, before);
  const isOver = ({ at }: { at: number }) => at >= hour * 1000 && at < end * 1000;
  const packed =
    layout.keeps === 'samples'
      ? packSamples(layout, rows.samples.filter(isOver))
      : packTicks(layout, rows.ticks.filter(isOver));
  const layout_id = await packedLayoutId(db, [...packed.keys()]);
  const columns = [...packed.values()].map((data) => Buffer.from(data));
  await db.run(queries.putPacked(packedName(layout), { ...open, layout_id, columns }));
  const deleted = await db.run(queries.deleteRaw(layout, { ...open, from: hour, to: end }));
  const read = rows.raw.filter((at) => isOver({ at })).length;
  if (deleted !== read) throw new Error('rows came in while their hour was packed');
  return deleted;
}

/**
 * What the rollups cover. Late rows change what is around them: a value stands for the time before it, and objects stay
 * what they were until the next whole keyframe. Hours beside the run that were never packed have no rollups to change.
 */
async function rolled(
  db: Db,
  layout: TableLayout,
  { run, first, reach_ms }: { run: readonly queries.OpenHour[]; first: queries.OpenHour; reach_ms: number },
): Promise<{ from: number; to: number }> {
  const end = first.hour + run.length * HOUR_MS;
  const { connection_id, database_name } = first;
  const before = hourCeil(reach_ms);
  const after = Math.max(before, layout.keeps === 'objects' ? 2 * HOUR_MS : 0);
  const beside = { connection_id, database_name, from: first.hour - before, to: end + after };
  const packed = await db.rows<{ hour: number }>(packedStarts(packedName(layout), beside));
  const hours = packed.map(({ hour }) => hour);
  return {
    from: least(hours, first.hour),
    to: greatest(
      hours.map((hour) => hour + HOUR_MS),
      end,
    ),
  };
}

async function compactRun(
  work: CompactionJob,
  run: readonly queries.OpenHour[],
  there: TierTablesThere,
): Promise<number> {
  const { db, engine, layout, before, intervals } = work;
  const [first] = run;
  if (!first) return 0;
  const reach = reachOf(longestOf(work, run));
  const { connection_id, database_name } = first;
  const intervalAt = (hour: number) => intervalOfHour(intervals, { layout, connection_id, hour });
  const locked = queries.lockTable(`${layout.table.name} ${connection_id}`);
  const around = await rolled(db, layout, { run, first, reach_ms: reach.after });
  await ensurePartitions(db, engine, { layout, ...around });
  return db.transaction(async (inner) => {
    await inner.run(locked);
    const slice: Slice = { connection_id, database_name, ...around };
    const [from, to] = [around.from - reach.before, around.to + reach.after];
    const rows = await readRows(inner, layout, { ...slice, from, to });
    await rollUp(inner, layout, { names: db, slice, rows, intervalAt, madeUntil: madeUntil(layout, there) });
    let deleted = 0;
    for (const open of run)
      if (!open.is_needed) deleted += await packHour(inner, layout, { open, rows, before });
    return deleted;
  });
}

/** Whether the next value of a probe that somebody has run rarely can still reach back into these hours. */
const isTooEarly = (work: CompactionJob, run: readonly queries.OpenHour[]) =>
  Math.min((run.at(-1)?.hour ?? 0) + HOUR_MS, work.before) + holeMs(longestOf(work, run)) > work.now;

async function compactTable(
  options: Omit<CompactionJob, 'before'> & { kept_days: number; signal: AbortSignal | undefined },
  all: Run,
): Promise<void> {
  const { there, partitions, filled, report, seenDays } = all;
  const { db, engine, layout, now, kept_days, signal } = options;
  await ensureTierTables(db, engine, { layout, there });
  const before = closedBefore(layout, now);
  const after = now - kept_days * DAY_MS;
  const open = await db.rows<queries.OpenHour>(queries.openHours(engine, layout, { after, before }));
  const work = { ...options, before };
  for (const run of runsOf(open)) {
    if (signal?.aborted) return;
    if (isTooEarly(work, run)) continue;
    try {
      report.rows += await compactRun(work, run, there);
      seenDays.change(layout, (run[0]?.hour ?? 0) - HOUR_MS);
      report.hours += run.filter(({ is_needed }) => !is_needed).length;
    } catch (error) {
      report.problems.push(`${layout.probe}: ${wordsOf(error)}`);
    }
  }
  const { probe } = layout;
  filled.push({ probe, tier: 'packed', seconds: null, until: before });
  for (const tier of tiersOf(layout))
    if (!isMadeLate(layout, tier))
      filled.push({ probe, tier: tier.name, seconds: tier.seconds, until: before });
  await makeLateDays({ ...work, open }, all);
  if (signal?.aborted) return;
  report.days += await packDays(db, engine, { layout, before, signal, seenDays });
  report.dropped += await dropEmptied(db, engine, { layout, before, partitions });
}

/** One run over all probes. Rejects only when the datastore is away. */
export async function runCompaction(options: CompactionRun): Promise<CompactionReport> {
  const { db, layouts, engine = engineOf(db), signal } = options;
  const report: CompactionReport = { hours: 0, rows: 0, days: 0, dropped: 0, problems: [] };
  const now = options.now ?? (await db.one<{ now: number }>(datastoreNow)).now;
  await db.run(noteIntervals(now));
  const [intervals, retentions] = [await readIntervals(db), await readRetentions(db)];
  // Read once for all, since most runs find nothing to do for most tables.
  const run: Run = {
    there: await readTierTables(db, layouts),
    partitions: await emptiedPartitions(db, engine, layouts),
    filled: [],
    report,
    seenDays: options.seenDays ?? new SeenDays(),
  };
  for (const layout of layouts) {
    if (signal?.aborted) break;
    const { probe, retentionDays: retention_days } = layout;
    const kept_days = retentions.longest({ probe, retention_days, least_days: SAMPLES_LEAST_DAYS });
    try {
      await compactTable({ db, engine, layout, now, intervals, kept_days, signal }, run);
    } catch (error) {
      report.problems.push(`${layout.probe}: ${wordsOf(error)}`);
    }
  }
  if (run.filled.length > 0) await db.run(queries.filledUntil(run.filled));
  const tables = await db.rows<TierTable>(tierTables);
  report.dropped += await dropExpired(db, engine, { tables, retentions, now });
  return report;
}
