// Metrics over HTTP, on histories written as the collector leaves them, where every number is known beforehand.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { metricsRoutes } from './metrics.routes.ts';
import { prettySize } from './rows.ts';

let test: TestApi;
let token: string;
let id: number;
/** An hour that is over, on a whole five minutes. */
let T: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [metricsRoutes] });
  token = test.actors.owner.session;
  id = test.actors.own_connection;
  T = Math.floor(Date.now() / (5 * MINUTE_MS)) * 5 * MINUTE_MS - 2 * HOUR_MS;
});
afterAll(() => test.close());
const window = (from = T, to = T + HOUR_MS) => `start_time=${iso(from)}&end_time=${iso(to)}`;

async function get(path: string) {
  test.statements.reset();
  const reply = await test.call(`GET /api/v1/metrics/${path}`, { token });
  return reply;
}

/** Statements of the request itself, beside those that find the caller and their rights. */
const sent = () => test.statements.sent.filter((text) => /\/\* store\./.test(text));

interface Series {
  name: string;
  metric: string;
  unit: string;
  description?: string;
  data: { time: string; value: number | null; compared?: number | null }[];
}

async function series(path: string): Promise<Series[]> {
  const reply = await get(`query?${path}`);
  expect(reply.error).toBeUndefined();
  expect(sent().length).toBeLessThanOrEqual(3);
  return reply.body as Series[];
}

const valuesOf = (all: readonly Series[], name: string) =>
  all.find((one) => one.name === name)?.data.map(({ value }) => value);

/** A run of pg_stat_database every five minutes, from T on. */
const database = (
  minute: number,
  row: Row,
  more: { connection_id?: number; database_name?: string } = {},
) => ({
  connection_id: id,
  probe: 'pg_stat_database',
  database_name: 'shop',
  at: T + minute * MINUTE_MS,
  rows: [{ datid: 5, datname: 'shop', stats_reset: iso(T - HOUR_MS), ...row }],
  ...more,
});

it('a gauge says nothing of the time before its server was added', async () => {
  const connection_id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id, name: 'young' });
  await test.db.run(sql`/* test.added */
    update matriarch.connections set created_at = ${iso(T + 30 * MINUTE_MS)}::timestamptz where id = ${connection_id}`);
  await collectedHistory(
    test.db,
    [32, 37, 42].map((minute) => database(minute, { numbackends: minute }, { connection_id })),
  );
  const path = `connection_id=${connection_id}&probe_name=pg_stat_database&metrics=numbackends&buckets=60&${window()}`;
  const numbers = valuesOf(await series(path), 'numbackends');
  // Twice: the plan of the second answer is a kept one.
  expect(valuesOf(await series(path), 'numbackends')).toEqual(numbers);
  expect(numbers?.slice(0, 30)).toEqual(new Array(30).fill(null));
  expect(numbers?.slice(30)).toEqual([32, 32, ...new Array(5).fill(37), ...new Array(5).fill(42)]);
});

it('there is nothing before anything was collected', async () => {
  const path = `connection_id=${id}&probe_name=pg_stat_io`;
  const found = await series(`${path}&metrics=reads,reads_per_sec`);
  expect(found.map(({ data }) => data)).toEqual([[], []]);
  expect((await get(`latest?${path}`)).body).toEqual({ rows: [], total_count: 0 });
  expect((await get(`baselines?${path}`)).body).toEqual([]);
});

