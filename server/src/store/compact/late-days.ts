// Tiers that are made late: once a day is over, its rollups are made of the packed hours, database by database of each connection, and
// go straight into the packed day. In rows they would take more than the samples do, and until then samples are read that say the same.
// Guards: a tier counts as made only once the day of every connection was; a run that ends in the middle is done again and comes to the
// same; what is there of a day already, and of which the samples may be gone, stays unless samples say it anew; a few hours of samples
// are in memory at a time.
import type { Db } from '../../kernel/db.ts';
import { keepAwake } from '../../kernel/keep-awake.ts';
import { greatest, least } from '../../kernel/lists.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { type DayRow, packedColumns } from '../format/days.ts';
import type { PackedColumns } from '../format/hour.ts';
import { type Rows, readRows } from '../format/stored-rows.ts';
import { dayOf } from '../layout/engine/types.ts';
import { intervalOfHour } from '../layout/intervals.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import {
  arraysOf,
  lateTiersOf,
  numbersOf,
  packedName,
  packedRollupName,
  type Tier,
} from '../layout/tiers.ts';
import type { OpenDay } from '../rollup/days.queries.ts';
import { reachOf, rollHours } from '../rollup/roll.ts';
import type { RollupRow } from '../rollup/write.ts';
import { type CompactionJob, longestOf } from './closed.ts';
import { daysPacked, lockTable, type OpenHour } from './compact.queries.ts';
import { type MadeDay, putDay } from './pack-days.ts';
import { type Run, wordsOf } from './run.ts';
import { ensureDayPartitions, madeUntil } from './tables.ts';

/** Of small families so many hours are read at a time, of large ones as many as have so many values. */
const TOGETHER = 6;
const MOST_VALUES = 500_000;

/** How many hours to read next, by what these had. */
function togetherAfter(layout: TableLayout, { samples, ticks }: Rows, hours: number): number {
  const rows = ticks.reduce((all, { ids }) => all + ids.length, samples.length);
  const anHour = Math.max(1, (rows * layout.values.length) / hours);
  return Math.min(TOGETHER, Math.max(1, Math.floor(MOST_VALUES / anHour)));
}

function dayRow(layout: TableLayout, { arrays, covered, ...row }: RollupRow): DayRow {
  const names = numbersOf(layout).flatMap(arraysOf);
  return {
    ...row,
    covered_seconds: covered,
    arrays: Object.fromEntries(names.map((name, position) => [name, arrays[position] ?? null])),
  };
}

async function packed(layout: TableLayout, rows: readonly DayRow[]): Promise<PackedColumns> {
  const columns = new Map<string, Uint8Array>();
  for (const [name, data] of packedColumns(layout, rows)) {
    columns.set(name, data);
    await yieldIfBusy();
  }
  return columns;
}

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;
const hoursWithRows = ({ samples, ticks }: Rows) =>
  new Set([...samples, ...ticks].map(({ at }) => hourOf(at / 1000)));

interface Making {
  open: OpenDay;
  tiers: readonly Tier[];
}

/** All hours of the day, from what is packed and what is still raw. */
async function rolledDay(db: Db, work: CompactionJob, { open, tiers }: Making): Promise<Map<Tier, MadeDay>> {
  const { db: names, layout, intervals } = work;
  const { connection_id, database_name, day } = open;
  const made = new Map(tiers.map((tier): [Tier, MadeDay] => [tier, { beside: [], own: [] }]));
  const stay = keepAwake(db);
  let together = 1;
  for (let from = day; from < day + DAY_MS; ) {
    const to = Math.min(day + DAY_MS, from + together * HOUR_MS);
    const ends = [from, to - HOUR_MS].map((hour) => ({ connection_id, hour }));
    const reach = reachOf(longestOf(work, ends));
    const around = { from: from - reach.before, to: to + reach.after };
    const rows = await readRows(db, layout, { connection_id, database_name, ...around });
    const rolling = {
      names,
      slice: { connection_id, database_name, from, to },
      rows,
      intervalAt: (hour: number) => intervalOfHour(intervals, { layout, connection_id, hour }),
      makes: (tier: Tier) => made.has(tier),
    };
    const spans = new Map(tiers.map((tier): [Tier, DayRow[]] => [tier, []]));
    await rollHours(layout, rolling, async (tier, own) => {
      for (const span of own) spans.get(tier)?.push(dayRow(layout, span));
      await yieldIfBusy();
      await stay();
    });
    const hours = hoursWithRows(rows);
    for (const [tier, all] of spans) {
      const [own, beside] = [true, false].map((is) => all.filter(({ at }) => hours.has(hourOf(at)) === is));
      if (own?.length) made.get(tier)?.own.push(await packed(layout, own));
      if (beside?.length) made.get(tier)?.beside.push(await packed(layout, beside));
    }
    together = togetherAfter(layout, rows, (around.to - around.from) / HOUR_MS);
    from = to;
  }
  return made;
}

