// One statement over HTTP, on histories written as the collector leaves them, where every number is known beforehand. One of a real
// server is in query-detail.proof.test.ts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { figureIn, iso } from '../../testing/history-api.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { performanceRoutes } from './performance.routes.ts';
import type { QueryDetail } from './query-detail.contract.ts';

type Detail = Static<typeof QueryDetail>;

/** Larger than what a number holds exactly: as one it would end in 6000. */
const QUERY = '-9223372036854775807';
const NEIGHBOUR = '-9223372036854775806';

let test: TestApi;
let id: number;
/** An hour that is over, on a whole five minutes. */
let T: number;

/** Cumulative: each execution takes 2 ms and answers 3 rows. */
const statement = (queryid: string, calls: number, more: Record<string, unknown> = {}) => ({
  userid: 10,
  username: 'app',
  dbid: 5,
  toplevel: true,
  queryid,
  calls,
  total_exec_time: 2 * calls,
  rows: 3 * calls,
  ...more,
});
type Statement = ReturnType<typeof statement>;

const run = (minute: number, rows: Statement[], database_name = 'shop') => ({
  connection_id: id,
  probe: 'pg_stat_statements',
  database_name,
  at: T + minute * MINUTE_MS,
  rows,
});

/** Sessions, with the event of IO that they wait for. */
const combination = (query_id: string, [sessions, wait]: readonly [number, string | null], more = {}) => ({
  state: 'active',
  wait_event_type: wait && 'IO',
  wait_event: wait,
  datname: 'shop',
  usename: 'app',
  backend_type: 'client backend',
  query_id,
  is_rest: false,
  sessions,
  ...more,
});

beforeAll(async () => {
  test = await startTestApi({ rooms: [performanceRoutes] });
  id = test.actors.own_connection;
  T = Math.floor(Date.now() / (5 * MINUTE_MS)) * 5 * MINUTE_MS - 2 * HOUR_MS;
  const ops = { userid: 11, username: 'ops' };
  await collectedHistory(test.db, [
    // 10 calls in each five minutes of the hour before, 30 of the first twenty minutes after, by two roles.
    ...[-20, -15, -10, -5, 0].map((minute, n) =>
      run(minute, [
        statement(QUERY, 100 + 10 * n),
        statement(QUERY, 500, ops),
        statement(NEIGHBOUR, 1000 * n),
      ]),
    ),
    ...[5, 10, 15, 20].map((minute, n) =>
      run(minute, [
        statement(QUERY, 140 + 20 * (n + 1)),
        statement(QUERY, 500 + 10 * (n + 1), ops),
        statement(NEIGHBOUR, 9000 * (n + 1)),
      ]),
    ),
    ...[0, 5, 10, 15, 20].map((minute) => run(minute, [statement(QUERY, 7)], 'zoo')),
    ...Array.from({ length: 61 }, (_none, second) => ({
      connection_id: id,
      probe: 'pg_active_sessions',
      at: T + second * SECOND_MS,
      rows:
        second > 40
          ? []
          : [
              combination(QUERY, [3, null]),
              combination(QUERY, [1, 'DataFileRead']),
              combination(QUERY, [1, 'DataFileRead'], { usename: 'ops' }),
              combination(QUERY, [9, null], { state: 'idle in transaction' }),
              combination(NEIGHBOUR, [50, 'WALSync']),
            ],
    })),
  ]);
  await test.db.run(sql`/* test.text */
    insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text)
    values
      (${id}, 'shop', ${QUERY}::bigint, 10, true, 'select id from orders where id = $1'),
      (${id}, 'shop', ${NEIGHBOUR}::bigint, 10, true, 'select other')`);
});
afterAll(() => test.close());

const path = (queryid: string, query = '') => `GET /api/v1/connections/${id}/queries/${queryid}?${query}`;
const window = (from = 0, to = 20) =>
  `start_time=${iso(T + from * MINUTE_MS)}&end_time=${iso(T + to * MINUTE_MS)}`;

async function get(queryid: string, query: string): Promise<Detail> {
  test.statements.reset();
  const { status, text } = await test.call(path(queryid, query), { token: test.actors.owner.session });
  expect(status, text).toBe(200);
  expect(test.statements.sent.filter((one) => /\/\* (store|performance)\./.test(one))).toHaveLength(3);
  return JSON.parse(text);
}

