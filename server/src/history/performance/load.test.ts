// The load over HTTP, of samples that the test wrote, where every number is known beforehand. Of real sessions: load.proof.test.ts.

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import { probe } from '../../probes/pg-active-sessions.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import type { Row } from '../../store/layout/types.ts';
import { between, historyApi, iso } from '../../testing/history-api.ts';
import { collected, collectedHistory } from '../../testing/store/collected.ts';
import type { LoadResponse } from './load.contract.ts';
import { performanceRoutes } from './performance.routes.ts';

type Load = Static<typeof LoadResponse>;

const { api, T, connection, asked } = historyApi([performanceRoutes]);

const sent = () => api().statements.sent.filter((text) => /\/\* store\./.test(text));
async function get(id: number, query: string): Promise<Load> {
  const { status, text, body } = await asked(`${id}/load?${query}`);
  expect(status, text).toBe(200);
  expect(sent().length).toBeLessThanOrEqual(3);
  return body as Load;
}

const combination = (sessions: number, more: Row = {}): Row => ({
  state: 'active',
  wait_event_type: null,
  wait_event: null,
  datname: 'shop',
  usename: 'app',
  application_name: 'web',
  client_addr: '10.0.0.1',
  backend_type: 'client backend',
  query_id: null,
  is_rest: false,
  sessions,
  oldest_xact_seconds: 0,
  oldest_query_seconds: 0,
  ...more,
});

/** Every second from one to the other, both inclusive. */
const everySecond = (id: number, [from, to]: readonly [number, number], rows: readonly Row[]) =>
  Array.from({ length: (to - from) / SECOND_MS + 1 }, (_none, n) => ({
    connection_id: id,
    probe: probe.name,
    at: from + n * SECOND_MS,
    rows,
  }));

const valuesOf = ({ members }: Load) =>
  Object.fromEntries(members.map(({ name, is_rest, values }) => [is_rest ? '(rest)' : String(name), values]));

async function compact(now: number): Promise<void> {
  const layout = layoutOf(probe);
  const { problems } = await runCompaction({ db: api().db, layouts: layout ? [layout] : [], now });
  expect(problems).toEqual([]);
}