describe('series', () => {
  beforeAll(async () => {
    // 300 commits in each five minutes, 60 sessions more each time; nothing from minute 30 to 50.
    const minutes = [0, 5, 10, 15, 20, 25, 30, 50, 55];
    await collectedHistory(test.db, [
      ...minutes.map((minute) =>
        database(minute, {
          numbackends: minute,
          xact_commit: 1000 + minute * 60,
          xact_rollback: 0,
          blks_hit: minute * 900,
          blks_read: minute * 100,
        }),
      ),
      ...[0, 5].map((minute) =>
        database(minute, { numbackends: 7, xact_commit: 10 + minute }, { database_name: 'zoo' }),
      ),
    ]);
  });

  it('are increases, rates and time-weighted means on one grid, with gaps and without what comes after', async () => {
    const found = await series(
      `connection_id=${id}&probe_name=pg_stat_database&database_name=shop&${window()}&buckets=12` +
        '&metrics=xact_commit,xact_commit_per_sec,numbackends,deadlocks',
    );
    expect(found.map(({ name, unit }) => [name, unit])).toEqual([
      ['xact_commit', 'count'],
      ['xact_commit_per_sec', 'count/s'],
      ['numbackends', 'count'],
      ['deadlocks', 'count'],
    ]);
    expect(found.map((one) => one.description).slice(0, 2)).toEqual([
      'Transactions committed.',
      'Transactions committed. A second.',
    ]);
    // From minute 30 to 50 is a hole; the last bucket, after minute 55, is left out.
    const gaps = (value: number) => [...Array(6).fill(value), null, null, null, null, value];
    expect(valuesOf(found, 'xact_commit')).toEqual(gaps(300));
    expect(valuesOf(found, 'xact_commit_per_sec')).toEqual(gaps(1));
    // A level stands for the time before it, at most two and a half intervals.
    expect(valuesOf(found, 'numbackends')).toEqual([5, 10, 15, 20, 25, 30, null, 50, 50, 50, 55]);
    expect(valuesOf(found, 'deadlocks')).toEqual([]);
    expect(found[0]?.data[1]?.time).toBe(iso(T + 5 * MINUTE_MS));
  });

  it('combine databases, whichever aggregation is asked', async () => {
    const path = `connection_id=${id}&probe_name=pg_stat_database&${window(T, T + 5 * MINUTE_MS)}&buckets=1`;
    const found = await series(`${path}&metrics=xact_commit,numbackends&aggregation=max`);
    expect(valuesOf(found, 'xact_commit')).toEqual([305]);
    expect(valuesOf(found, 'numbackends')).toEqual([12]);
  });

  it('name the connection where several are asked, and have no points where nothing was collected', async () => {
    const other = test.actors.shared_connection;
    const found = await series(
      `connection_ids=${other},${id}&probe_name=pg_stat_database&${window()}&buckets=1&metrics=xact_commit,tup_fetched`,
    );
    expect(found.map(({ name, metric, data }) => [name, metric, data.length])).toEqual([
      [`xact_commit (conn ${other})`, 'xact_commit', 0],
      [`tup_fetched (conn ${other})`, 'tup_fetched', 0],
      [`xact_commit (conn ${id})`, 'xact_commit', 1],
      [`tup_fetched (conn ${id})`, 'tup_fetched', 0],
    ]);
  });

  it('answer a second window beside the first one', async () => {
    const [one] = await series(
      `connection_id=${id}&probe_name=pg_stat_database&database_name=shop&metrics=numbackends&buckets=2` +
        `&${window(T + 10 * MINUTE_MS, T + 20 * MINUTE_MS)}&compare=previous`,
    );
    expect(one?.data.map(({ value, compared }) => [value, compared])).toEqual([
      [15, 5],
      [20, 10],
    ]);
  });

  it('show all gauges and counters in declared order without names', async () => {
    const found = await series(`connection_id=${id}&probe_name=pg_stat_database&${window()}&buckets=1`);
    expect(found.slice(0, 3).map(({ name }) => name)).toEqual([
      'numbackends',
      'xact_commit',
      'xact_rollback',
    ]);
    expect(found.map(({ name }) => name)).not.toContain('xact_commit_per_sec');
  });
});