describe('getQueryDetail', () => {
  it('has what the statement cost, beside the window before, by its exact id', async () => {
    const detail = await get(QUERY, `${window()}&buckets=4`);
    expect(detail).toMatchObject({
      connection_id: id,
      queryid: QUERY,
      query: 'select id from orders where id = $1',
      is_own: false,
      first_seen: iso(T - 20 * MINUTE_MS),
      // It ran in the last quarter of the window; what is stored of it is older.
      last_seen: iso(T + 15 * MINUTE_MS),
      start_time: iso(T),
      end_time: iso(T + 20 * MINUTE_MS),
      compared_start_time: iso(T - 20 * MINUTE_MS),
      bucket_seconds: 300,
    });
    expect(figureIn(detail.figures, 'calls')).toEqual({
      metric: 'calls',
      unit: 'count',
      description: 'Times the statement was executed.',
      total: expect.closeTo(120, 6),
      compared_total: expect.closeTo(40, 6),
      per_second: expect.closeTo(120 / 1200, 6),
      compared_per_second: expect.closeTo(40 / 1200, 6),
    });
    expect(figureIn(detail.figures, 'rows')?.total).toBeCloseTo(360, 6);
    expect(figureIn(detail.figures, 'mean_time')).toMatchObject({ unit: 'ms', total: expect.closeTo(2, 6) });
    const calls = detail.series.find(({ metric }) => metric === 'calls');
    expect(calls?.values).toEqual([30, 30, 30, 30].map((value) => expect.closeTo(value, 6)));
    expect(calls?.compared).toEqual([10, 10, 10, 10].map((value) => expect.closeTo(value, 6)));
  });

  it('has no increase of a bucket that the newest reading ends in: it would look like a fall', async () => {
    const { series } = await get(QUERY, `${window(10, 22)}&buckets=3`);
    const valuesOf = (metric: string) => series.find((one) => one.metric === metric)?.values;
    expect(valuesOf('calls')).toEqual([expect.closeTo(24, 6), expect.closeTo(24, 6), null]);
    expect(valuesOf('mean_time')).toEqual([2, 2, 2].map((value) => expect.closeTo(value, 6)));
  });

  it('tells databases and roles apart, the one that cost most first', async () => {
    const { places } = await get(QUERY, window());
    const told = places.map(({ database_name, userid, username, figures }) => [
      database_name,
      userid,
      username,
      figureIn(figures, 'calls')?.total,
    ]);
    expect(told).toEqual([
      ['shop', '10', 'app', expect.closeTo(80, 6)],
      ['shop', '11', 'ops', expect.closeTo(40, 6)],
      ['zoo', '10', 'app', expect.closeTo(0, 6)],
    ]);
  });

  it('tells what sessions that ran it waited for, and why nothing is known of that', async () => {
    const { waits } = await get(QUERY, window(0, 1));
    expect(waits).toEqual({
      start_time: iso(T),
      end_time: iso(T + MINUTE_MS),
      events: [
        {
          wait_class: null,
          wait_event: null,
          session_seconds: expect.closeTo(120, 6),
          percent: expect.closeTo(60, 6),
        },
        {
          wait_class: 'IO',
          wait_event: 'DataFileRead',
          session_seconds: expect.closeTo(80, 6),
          percent: expect.closeTo(40, 6),
        },
      ],
      reason: null,
    });
    const before = await get(QUERY, window(-20, -1));
    expect(before.waits).toMatchObject({ events: [], reason: expect.stringMatching(/compute_query_id/) });
  });

  it('compares with a day or a week before, too; what was not measured is null', async () => {
    const detail = await get(QUERY, `${window()}&compare=week`);
    expect(detail.compared_start_time).toBe(iso(T - 7 * 24 * HOUR_MS));
    expect(figureIn(detail.figures, 'calls')).toMatchObject({
      compared_total: null,
      compared_per_second: null,
    });
  });

  it('a statement that nobody has seen is 404, what is no id 400, and a server of others 403', async () => {
    const token = test.actors.owner.session;
    expect(await test.call(path('-9223372036854775808', window()), { token })).toMatchObject({
      status: 404,
      error: 'No statement with the queryid -9223372036854775808 was ever seen on this server.',
    });
    expect((await test.call(path('9999999999999999999', window()), { token })).status).toBe(404);
    for (const odd of ['1.5', 'abc', '12345678901234567890', '%00'])
      expect((await test.call(path(odd, window()), { token })).status, odd).toBe(400);
    const { error } = await test.call(path('one', window()), { token });
    expect(error).toBe('queryid must be a whole number of 64 bits, as text.');
    expect((await test.call(path(QUERY, window()), { token: test.actors.other.session })).status).toBe(403);
    expect((await test.call(path(QUERY, window()))).status).toBe(401);
  });
});
