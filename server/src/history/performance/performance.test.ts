// Summaries of performance over HTTP, on histories written as the collector leaves them, where every number is known
// beforehand.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { type CollectedRun, collectedHistory } from '../../testing/store/collected.ts';
import { performanceRoutes } from './performance.routes.ts';

let test: TestApi;
let token: string;
let id: number;
let other: number;
/** An hour that is over, on a whole five minutes. */
let T: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [performanceRoutes] });
  token = test.actors.owner.session;
  id = test.actors.own_connection;
  other = test.actors.shared_connection;
  T = Math.floor(Date.now() / (5 * MINUTE_MS)) * 5 * MINUTE_MS - 2 * HOUR_MS;
});
afterAll(() => test.close());
const window = (from = T, to = T + HOUR_MS) => `start_time=${iso(from)}&end_time=${iso(to)}`;

interface Connection {
  connection_id: number;
  connection_name: string;
  xid_age: { database_name: string; age: number; percent: number }[];
  cache_hit_ratio: { current?: number; time_series: { time: string; value: number }[] };
  transactions: {
    commits_per_sec?: number;
    rollback_percent?: number;
    time_series: { time: string; commits_per_sec: number; rollback_percent: number }[];
  };
  checkpoints: { time_series: { time: string; write_time_ms: number; sync_time_ms: number }[] };
  compared?: Omit<Connection, 'connection_id' | 'connection_name' | 'xid_age' | 'compared'>;
}

/** Beside those of the gate. */
const statementsSent = () =>
  test.statements.sent.filter((one) => /\/\* (store|performance)\./.test(one)).length;

interface Summary {
  time_range: string;
  connections: Connection[];
  aggregate?: Record<string, number>;
  compared?: { start_time: string; end_time: string; aggregate?: Record<string, number> };
}

async function summary(query: string): Promise<Summary> {
  test.statements.reset();
  const reply = await test.call(`GET /api/v1/metrics/performance-summary?${query}`, { token });
  expect(reply.error).toBeUndefined();
  expect(statementsSent()).toBeLessThanOrEqual(3);
  return reply.body as Summary;
}

async function own(query: string): Promise<Connection> {
  const { connections } = await summary(query);
  const [first] = connections;
  if (!first) throw new Error('no connection was answered');
  return first;
}

const run = (minute: number, of: Omit<CollectedRun, 'connection_id' | 'at'>): CollectedRun => ({
  connection_id: id,
  at: T + minute * MINUTE_MS,
  ...of,
});

/** Counters of a database as they stand at a minute. */
const database = (minute: number, row: Row, more: Partial<CollectedRun> = {}): CollectedRun => {
  const { database_name = 'shop' } = more;
  const known = { datid: 5, datname: database_name, stats_reset: iso(T - HOUR_MS), numbackends: 1 };
  return {
    ...run(minute, { probe: 'pg_stat_database', rows: [{ ...known, ...row }], database_name }),
    ...more,
  };
};

it('a server of which nothing was collected has its name and no numbers', async () => {
  expect(await summary(`connection_id=${id}`)).toEqual({
    time_range: '1h',
    connections: [
      {
        connection_id: id,
        connection_name: expect.any(String),
        xid_age: [],
        cache_hit_ratio: { time_series: [] },
        transactions: { time_series: [] },
        checkpoints: { time_series: [] },
      },
    ],
  });
});