describe('tables', () => {
  const table = (relid: number, relname: string, more: Row) => ({
    relid,
    schemaname: relname.startsWith('pg_') ? 'pg_catalog' : 'public',
    relname,
    seq_scan: 0,
    n_live_tup: 0,
    n_dead_tup: 0,
    table_size: null,
    ...more,
  });
  beforeAll(async () => {
    const at = (minute: number, rows: Row[]) => ({
      connection_id: id,
      probe: 'pg_stat_all_tables',
      database_name: 'shop',
      at: T + minute * MINUTE_MS,
      rows,
    });
    const pg = table(9, 'pg_class', { n_live_tup: 400 });
    await collectedHistory(test.db, [
      at(0, [table(1, 'orders', { seq_scan: 5, n_live_tup: 900, n_dead_tup: 100, table_size: 81_920 }), pg]),
      at(5, [
        table(1, 'orders', { seq_scan: 11, n_live_tup: 300, n_dead_tup: 100, table_size: 81_920 }),
        table(2, 'empty', {}),
        pg,
      ]),
    ]);
  });
  const path = () => `connection_id=${id}&probe_name=pg_stat_all_tables`;

  it('are filtered by name, and have a ratio of dead rows, 0 without rows', async () => {
    const query = `${path()}&${window(T, T + 5 * MINUTE_MS)}&buckets=1&metrics=seq_scan,dead_tuple_ratio`;
    const orders = await series(`${query}&schema_name=public&table_name=orders`);
    expect([valuesOf(orders, 'seq_scan'), valuesOf(orders, 'dead_tuple_ratio')]).toEqual([[6], [25]]);
    const empty = await series(`${query}&table_name=empty`);
    expect(valuesOf(empty, 'dead_tuple_ratio')).toEqual([0]);
    const all = await series(query);
    expect(valuesOf(all, 'dead_tuple_ratio')).toEqual([(100 * 100) / 800]);
  });

  it('are rows where an order is given, cumulative, with sizes as people read them', async () => {
    const reply = await get(`query?${path()}&order_by=seq_scan&limit=2`);
    expect(sent().length).toBeLessThanOrEqual(3);
    expect(reply.body).toMatchObject([
      {
        connection_id: id,
        database_name: 'shop',
        collected_at: iso(T + 5 * MINUTE_MS),
        relname: 'orders',
        seq_scan: 11,
        table_size: 81_920,
        table_size_pretty: '80 kB',
      },
      { seq_scan: 0, table_size_pretty: null },
    ]);
    const named = await get(`query?${path()}&order_by=relname&order=asc&table_name=empty`);
    expect(named.body).toMatchObject([{ relname: 'empty' }]);
  });

  it('latest are searched by what names and describes them, before they are counted', async () => {
    const found = await get(`latest?${path()}&limit=1&search=ORD`);
    expect(found.body).toMatchObject({ rows: [{ relname: 'orders' }], total_count: 1 });
    const both = await get(`latest?${path()}&limit=1&search=public`);
    expect(both.body).toMatchObject({ total_count: 2 });
    // No pattern, and no figure.
    expect((await get(`latest?${path()}&search=%25`)).body).toEqual({ rows: [], total_count: 0 });
    expect((await get(`latest?${path()}&search=400`)).body).toEqual({ rows: [], total_count: 0 });
  });

  it('latest are all there, part by part', async () => {
    const parts = [];
    for (const offset of [0, 1, 2, 3, 2_147_483_647])
      parts.push((await get(`latest?${path()}&limit=1&order_by=n_live_tup&offset=${offset}`)).body);
    expect(parts).toMatchObject([
      { rows: [{ relname: 'pg_class' }], total_count: 3 },
      { rows: [{ relname: 'orders' }], total_count: 3 },
      { rows: [{ relname: 'empty' }], total_count: 3 },
      { rows: [], total_count: 3 },
      { rows: [], total_count: 3 },
    ]);
  });

  it('latest come in parts of one reading where they are asked for with one word', async () => {
    const part = (more: string) => get(`latest?${path()}&limit=1&order_by=n_live_tup${more}`);
    const [first, second] = [await part(''), await part('&offset=1')];
    expect((await part('&reading=a')).body).toEqual(first.body);
    expect(sent().length).toBeGreaterThan(0);
    expect((await part('&reading=a&offset=1')).body).toEqual(second.body);
    expect(sent()).toEqual([]);
    expect((await part('&reading=a')).body).toEqual(first.body);
    expect(sent()).toEqual([]);
    for (const other of ['&reading=b&offset=1', '&reading=a&search=o', '&reading=a&order=asc', '&offset=1']) {
      await part(other);
      expect([other, sent().length > 0]).toEqual([other, true]);
    }
  });

  it('latest counts before the limit and leaves schemas out', async () => {
    const all = await get(`latest?${path()}&limit=1&order_by=n_live_tup`);
    expect(all.body).toMatchObject({ total_count: 3, rows: [{ relname: 'pg_class' }] });
    const own = await get(`latest?${path()}&limit=1&order_by=n_live_tup&exclude_schemas=pg_catalog,other`);
    expect(own.body).toMatchObject({ total_count: 2, rows: [{ relname: 'orders' }] });
    expect(sent().length).toBeLessThanOrEqual(3);
    const none = await get(`latest?${path()}&exclude_schemas=none&database_name=elsewhere`);
    expect(none.body).toEqual({ rows: [], total_count: 0 });
  });
});

