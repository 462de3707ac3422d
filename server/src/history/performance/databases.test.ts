// Summaries of databases over HTTP, on histories written as the collector leaves them.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { performanceRoutes } from './performance.routes.ts';

let test: TestApi;
let id: number;
/** An hour that is over, on a whole five minutes. */
let T: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [performanceRoutes] });
  id = test.actors.own_connection;
  T = Math.floor(Date.now() / (5 * MINUTE_MS)) * 5 * MINUTE_MS - 2 * HOUR_MS;
});
afterAll(() => test.close());
async function get(query: string) {
  test.statements.reset();
  const reply = await test.call(`GET /api/v1/metrics/database-summaries?${query}`, {
    token: test.actors.owner.session,
  });
  // Beside those of the gate.
  const sent = test.statements.sent.filter((one) => /\/\* (store|performance)\./.test(one));
  expect(sent.length).toBeLessThanOrEqual(3);
  return reply;
}
const window = () => `connection_id=${id}&start_time=${iso(T)}&end_time=${iso(T + HOUR_MS)}`;

const run = (minute: number, probe: string, rows: Row[]) => ({
  connection_id: id,
  probe,
  at: T + minute * MINUTE_MS,
  rows,
});

it('there are none before anything was collected', async () => {
  expect((await get(`connection_id=${id}`)).body).toEqual({ databases: [] });
});

it('databases come largest first, without templates, each with what is known of it', async () => {
  const shop = (minute: number, n: number, numbackends: number) => ({
    ...run(minute, 'pg_stat_database', [
      {
        datname: 'shop',
        numbackends,
        xact_commit: 540 * n,
        xact_rollback: 60 * n,
        blks_hit: 300 * n,
        blks_read: 100 * n,
        stats_reset: iso(T - HOUR_MS),
      },
    ]),
    database_name: 'shop',
  });
  const table = (relid: number, n_live_tup: number, n_dead_tup: number) => ({
    relid,
    schemaname: 'public',
    relname: `t${relid}`,
    n_live_tup,
    n_dead_tup,
  });
  const ofTables = (minute: number, rows: Row[]) => ({
    ...run(minute, 'pg_stat_all_tables', rows),
    database_name: 'shop',
  });
  await collectedHistory(test.db, [
    run(0, 'pg_database', [
      { datname: 'gone', datistemplate: false, database_size_bytes: 1 },
      { datname: 'shop', datistemplate: false, database_size_bytes: 7 },
    ]),
    run(5, 'pg_database', [
      { datname: 'locked', datistemplate: false, database_size_bytes: null },
      { datname: 'quiet', datistemplate: false, database_size_bytes: 8192 * 1024 },
      { datname: 'shop', datistemplate: false, database_size_bytes: 64 * 1024 ** 2 },
      { datname: 'template1', datistemplate: true, database_size_bytes: 100 * 1024 ** 2 },
    ]),
    shop(0, 0, 9),
    shop(5, 1, 9),
    shop(10, 2, 3),
    ofTables(0, [table(1, 0, 100)]),
    ofTables(5, [table(1, 700, 100), table(2, 100, 100)]),
    run(5, 'pg_stat_activity', [
      { pid: 1, datname: 'locked', backend_type: 'client backend' },
      { pid: 2, datname: 'locked', backend_type: 'autovacuum worker' },
      { pid: 3, datname: 'shop', backend_type: 'client backend' },
    ]),
  ]);
  test.statements.reset();
  const { body } = await get(window());
  const none = { time_series: [] };
  expect(body).toEqual({
    databases: [
      {
        database_name: 'shop',
        size_bytes: 67_108_864,
        size_pretty: '64 MB',
        cache_hit_ratio: {
          current: expect.closeTo(75, 9),
          time_series: Array.from({ length: 10 }, (_none, n) => ({
            time: iso(T + n * MINUTE_MS),
            value: expect.closeTo(75, 9),
          })),
        },
        // 1,200 transactions in ten minutes.
        transaction_rate: expect.closeTo(2, 9),
        dead_tuple_ratio: 20,
        active_connections: 3,
        size_collected_at: iso(T + 5 * MINUTE_MS),
        sessions_collected_at: iso(T + 10 * MINUTE_MS),
      },
      {
        database_name: 'quiet',
        size_bytes: 8_388_608,
        size_pretty: '8192 kB',
        cache_hit_ratio: none,
        active_connections: 0,
        size_collected_at: iso(T + 5 * MINUTE_MS),
        sessions_collected_at: iso(T + 5 * MINUTE_MS),
      },
      {
        database_name: 'locked',
        size_bytes: 0,
        size_pretty: 'unknown',
        cache_hit_ratio: none,
        active_connections: 1,
        size_collected_at: iso(T + 5 * MINUTE_MS),
        sessions_collected_at: iso(T + 5 * MINUTE_MS),
      },
    ],
  });
});

it('compare with the window before, on the same grid', async () => {
  const from = T + 5 * MINUTE_MS;
  const query = `connection_id=${id}&start_time=${iso(from)}&end_time=${iso(T + 10 * MINUTE_MS)}&compare=previous`;
  const { body } = await get(query);
  expect(body).toMatchObject({ compared: { start_time: iso(T), end_time: iso(from) } });
  const { databases } = body as { databases: Record<string, unknown>[] };
  const [shop, quiet] = databases;
  // All hundred rows of the first sample were dead, one in five of the second.
  const points = Array.from({ length: 30 }, (_none, n) => ({
    time: iso(from + n * 10_000),
    value: expect.closeTo(75, 9),
  }));
  expect(shop).toMatchObject({
    transaction_rate: expect.closeTo(2, 9),
    compared: {
      cache_hit_ratio: { current: expect.closeTo(75, 9), time_series: points },
      transaction_rate: expect.closeTo(2, 9),
      dead_tuple_ratio: 20,
    },
  });
  expect(quiet).toMatchObject({ compared: { cache_hit_ratio: { time_series: [] } } });
  expect((await get(query.replace('previous', 'year'))).error).toMatch(/compare/);
});

it.each([
  ['no connection', 'time_range=1h', /connection_id/],
  ['an unknown range', 'connection_id=ID&time_range=2h', /time_range/],
  ['half a window', 'connection_id=ID&end_time=2026-01-01T00:00:00Z', /come together/],
  [
    'more than 366 days',
    'connection_id=ID&start_time=2024-01-01T00:00:00Z&end_time=2026-01-01T00:00:00Z',
    /366 days/,
  ],
] as const)('%s is 400', async (_name, query, sentence) => {
  const reply = await get(query.replace('ID', String(id)));
  expect(reply.status).toBe(400);
  expect(reply.error).toMatch(sentence);
});
