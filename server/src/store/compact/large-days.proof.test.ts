// A day of thousands of objects is packed while it goes on: what is read of it stays the same, whatever of it lies in rows, and
// what comes late finds its hour.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { totals } from '../../history/performance/totals.ts';
import { identifier, sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { probe as STATEMENTS } from '../../probes/pg-stat-statements.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { verifyStore } from '../upkeep/verify.ts';
import { runCompaction } from './compact.ts';
import { SeenDays } from './pack-days.ts';

const [MINUTE, HOUR_MS] = [60_000, 3_600_000];
const EVERY = 5 * MINUTE;
/** Three hours of them are more than what a day may leave in rows. */
const COUNT = 4500;
const layouts = [layoutOf(STATEMENTS)].flatMap((layout) => layout ?? []);

let store: Storing;
let day: number;
let id: number;
let first: number;
const seenDays = new SeenDays();

beforeAll(async () => {
  store = await storing();
  const { now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  );
  day = Math.floor(now / DAY_MS) * DAY_MS - 2 * DAY_MS;
  first = day + HOUR_MS;
  id = await store.leased();
});
afterAll(() => store.close());

/** All of them grow in each reading, each by its number. */
async function collect(writer: ReturnType<Storing['writer']>, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += EVERY) {
    const tick = (at - first) / EVERY;
    const rows = Array.from({ length: COUNT }, (_none, n) => ({
      userid: 10,
      dbid: 5,
      toplevel: true,
      queryid: String(n + 1),
      calls: (n + 1) * tick,
    }));
    const common = { connection_id: id, at, rows, database_name: 'shop', server_instance: 'a' };
    writer.add(keptRun(STATEMENTS, common));
    if (tick % 12 === 0) await writer.flush();
  }
  await writer.flush();
}

async function compact(now: number): Promise<void> {
  expect((await runCompaction({ db: store.db, layouts, now, seenDays })).problems).toEqual([]);
}

const counted = async (tier: 'h1' | 'h1p' | 'm15' | 'm15p') =>
  (
    await store.db.one<{ n: number }>(
      sql`select count(*) as n from metrics.${identifier(`pg_stat_statements__${tier}`)}`,
    )
  ).n;

/** What three of them grew by in a time. */
async function grown(from: number, to: number): Promise<number[]> {
  const query = { probe: STATEMENTS, columns: ['calls'], connection_ids: [id], group_by: ['queryid'] };
  const found = await totals(store.db, { ...query, from, to });
  const of = new Map(found.map(({ group, grown: own }) => [Number(group.queryid), own.get('calls') ?? 0]));
  return [1, 2000, COUNT].map((n) => (of.get(n) ?? 0) / n);
}

const thrice = (ticks: number) => [1, 2000, COUNT].map(() => expect.closeTo(ticks, 6));
const ticksIn = (ms: number) => ms / EVERY;

it('packs what there is of it, and reads it with what came in since and with what came late', {
  timeout: 600_000,
}, async () => {
  const writer = store.writer({ probes: [STATEMENTS] });
  await collect(writer, first, first + 5 * HOUR_MS + EVERY);
  await compact(first + 5 * HOUR_MS);
  // Two hours stay raw.
  expect(await counted('h1')).toBe(0);
  expect(await counted('h1p')).toBe(1);
  // Spans of three samples wait until their day is over.
  expect([await counted('m15'), await counted('m15p')]).toEqual([0, 0]);
  const windows: [number, number][] = [
    [first, first + 3 * HOUR_MS],
    [first + 90 * MINUTE, first + 5 * HOUR_MS],
    [day - DAY_MS, first + 5 * HOUR_MS],
  ];
  const check = async () => {
    for (const [from, to] of windows)
      expect(await grown(from, to)).toEqual(thrice(ticksIn(to - Math.max(from, first))));
  };
  await check();

  // One more hour, with which the one before is made anew, is too little to be packed again.
  await collect(writer, first + 5 * HOUR_MS + EVERY, first + 6 * HOUR_MS + EVERY);
  await compact(first + 6 * HOUR_MS);
  expect([await counted('h1'), await counted('h1p')]).toEqual([2, 1]);
  await check();
  expect(await grown(first, first + 6 * HOUR_MS)).toEqual(thrice(ticksIn(6 * HOUR_MS)));

  // What comes again, and late, makes rows of its hours, which count.
  const again = store.writer({ probes: [STATEMENTS] });
  await collect(again, first + HOUR_MS, first + HOUR_MS + 2 * EVERY);
  await Promise.all([writer.stop(), again.stop()]);
  await compact(first + 6 * HOUR_MS);
  expect(await counted('h1')).toBeGreaterThan(2);
  await check();

  await compact(first + 2 * DAY_MS);
  expect([await counted('h1'), await counted('h1p')]).toEqual([0, 1]);
  expect([await counted('m15'), await counted('m15p')]).toEqual([0, 1]);
  await check();
  const checks = await verifyStore(store.db, { layouts, now: first + 2 * DAY_MS });
  const own = checks.filter(({ what }) => /: (contents|rollups|names)$/.test(what));
  expect(own.filter(({ problem }) => problem !== null)).toEqual([]);
});