it('few of many are chosen by names and values, and come with all of both', async () => {
  const connection_id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  const rows = Array.from({ length: 1200 }, (_none, n) => ({
    ...{
      schemaname: n % 2 === 0 ? 'even' : 'odd',
      relname: n === 7 ? 'a "b", {c}\\' : `t${n}`,
      indexrelname: `i${String(n).padStart(4, '0')}`,
    },
    ...{ relid: n + 1, indexrelid: 5000 + n, idx_scan: n, idx_tup_read: 2 * n },
  }));
  const part = { connection_id, probe: 'pg_stat_all_indexes', database_name: 'shop', at: T };
  const grown = rows.map((one) => ({ ...one, idx_tup_read: one.idx_tup_read + 7 }));
  await collectedHistory(test.db, [
    { ...part, rows },
    { ...part, at: T + 5 * MINUTE_MS, rows: grown },
    { ...part, database_name: 'store', at: T + 5 * MINUTE_MS, rows: rows.slice(0, 3) },
  ]);
  const latest = async (more: string) =>
    (await get(`latest?connection_id=${connection_id}&probe_name=pg_stat_all_indexes&limit=2&${more}`)).body;
  const row = (n: number) => ({
    relname: `t${n}`,
    indexrelname: rows[n]?.indexrelname,
    idx_tup_read: 2 * n + 7,
  });
  expect(await latest('order_by=indexrelname&order=asc&offset=2')).toMatchObject({
    rows: [
      { ...row(1), database_name: 'shop' },
      { indexrelname: 'i0001', idx_tup_read: 2, database_name: 'store' },
    ],
    total_count: 1203,
  });
  expect(await latest('order_by=idx_scan&order=desc&exclude_schemas=odd')).toMatchObject({
    ...{ rows: [row(1198), row(1196)], total_count: 602 },
  });
  expect(await latest('order_by=idx_scan&search=i000')).toMatchObject({ total_count: 13 });
  expect(await latest(`search=${encodeURIComponent('"B", {c}\\')}`)).toMatchObject({
    ...{ rows: [{ indexrelname: 'i0007' }], total_count: 1 },
  });
});

it('indexes are found by the name of their table and by their own', async () => {
  const index = (indexrelid: number, indexrelname: string, idx_scan: number) => ({
    indexrelid,
    schemaname: 'public',
    relname: indexrelname.replace(/_.*/, ''),
    indexrelname,
    idx_scan,
  });
  const at = (minute: number, n: number) => ({
    connection_id: id,
    probe: 'pg_stat_all_indexes',
    database_name: 'shop',
    at: T + minute * MINUTE_MS,
    rows: [index(11, 'orders_pkey', n), index(12, 'orders_day', 10 * n), index(13, 'items_pkey', 100 * n)],
  });
  await collectedHistory(test.db, [at(0, 0), at(5, 1)]);
  const path = `connection_id=${id}&probe_name=pg_stat_all_indexes`;
  const sum = async (filter: string) =>
    valuesOf(
      await series(`${path}&${window(T, T + 5 * MINUTE_MS)}&buckets=1&metrics=idx_scan&${filter}`),
      'idx_scan',
    );
  expect(await sum('table_name=orders')).toEqual([11]);
  expect(await sum('table_name=items_pkey')).toEqual([100]);
  expect(await sum('index_name=orders_day')).toEqual([10]);
  const rows = await get(`query?${path}&order_by=idx_scan&table_name=orders`);
  expect(rows.body).toMatchObject([{ indexrelname: 'orders_day' }, { indexrelname: 'orders_pkey' }]);
});

it('sessions are counted and aged over time, by database', async () => {
  const session = (pid: number, datname: string, since: number) => ({
    pid,
    datname,
    backend_type: 'client backend',
    state: 'active',
    wait_event_type: pid === 1 ? 'Lock' : null,
    query_start: iso(T + since * MINUTE_MS),
    waitstart: pid === 1 ? iso(T + since * MINUTE_MS) : null,
  });
  const at = (minute: number) => ({
    connection_id: id,
    probe: 'pg_stat_activity',
    at: T + minute * MINUTE_MS,
    rows: [session(1, 'shop', minute - 2), session(2, 'shop', minute - 3), session(3, 'zoo', minute - 9)],
  });
  await collectedHistory(test.db, [at(1), at(2)]);
  const path = `connection_id=${id}&probe_name=pg_stat_activity&${window(T, T + 2 * MINUTE_MS)}&buckets=2`;
  const names = 'metrics=count,blocked_count,pg_stat_activity.max_query_duration_seconds';
  const all = await series(`${path}&${names}`);
  expect(all.map(({ metric, unit, data }) => [metric, unit, data.map(({ value }) => value)])).toEqual([
    ['count', 'count', [3, 3]],
    ['blocked_count', 'count', [1, 1]],
    ['max_query_duration_seconds', 'seconds', [540, 540]],
  ]);
  const shop = await series(`${path}&${names}&database_name=shop`);
  expect(shop.map(({ data }) => data.at(-1)?.value)).toEqual([2, 1, 180]);
});