describe('the load', () => {
  it('is stacked by class of wait; a gap is null, what was calm is zero', async () => {
    const id = await connection();
    const lock = { wait_event_type: 'Lock', wait_event: 'transactionid' };
    await collectedHistory(api().db, [
      ...everySecond(id, [T, T + 60 * SECOND_MS], [combination(2)]),
      ...everySecond(id, [T + 61 * SECOND_MS, T + 120 * SECOND_MS], [combination(1), combination(3, lock)]),
      ...everySecond(id, [T + 240 * SECOND_MS, T + 300 * SECOND_MS], []),
    ]);
    const found = await get(id, `${between(T, T + 5 * MINUTE_MS)}&buckets=5`);
    expect(found).toEqual({
      connection_id: id,
      split_by: 'wait_class',
      bucket_seconds: 60,
      start_time: iso(T),
      end_time: iso(T + 5 * MINUTE_MS),
      coverage: expect.closeTo((120 + 2.5 + 60) / 300, 2),
      read: [
        {
          tier: 'samples',
          resolution_seconds: 1,
          members_per_span: null,
          start_time: iso(T),
          end_time: iso(T + 5 * MINUTE_MS),
        },
      ],
      processors: {
        count: null,
        reason: 'No source has told yet how many processors the machine of the server has.',
        as_of: null,
      },
      total: { mean: expect.any(Number), values: [2, 4, null, 0, 0] },
      members: [
        { name: 'CPU', is_rest: false, mean: expect.any(Number), values: [2, 1, null, 0, 0] },
        { name: 'Lock', is_rest: false, mean: expect.any(Number), values: [0, 3, null, 0, 0] },
      ],
      members_reason: null,
    });
  });

  it('is split by what was asked: the ten largest, and the rest as one', async () => {
    const id = await connection();
    const rows = Array.from({ length: 13 }, (_none, n) =>
      combination(20 - n, { application_name: `a${n}`, client_addr: null, usename: n < 2 ? 'ada' : 'app' }),
    );
    const sums = combination(5, {
      is_rest: true,
      wait_event_type: 'IO',
      application_name: null,
      client_addr: null,
      usename: null,
      datname: null,
    });
    const idle = combination(100, { state: 'idle in transaction', application_name: 'idle' });
    await collectedHistory(api().db, everySecond(id, [T, T + MINUTE_MS], [...rows, sums, idle]));
    const window = `${between(T, T + MINUTE_MS)}&buckets=1`;
    const total = rows.reduce((sum, { sessions }) => sum + Number(sessions), 5);
    const applications = await get(id, `${window}&split_by=application`);
    expect(valuesOf(applications)).toEqual({
      ...Object.fromEntries(Array.from({ length: 10 }, (_none, n) => [`a${n}`, [20 - n]])),
      '(rest)': [10 + 9 + 8 + 5],
    });
    expect(applications.members.at(-1)).toMatchObject({ name: null, is_rest: true });
    expect(applications.total.values).toEqual([total]);
    expect(valuesOf(await get(id, `${window}&split_by=user`))).toEqual({
      app: [total - 39 - 5],
      ada: [39],
      '(rest)': [5],
    });
    // A socket has no address.
    expect(valuesOf(await get(id, `${window}&split_by=client`))).toEqual({
      null: [total - 5],
      '(rest)': [5],
    });
    expect(valuesOf(await get(id, `${window}&split_by=wait_class`))).toEqual({ CPU: [total - 5], IO: [5] });
    expect(valuesOf(await get(id, `${window}&split_by=wait_event`))).toEqual({
      CPU: [total - 5],
      '(rest)': [5],
    });
    expect(valuesOf(await get(id, `${window}&split_by=database`))).toEqual({
      shop: [total - 5],
      '(rest)': [5],
    });
  });

  it('ranks by the time that was spent within the window', async () => {
    const id = await connection();
    const by = (query_id: string, sessions: number) => combination(sessions, { query_id });
    await api().db.run(sql`/* test.text */
      insert into metrics.queries (connection_id, database_name, userid, queryid, toplevel, query_text, first_seen, last_seen)
      values (${id}, 'shop', 10, -7::bigint, true, 'select $1', now(), now())`);
    await collectedHistory(api().db, [
      ...everySecond(id, [T, T + 19 * SECOND_MS], [by('5', 50), by('99', 70)]),
      ...everySecond(id, [T + 20 * SECOND_MS, T + 40 * SECOND_MS], [by('5', 1), by('-7', 2)]),
    ]);
    const found = await get(
      id,
      `${between(T + 20 * SECOND_MS, T + 40 * SECOND_MS)}&split_by=statement&buckets=1`,
    );
    expect(found.members).toEqual([
      {
        name: '-7',
        is_rest: false,
        database: 'shop',
        query_text: 'select $1',
        mean: expect.closeTo(2, 6),
        values: [expect.closeTo(2, 6)],
      },
      {
        name: '5',
        is_rest: false,
        database: 'shop',
        query_text: null,
        mean: expect.closeTo(1, 6),
        values: [expect.closeTo(1, 6)],
      },
    ]);
  });

  it('compares two windows on one grid, with the members of the first', async () => {
    const id = await connection();
    await collectedHistory(api().db, [
      ...everySecond(id, [T, T + MINUTE_MS], [combination(4, { usename: 'ada' })]),
      ...everySecond(id, [T + 61 * SECOND_MS, T + 2 * MINUTE_MS], [combination(1)]),
    ]);
    const found = await get(
      id,
      `${between(T + MINUTE_MS, T + 2 * MINUTE_MS)}&buckets=2&compare=previous&split_by=user`,
    );
    expect(found.compared).toMatchObject({ start_time: iso(T), end_time: iso(T + MINUTE_MS), coverage: 1 });
    expect(found.total).toEqual({ mean: 1, values: [1, 1], compared_mean: 4, compared: [4, 4] });
    expect(found.members).toMatchObject([
      { name: 'app', values: [1, 1], compared: [0, 0] },
      { name: 'ada', values: [0, 0], compared: [4, 4] },
    ]);
    const yesterday = await get(id, `${between(T + MINUTE_MS, T + 2 * MINUTE_MS)}&buckets=2&compare=day`);
    expect(yesterday.compared).toMatchObject({
      start_time: iso(T + MINUTE_MS - 24 * HOUR_MS),
      coverage: 0,
      read: [],
    });
    expect(yesterday.total).toMatchObject({ values: [1, 1], compared_mean: null, compared: [null, null] });
  });

  it('says which processors there are to compare with, and when that was told', async () => {
    const id = await connection();
    const at = T + MINUTE_MS;
    const row = { logical_processor: 16, model_name: 'x' };
    await collected(api().db, { connection_id: id, probe: 'pg_sys_cpu_info', at, rows: [row] });
    const limit = {
      kind: 'value',
      field: 'cgroup_cpu_limit',
      value: 1.5,
      source: 'local',
      observed_at: iso(at),
    };
    expect((await get(id, 'time_range=1h')).processors).toEqual({ count: 16, reason: null, as_of: iso(at) });
    await collected(api().db, { connection_id: id, probe: 'host', at, rows: [limit] });
    expect((await get(id, 'time_range=1h')).processors).toEqual({ count: 1.5, reason: null, as_of: iso(at) });
    const other = await connection();
    const skipped = { reason: 'No source knows this.', mend: null };
    await collected(api().db, { connection_id: other, probe: 'pg_sys_cpu_info', skipped });
    expect((await get(other, 'time_range=1h')).processors).toEqual({
      count: null,
      reason: 'No source knows this.',
      as_of: null,
    });
  });
});

