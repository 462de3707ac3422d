// The statements that cost most over HTTP, on histories written as the collector leaves them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { performanceRoutes } from './performance.routes.ts';

let test: TestApi;
let id: number;
/** An hour that is over, on a whole five minutes. */
let T: number;

/** Cumulative figures of a statement: each execution takes 2 ms, answers 3 rows, finds 4 blocks and reads 1. */
const statement = (queryid: string, calls: number, more: Record<string, unknown> = {}) => ({
  userid: 10,
  dbid: 5,
  toplevel: true,
  queryid,
  calls,
  total_exec_time: 2 * calls,
  rows: 3 * calls,
  shared_blks_hit: 4 * calls,
  shared_blks_read: calls,
  ...more,
});

const run = (minute: number, rows: ReturnType<typeof statement>[], database_name = 'shop') => ({
  connection_id: id,
  probe: 'pg_stat_statements',
  database_name,
  at: T + minute * MINUTE_MS,
  rows,
});

async function text(queryid: string, query: string): Promise<void> {
  await test.db.run(sql`/* test.text */
    insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text)
    values (${id}, 'shop', ${queryid}::bigint, 10, true, ${query})`);
}

beforeAll(async () => {
  test = await startTestApi({ rooms: [performanceRoutes] });
  id = test.actors.own_connection;
  T = Math.floor(Date.now() / (5 * MINUTE_MS)) * 5 * MINUTE_MS - 2 * HOUR_MS;
  const other = { userid: 11, toplevel: false };
  await collectedHistory(test.db, [
    run(0, [
      statement('1', 100),
      statement('1', 1000, other),
      statement('2', 500),
      statement('3', 50),
      statement('-9', 7),
      statement('4', 900),
    ]),
    // Statement 3 was evicted; 2 was reset and ran 5 times since.
    run(5, [
      statement('1', 110),
      statement('1', 1020, other),
      statement('2', 5),
      statement('-9', 7),
      statement('4', 903),
    ]),
    // 3 came back: nobody knows what it did before it was seen again.
    run(10, [
      statement('1', 110),
      statement('1', 1030, other),
      statement('2', 6),
      statement('3', 4),
      statement('-9', 7),
      statement('4', 903),
    ]),
    run(15, [
      statement('1', 110),
      statement('1', 1030, other),
      statement('2', 6),
      statement('3', 6),
      statement('-9', 7),
      statement('4', 903),
    ]),
    run(0, [statement('1', 0)], 'zoo'),
    run(5, [statement('1', 100, { total_exec_time: 1 })], 'zoo'),
  ]);
  await text('1', 'select id from orders where id = $1');
  await text('2', `select ${'x'.repeat(100_000)}`);
  await text('4', 'select /* probe.pg_stat_io */ 1');
});
afterAll(() => test.close());

interface Row {
  queryid: string;
  database_name: string;
  query: string;
  calls: number;
  load_percent?: number;
  exec_time_course?: (number | null)[];
  is_own: boolean | null;
}

async function top(query: string) {
  test.statements.reset();
  const path = `connection_id=${id}&start_time=${iso(T)}&end_time=${iso(T + HOUR_MS)}&${query}`;
  const reply = await test.call(`GET /api/v1/metrics/top-queries?${path}`, {
    token: test.actors.owner.session,
  });
  expect(reply.error).toBeUndefined();
  const sent = test.statements.sent.filter((one) => /\/\* store\./.test(one));
  // A course is one more reading, which takes two statements the first time.
  expect(sent.length).toBeLessThanOrEqual(query.includes('course') ? 5 : 3);
  const rows = reply.body as Row[];
  return {
    rows,
    names: rows.map(({ database_name, queryid, calls }) => [database_name, queryid, calls]),
    total: reply.headers['x-total-count'],
  };
}