describe('the summary of performance', () => {
  beforeAll(async () => {
    // In each five minutes 300 commits, 100 rollbacks, 90 blocks found and 10 read. After minute 15 the statistics are
    // reset, from minute 20 to 50 nobody measured, and nothing happens after that.
    const counted = (n: number) => ({
      xact_commit: 300 * n,
      xact_rollback: 100 * n,
      blks_hit: 90 * n,
      blks_read: 10 * n,
    });
    const later = (n: number) => ({ ...counted(n), stats_reset: iso(T + 16 * MINUTE_MS) });
    await collectedHistory(test.db, [
      ...[0, 1, 2, 3].map((n) => database(5 * n, counted(100 + n))),
      database(20, later(1)),
      database(50, later(7)),
      database(55, later(7)),
      ...[0, 10, 20].map((minute, n) =>
        run(minute, {
          probe: 'pg_stat_checkpointer',
          rows: [{ write_time: 1000 + n * 600, sync_time: 50 + n * 6 }],
        }),
      ),
      run(0, {
        probe: 'pg_database',
        rows: [
          { datname: 'template0', age_datfrozenxid: 500 },
          { datname: 'shop', age_datfrozenxid: 214_748_364 },
          { datname: 'hidden', age_datfrozenxid: null },
        ],
      }),
      // Three times the blocks of the other one, all of them read from disk.
      ...[0, 5].map((minute) =>
        database(
          minute,
          { xact_commit: minute * 60, xact_rollback: 0, blks_hit: 0, blks_read: 60 * minute },
          { connection_id: other },
        ),
      ),
    ]);
  });

  it('is of increases in sixty buckets, with resets and without points where nobody measured', async () => {
    const { cache_hit_ratio, transactions } = await own(`connection_id=${id}&${window()}`);
    const { time_series } = transactions;
    // 20 buckets of a minute, then a hole, then five idle ones.
    const idle = { commits_per_sec: 0, rollback_percent: 0 };
    expect(time_series).toEqual([
      ...Array.from({ length: 20 }, (_none, n) => ({
        time: iso(T + n * MINUTE_MS),
        commits_per_sec: expect.closeTo(1, 9),
        rollback_percent: expect.closeTo(25, 9),
      })),
      ...Array.from({ length: 5 }, (_none, n) => ({ time: iso(T + (50 + n) * MINUTE_MS), ...idle })),
    ]);
    // 1,200 commits in 25 measured minutes.
    expect(transactions.commits_per_sec).toBeCloseTo(1200 / 1500, 9);
    expect(transactions.rollback_percent).toBeCloseTo(25, 9);
    expect(cache_hit_ratio.current).toBeCloseTo(90, 9);
    // A share of no blocks is nothing.
    expect(cache_hit_ratio.time_series.map(({ value }) => value)).toEqual(
      Array(20).fill(expect.closeTo(90, 9)),
    );
  });

  it('has the ages of databases, the oldest first, and times of checkpoints', async () => {
    const { xid_age, checkpoints } = await own(`connection_id=${id}&${window(T, T + 20 * MINUTE_MS)}`);
    const read = iso(T);
    expect(xid_age).toEqual([
      { database_name: 'shop', age: 214_748_364, percent: expect.closeTo(10, 6), collected_at: read },
      { database_name: 'template0', age: 500, percent: expect.closeTo(0.0000232, 6), collected_at: read },
    ]);
    // 60 buckets of 20 s: 1,200 ms over 1,200 s.
    expect(checkpoints.time_series).toHaveLength(60);
    expect(checkpoints.time_series[0]).toEqual({
      time: iso(T),
      write_time_ms: expect.closeTo(20, 9),
      sync_time_ms: expect.closeTo(0.2, 9),
    });
  });

  it('has no bucket narrower than ten seconds', async () => {
    const times = async (seconds: number) => {
      const { transactions } = await own(`connection_id=${id}&${window(T, T + seconds * 1000)}`);
      return transactions.time_series.map(({ time }) => (Date.parse(time) - T) / 1000);
    };
    expect(await times(35)).toEqual([0, expect.closeTo(11.667, 2), expect.closeTo(23.333, 2)]);
    expect(await times(5)).toEqual([0]);
  });

  it('puts several servers together by what their numbers are made of', async () => {
    const { connections, aggregate, time_range } = await summary(
      `connection_ids=${other},${id}&${window(T, T + 5 * MINUTE_MS)}`,
    );
    expect(time_range).toBe('custom');
    expect(connections.map(({ connection_id }) => connection_id)).toEqual([other, id]);
    // 90 of 100 blocks there, none of 300 here; 100 rollbacks of 700 transactions.
    expect(aggregate).toEqual({
      cache_hit_ratio: expect.closeTo(22.5, 9),
      commits_per_sec: expect.closeTo(2, 9),
      rollback_percent: expect.closeTo(100 / 7, 9),
    });
    expect((await summary(`connection_ids=${id},${id}&time_range=6h`)).aggregate).toBeUndefined();
  });

  it('compares with the window before, on the same grid, of each server and of all', async () => {
    const [from, to] = [T + 5 * MINUTE_MS, T + 10 * MINUTE_MS];
    const found = await summary(`connection_ids=${other},${id}&${window(from, to)}&compare=previous`);
    expect(found.compared).toEqual({
      start_time: iso(T),
      end_time: iso(from),
      aggregate: {
        cache_hit_ratio: expect.closeTo(22.5, 9),
        commits_per_sec: expect.closeTo(2, 9),
        rollback_percent: expect.closeTo(100 / 7, 9),
      },
    });
    // Nobody measured the other one after the first five minutes.
    expect(found.aggregate).toMatchObject({ commits_per_sec: expect.closeTo(1, 9) });
    const [alone, both] = found.connections;
    expect(alone?.transactions).toEqual({ time_series: [] });
    expect(alone?.compared?.transactions).toMatchObject({
      commits_per_sec: expect.closeTo(1, 9),
      rollback_percent: 0,
    });
    const times = (all: { time: string }[] | undefined) => all?.map(({ time }) => time);
    expect(times(both?.compared?.transactions.time_series)).toEqual(times(both?.transactions.time_series));
    expect(both?.compared?.checkpoints.time_series).toHaveLength(30);
    expect(found.connections.every((one) => one.compared && !('xid_age' in one.compared))).toBe(true);
    const week = await summary(`connection_id=${id}&${window(from, to)}&compare=week`);
    expect(week.compared).toEqual({
      start_time: iso(from - 7 * 24 * HOUR_MS),
      end_time: iso(to - 7 * 24 * HOUR_MS),
    });
    expect(week.connections[0]?.compared?.transactions).toEqual({ time_series: [] });
  });
});

describe('refusals of the summary', () => {
  it.each([
    ['no connection', '', /connection_id/],
    ['an unknown range', 'connection_id=ID&time_range=2h', /time_range/],
    ['half a window', 'connection_id=ID&start_time=2026-01-01T00:00:00Z', /come together/],
    [
      'a window that ends before it begins',
      'connection_id=ID&start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z',
      /later than start_time/,
    ],
    ['no list', 'connection_ids=1;2', /connection_ids/],
  ] as const)('%s is 400', async (_name, query, sentence) => {
    const path = `GET /api/v1/metrics/performance-summary?${query.replace('ID', String(id))}`;
    const reply = await test.call(path, { token });
    expect(reply.status).toBe(400);
    expect(reply.error).toMatch(sentence);
  });
});