describe('rollups', () => {
  it('serve wide buckets, and whatever is older than the samples, and say so', async () => {
    const id = await connection();
    const lock = { wait_event_type: 'Lock', wait_event: 'relation' };
    await collectedHistory(
      api().db,
      everySecond(id, [T, T + HOUR_MS], [combination(2), combination(1, lock)]),
    );
    await compact(systemClock.now());
    const wide = await get(id, `${between(T, T + HOUR_MS)}&buckets=6`);
    expect(wide.read).toEqual([
      {
        tier: '1m',
        resolution_seconds: 60,
        members_per_span: null,
        start_time: iso(T),
        end_time: iso(T + HOUR_MS),
      },
    ]);
    expect(valuesOf(wide)).toEqual({
      CPU: Array.from({ length: 6 }, () => expect.closeTo(2, 4)),
      Lock: Array.from({ length: 6 }, () => expect.closeTo(1, 4)),
    });
    const narrow = `${between(T + 30 * MINUTE_MS, T + 33 * MINUTE_MS)}&buckets=6`;
    expect((await get(id, narrow)).read).toMatchObject([{ tier: 'samples' }]);
    // As retention leaves it: samples and minutes go, quarters of an hour stay.
    await api().db.run(
      sql`/* test.trim */ delete from metrics.pg_active_sessions__ticks where connection_id = ${id}`,
    );
    await api().db.run(
      sql`/* test.trim */ delete from metrics.pg_active_sessions__packed where connection_id = ${id}`,
    );
    await api().db.run(
      sql`/* test.trim */ delete from metrics.pg_active_sessions__m1 where connection_id = ${id}`,
    );
    const old = await get(id, narrow);
    expect(old.read).toEqual([
      {
        tier: '15m',
        resolution_seconds: 900,
        members_per_span: null,
        start_time: iso(T + 30 * MINUTE_MS),
        end_time: iso(T + 33 * MINUTE_MS),
      },
    ]);
    expect(valuesOf(old)).toEqual({
      CPU: Array.from({ length: 6 }, () => expect.closeTo(2, 4)),
      Lock: Array.from({ length: 6 }, () => expect.closeTo(1, 4)),
    });
    expect(old.coverage).toBeCloseTo(1, 3);
    const byUser = await get(id, `${narrow}&split_by=user`);
    const three = Array.from({ length: 6 }, () => expect.closeTo(3, 4));
    expect(valuesOf(byUser)).toEqual({ app: three });
    expect(byUser.read).toMatchObject([{ tier: '15m', members_per_span: 20 }]);
    expect([byUser.total.values, byUser.members_reason]).toEqual([three, null]);
    // As rollups of older versions are.
    await api().db.run(
      sql`/* test.older */ update metrics.pg_active_sessions__m15 set by_user = null where connection_id = ${id}`,
    );
    const unknown = await get(id, `${narrow}&split_by=user`);
    expect([unknown.members, unknown.total.values]).toEqual([[], three]);
    expect(unknown.members_reason).toMatch(/only the class of wait is known/);
  });

  it('tell over a day and longer who the sessions were: the largest, and that it is only those', async () => {
    const id = await connection();
    await api().db.run(sql`/* test.text */
      insert into metrics.queries (connection_id, database_name, userid, queryid, toplevel, query_text, first_seen, last_seen)
      values (${id}, 'shop', 10, 31::bigint, true, 'select $1', now(), now())`);
    const rows = Array.from({ length: 31 }, (_none, n) => combination(n + 1, { query_id: String(n + 1) }));
    await collectedHistory(api().db, everySecond(id, [T, T + 15 * MINUTE_MS], rows));
    await compact(systemClock.now());
    const window = between(T - 24 * HOUR_MS, T + HOUR_MS);
    const found = await get(id, `${window}&buckets=25&split_by=statement&compare=day`);
    expect(found.read).toEqual([
      {
        tier: '1h',
        resolution_seconds: 3600,
        members_per_span: 20,
        start_time: expect.any(String),
        end_time: iso(T + HOUR_MS),
      },
    ]);
    expect(found.members.map(({ name, is_rest }) => (is_rest ? 'rest' : name))).toEqual([
      ...Array.from({ length: 10 }, (_none, n) => String(31 - n)),
      'rest',
    ]);
    expect(found.members[0]).toMatchObject({ database: 'shop', query_text: 'select $1' });
    expect(found.members.map(({ values }) => values.at(-1))).toEqual(
      [31, 30, 29, 28, 27, 26, 25, 24, 23, 22, (21 * 22) / 2].map((n) => expect.closeTo(n, 2)),
    );
    expect(found.members[0]?.values.slice(0, 23)).toEqual(Array.from({ length: 23 }, () => null));
    expect(found.members_reason).toMatch(/only the 20 largest/);
  });
});

describe('refusals of the load', () => {
  it.each([
    ['an unknown split', 'split_by=mood', /split_by/],
    ['too many buckets', 'buckets=501', /buckets/],
    ['half a window', 'start_time=2026-01-01T00:00:00Z', /come together/],
    ['an unknown comparison', 'compare=year', /compare/],
    [
      'a comparison with what was before the year 1',
      'start_time=0001-01-02T00:00:00Z&end_time=0001-01-03T00:00:00Z&compare=week',
      /before the year 1/,
    ],
  ] as const)('%s is 400', async (_name, query, sentence) => {
    const id = api().actors.own_connection;
    const reply = await asked(`${id}/load?${query}`);
    expect([reply.status, reply.error]).toEqual([400, expect.stringMatching(sentence)]);
  });

  it('whoever may not read the connection is told nothing of it', async () => {
    const path = `GET /api/v1/connections/${api().actors.own_connection}/load`;
    expect((await api().call(path, { token: api().actors.other.session })).status).toBe(403);
    expect((await api().call(path)).status).toBe(401);
  });
});