describe('the statements that cost most', () => {
  it('are increases over all users, with resets, and of those that came back only what is certain', async () => {
    const { names, rows, total } = await top('order_by=calls');
    expect(names).toEqual([
      ['zoo', '1', 100],
      ['shop', '1', 40],
      ['shop', '2', 6],
      ['shop', '4', 3],
      ['shop', '3', 2],
    ]);
    expect(total).toBe('5');
    expect(rows[1]).toEqual({
      queryid: '1',
      database_name: 'shop',
      query: 'select id from orders where id = $1',
      calls: 40,
      total_exec_time: 80,
      mean_exec_time: 2,
      rows: 120,
      shared_blks_hit: 160,
      shared_blks_read: 40,
      // 20 of these 80 ms clients sent, and of the others 12, 6 and 4 ms in shop and 1 ms in zoo.
      load_percent: 100,
      is_own: false,
    });
    expect(rows[2]?.load_percent).toBeCloseTo((100 * 12) / 43);
    expect(rows.map(({ is_own }) => is_own)).toEqual([null, false, false, true, null]);
    // Nobody knows the text of another database.
    expect(rows[0]?.query).toBe('');
    expect(Buffer.byteLength(rows[2]?.query ?? '')).toBeLessThanOrEqual(64 * 1024);
  });

  it('are ordered, then cut', async () => {
    const first = await top('limit=2');
    expect(first.names).toEqual([
      ['shop', '1', 40],
      ['shop', '2', 6],
    ]);
    expect(first.total).toBe('5');
    expect((await top('limit=2&offset=4')).names).toEqual([['zoo', '1', 100]]);
    const least = await top('limit=1&order_by=mean_exec_time&order=asc');
    expect(least.names).toEqual([['zoo', '1', 100]]);
    const beyond = await top('offset=50');
    expect([beyond.rows, beyond.total]).toEqual([[], '5']);
  });

  it('come in parts of one reading, which the first part begins anew', async () => {
    const readings = () => test.statements.sent.filter((one) => /\/\* store\./.test(one)).length;
    await top('limit=2');
    const whole = readings();
    expect((await top('limit=2&offset=2')).names).toEqual([
      ['shop', '4', 3],
      ['shop', '3', 2],
    ]);
    // Only the texts of these two.
    expect(readings()).toBe(1);
    expect((await top('limit=2&offset=2&search=select')).total).toBe('3');
    expect(readings()).toBe(1);
    await top('limit=2&offset=2&order=asc');
    expect(readings()).toBe(whole);
    await top('limit=2');
    expect(readings()).toBe(whole);
  });

  it('are of one database where it is named', async () => {
    const { names, total, rows } = await top('database_name=zoo');
    expect([names, total]).toEqual([[['zoo', '1', 100]], '1']);
    expect(rows[0]?.load_percent).toBe(100);
    expect((await top('database_name=elsewhere')).total).toBe('0');
  });

  it('show a statement that is known and idle with zeros where it is named', async () => {
    const { rows, total } = await top('queryid=-9');
    expect(rows).toEqual([
      expect.objectContaining({ queryid: '-9', database_name: 'shop', calls: 0, mean_exec_time: 0 }),
    ]);
    expect(total).toBe('1');
    expect((await top('queryid=1')).names).toEqual([
      ['shop', '1', 40],
      ['zoo', '1', 100],
    ]);
    expect((await top('queryid=nonsense')).rows).toEqual([]);
    // Of all statements nobody asked.
    expect(rows[0]).not.toHaveProperty('load_percent');
  });

  it('answer the course of their time, with gaps where nothing was counted', async () => {
    const { rows } = await top('order_by=calls&limit=3&course_buckets=12');
    const gap = Array.from({ length: 9 }, () => null);
    expect(
      rows.map(({ database_name, queryid, exec_time_course }) => [database_name, queryid, exec_time_course]),
    ).toEqual([
      ['zoo', '1', [1, null, null, ...gap]],
      ['shop', '1', [60, 20, 0, ...gap]],
      ['shop', '2', [10, 2, 0, ...gap]],
    ]);
    expect((await top('queryid=-9&course_buckets=12')).rows[0]?.exec_time_course).toEqual([0, 0, 0, ...gap]);
    expect((await top('offset=50&course_buckets=2')).rows).toEqual([]);
    expect((await top('limit=1')).rows[0]).not.toHaveProperty('exec_time_course');
  });

  it('are searched by their text as it is written, before they are counted and cut', async () => {
    const found = await top('search=ORDERS%20where');
    expect([found.names, found.total]).toEqual([[['shop', '1', 40]], '1']);
    expect(found.rows[0]?.load_percent).toBe(100);
    expect((await top('search=probe.')).names).toEqual([['shop', '4', 3]]);
    expect((await top('search=probe.&exclude_collector=true')).total).toBe('0');
    expect((await top('search=%25')).total).toBe('0');
    const second = await top('search=select&limit=1&offset=1');
    expect([second.names, second.total]).toEqual([[['shop', '2', 6]], '3']);
  });

  it('leave our own out on request, before they are counted and cut', async () => {
    const { names, total } = await top('exclude_collector=true&order_by=calls&limit=1&offset=3');
    expect([names, total]).toEqual([[['shop', '3', 2]], '4']);
    const beyond = await top('exclude_collector=true&offset=9');
    expect([beyond.rows, beyond.total]).toEqual([[], '4']);
  });
});

it('each statement is compared with what it cost in the window before', async () => {
  const path = `connection_id=${id}&start_time=${iso(T + 5 * MINUTE_MS)}&end_time=${iso(T + 10 * MINUTE_MS)}`;
  const reply = await test.call(`GET /api/v1/metrics/top-queries?${path}&compare=previous&order_by=calls`, {
    token: test.actors.owner.session,
  });
  expect(reply.error).toBeUndefined();
  const rows = reply.body as (Row & { compared: Record<string, number> | null })[];
  const brief = rows.map(({ queryid, calls, compared }) => [queryid, calls, compared?.calls]);
  // Of 2, which was reset, nobody knows what it did before that.
  expect(brief).toEqual([
    ['1', 10, 30],
    ['2', 1, 5],
  ]);
  expect(rows[0]?.compared).toEqual({
    calls: 30,
    total_exec_time: 60,
    mean_exec_time: 2,
    rows: 90,
    shared_blks_hit: 120,
    shared_blks_read: 30,
  });
  const unknown = await test.call(`GET /api/v1/metrics/top-queries?${path}&compare=day`, {
    token: test.actors.owner.session,
  });
  expect(unknown.body).toMatchObject([{ compared: null }, { compared: null }]);
  const plain = await test.call(`GET /api/v1/metrics/top-queries?${path}`, {
    token: test.actors.owner.session,
  });
  expect(plain.text).not.toContain('compared');
});

it.each([
  ['no connection', 'limit=1', /connection_id/],
  ['more than a hundred', 'connection_id=ID&limit=101', /limit/],
  ['an offset below zero', 'connection_id=ID&offset=-1', /offset/],
  ['an unknown order', 'connection_id=ID&order_by=query', /order_by/],
  ['no truth', 'connection_id=ID&exclude_collector=maybe', /exclude_collector/],
  ['half a window', 'connection_id=ID&end_time=2026-01-01T00:00:00Z', /come together/],
] as const)('%s is 400', async (_name, query, sentence) => {
  const path = `GET /api/v1/metrics/top-queries?${query.replace('ID', String(id))}`;
  const reply = await test.call(path, { token: test.actors.owner.session });
  expect(reply.status).toBe(400);
  expect(reply.error).toMatch(sentence);
});