async function makeDay(work: CompactionJob, making: Making): Promise<void> {
  const { db, layout } = work;
  const { open } = making;
  await db.transaction(async (inner) => {
    // The same lock as that of packing hours.
    await inner.run(lockTable(`${layout.table.name} ${open.connection_id}`));
    const made = await rolledDay(inner, work, making);
    for (const [tier, rows] of made) await putDay(inner, { layout, tier, open }, rows);
  });
}

interface LateWork extends CompactionJob {
  kept_days: number;
  /** Hours that had raw rows when this run began. */
  open: readonly OpenHour[];
  signal: AbortSignal | undefined;
}

/** A day of which nothing is packed counts as well: of a connection that is not read any more the newest hour stays raw. */
function withOpen(
  days: readonly OpenDay[],
  open: readonly OpenHour[],
  within: { from: number; until: number },
): OpenDay[] {
  const all = new Map<string, OpenDay>();
  const raw = open.map(({ connection_id, database_name, hour }) => ({
    connection_id,
    database_name,
    day: dayOf(hour),
  }));
  for (const one of [...days, ...raw])
    if (one.day >= within.from && one.day < within.until)
      all.set(JSON.stringify([one.day, one.connection_id, one.database_name]), one);
  return [...all.values()].sort((a, b) => a.day - b.day);
}

/**
 * Days that are over since each of these tiers was made, of all connections. A day that cannot be made holds its tier back, for which
 * samples are read meanwhile; but not for longer than they are there, since the days of others count too.
 */
export async function makeLateDays(work: LateWork, run: Run): Promise<void> {
  const { db, engine, layout, before, now, kept_days, signal } = work;
  const { there, seenDays, filled, report } = run;
  const until = dayOf(before);
  const since = madeUntil(layout, there);
  const due = numbersOf(layout).length === 0 ? [] : lateTiersOf(layout).filter((tier) => since(tier) < until);
  if (due.length === 0) return;
  const from = dayOf(Math.max(0, least(due.map(since))));
  const packedDays = await db.rows<OpenDay>(daysPacked(engine, packedName(layout), { from, until }));
  const days = withOpen(packedDays, work.open, { from, until });
  for (const tier of due)
    await ensureDayPartitions(db, engine, {
      name: packedRollupName(layout, tier),
      days: days.map(({ day }) => day),
    });
  const failed: number[] = [];
  for (const open of days) {
    if (signal?.aborted) return;
    if (seenDays.hasMade(layout, open)) continue;
    try {
      await makeDay(work, { open, tiers: due.filter((tier) => since(tier) < open.day + DAY_MS) });
      seenDays.addMade(layout, open);
      report.days += 1;
    } catch (error) {
      failed.push(open.day);
      report.problems.push(`${layout.probe}: ${wordsOf(error)}`);
    }
  }
  if (failed.length === 0) seenDays.forgetMade(layout);
  const lost = dayOf(now - kept_days * DAY_MS) + DAY_MS;
  const made = Math.min(until, greatest([least(failed, until), lost]));
  for (const { name, seconds } of due) filled.push({ probe: layout.probe, tier: name, seconds, until: made });
}