describe('baselines', () => {
  it('are of the samples themselves, counters as rates, and wait for thirty samples', async () => {
    const other = test.actors.shared_connection;
    const run = (n: number) => ({
      connection_id: other,
      probe: 'pg_stat_database',
      database_name: 'shop',
      at: T + n * 5 * MINUTE_MS - 24 * HOUR_MS,
      rows: [{ datname: 'shop', numbackends: n, xact_commit: n * 600, deadlocks: n < 20 ? null : 0 }],
    });
    await collectedHistory(
      test.db,
      Array.from({ length: 41 }, (_none, n) => run(n)),
    );
    const reply = await get(`baselines?connection_id=${other}&probe_name=pg_stat_database`);
    expect(sent()).toHaveLength(2);
    expect(reply.body).toEqual([
      {
        metric: 'numbackends',
        mean: 20,
        stddev: Math.sqrt((41 * 41 - 1) / 12),
        min: 0,
        max: 40,
        p50: 20,
        p95: 38,
        p99: expect.closeTo(39.6, 9),
      },
      { metric: 'xact_commit', mean: 2, stddev: 0, min: 2, max: 2, p50: 2, p95: 2, p99: 2 },
    ]);
  });
});

describe('refusals', () => {
  const probe = 'probe_name=pg_stat_database';
  it.each([
    ['no connection', `query?${probe}`, /connection_id/],
    [
      'an unknown probe',
      'query?connection_id=ID&probe_name=pg_stat_databases',
      /Did you mean pg_stat_database\?/,
    ],
    [
      'an unknown metric',
      `query?connection_id=ID&${probe}&metrics=xact_comit`,
      /Did you mean xact_commit\?.*numbackends/,
    ],
    [
      'an unknown aggregation',
      `query?connection_id=ID&${probe}&aggregation=median`,
      /avg, sum, min, max, last|aggregation/,
    ],
    ['an unknown range', `query?connection_id=ID&${probe}&time_range=2h`, /time_range/],
    ['an unknown column', `query?connection_id=ID&${probe}&order_by=nope`, /no column nope\. It has datid/],
    ['an unknown column of latest', `latest?connection_id=ID&${probe}&order_by=nope`, /no column nope/],
    [
      'a dimension it lacks',
      `query?connection_id=ID&${probe}&table_name=t`,
      /can be filtered by database_name/,
    ],
    ['half a window', `query?connection_id=ID&${probe}&start_time=2026-01-01T00:00:00Z`, /come together/],
    [
      'a window that ends before it begins',
      `query?connection_id=ID&${probe}&start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z`,
      /later than start_time/,
    ],
    [
      'more than 366 days',
      `query?connection_id=ID&${probe}&start_time=2024-01-01T00:00:00Z&end_time=2026-01-01T00:00:00Z`,
      /366 days/,
    ],
    ['501 buckets', `query?connection_id=ID&${probe}&buckets=501`, /buckets/],
    ['an odd schema', `latest?connection_id=ID&${probe}&exclude_schemas=a,"b`, /exclude_schemas/],
    ['an unknown metric of baselines', `baselines?connection_id=ID&${probe}&metrics=nope`, /no metric nope/],
  ] as const)('%s is 400', async (_name, path, sentence) => {
    const reply = await get(path.replace('ID', String(id)));
    expect(reply.status).toBe(400);
    expect(reply.error).toMatch(sentence);
  });
});

it('one hundred connections at most, whoever asks', async () => {
  const ids = [];
  for (let n = 0; n < 101; n += 1)
    ids.push(await makeConnection(test.db, { owner_id: test.actors.owner.user_id }));
  const path = `query?probe_name=pg_stat_io&metrics=reads&buckets=1&connection_ids=`;
  expect((await get(path + ids.join(','))).error).toBe('At most 100 connections can be named at once.');
  expect(await series(path.slice('query?'.length) + ids.slice(1).join(','))).toHaveLength(100);
});

it('sizes read as PostgreSQL itself says them', async () => {
  const sizes = [
    0, 1, 10_239, 10_240, 10_751, 10_752, 20_479, 20_480, 1_048_576, 10_484_735, 10_485_247, 10_485_248,
  ];
  sizes.push(...sizes.map((size) => size * 1024), 8_192_000_000_000, 2 ** 52, -20_480, -10_485_248);
  const said = await test.db.rows<{ text: string }>(sql`
    select pg_catalog.pg_size_pretty(s.size) as text
    from unnest(${sizes}::bigint[]) with ordinality as s (size, n)
    order by s.n`);
  expect(sizes.map(prettySize)).toEqual(said.map(({ text }) => text));
});
