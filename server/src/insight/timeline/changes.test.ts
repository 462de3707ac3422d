// What is different between two times over HTTP, of readings that the test wrote: statements that became slower by a known
// factor, kinds apart from each other, clusters, access, refusals, and what it costs the datastore.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { makeSession, makeToken } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { collected, collectedHistory } from '../../testing/store/collected.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import type { ChangesResult } from './changes.contract.ts';
import { timelineRoutes } from './timeline.routes.ts';

type Result = Static<typeof ChangesResult>;

let store: Storing;
let api: TestApi;
let token: string;
let now: number;
beforeAll(async () => {
  store = await storing();
  for (const table of ['users', 'connections'])
    await store.db.run({
      text: "select setval(pg_get_serial_sequence('matriarch.' || $1, 'id'), 1000)",
      values: [table],
    });
  api = await startTestApi({ rooms: [timelineRoutes], database: store });
  token = await makeSession(store.db, 1);
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from date_trunc('minute', now())) * 1000)::bigint as now`,
  ));
});
afterAll(() => api.close());

const iso = (minutesAgo: number) => new Date(now - minutesAgo * MINUTE_MS).toISOString();
const windowed = (from: number, to: number) => `start_time=${iso(from)}&end_time=${iso(to)}`;
const call = (query: string, as = token) => api.call(`GET /api/v1/changes?${query}`, { token: as });

async function changes(query: string, as = token): Promise<Result> {
  const { status, text } = await call(query, as);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  const result: Result = JSON.parse(text);
  return result;
}

const kindOf = ({ kinds }: Result, type: string) => kinds.find(({ event_type }) => event_type === type);

/** Calls and milliseconds of a statement every five minutes for two hours, by how long a call took in each hour. */
async function statements(id: number): Promise<void> {
  const rates: [queryid: string, calls: number, before: number, after: number][] = [
    ['1', 10, 2, 6],
    ['-2', 10, 5, 5],
    ['3', 1, 0.1, 1],
    ['4', 10, 6, 2],
  ];
  const totals = new Map<string, { calls: number; ms: number }>();
  const runs = [];
  for (let minutes = 120; minutes >= 0; minutes -= 5) {
    const rows = rates.map(([queryid, calls, before, after]) => {
      const total = totals.get(queryid) ?? { calls: 0, ms: 0 };
      totals.set(queryid, total);
      if (minutes < 120) {
        total.calls += calls;
        total.ms += calls * (minutes < 60 ? after : before);
      }
      const { calls: all, ms } = total;
      return {
        userid: 1,
        dbid: 2,
        toplevel: true,
        queryid,
        username: 'ada',
        calls: all,
        total_exec_time: ms,
      };
    });
    const fresh = {
      userid: 1,
      dbid: 2,
      toplevel: true,
      queryid: '9',
      username: 'ada',
      calls: 0,
      total_exec_time: 0,
    };
    // The collector's own statement is new as well, and no news.
    if (minutes <= 30) rows.push({ ...fresh, calls: 1 }, { ...fresh, queryid: '10', calls: 1 });
    runs.push({
      connection_id: id,
      probe: 'pg_stat_statements',
      database_name: 'shop',
      at: now - minutes * MINUTE_MS,
      rows,
    });
  }
  await collectedHistory(store.db, runs);
  await store.db.run({
    text: `insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text)
      values ($1, 'shop', 1, 1, true, 'select $1'), ($1, 'shop', 9, 1, true, 'select fresh'),
        ($1, 'shop', 10, 1, true, 'select /* probe.pg_class */ 1')`,
    values: [id],
  });
}

it('finds the statement that became slower, and the new one, and says by how much', async () => {
  const id = await store.leased();
  await statements(id);
  const found = await changes(`${windowed(60, 0)}&connection_id=${id}`);
  // Of 12 readings of an hour: 10 calls of 6, 5 and 2 ms, and one of 1 ms.
  expect(found.slower_statements).toEqual({
    total_count: 1,
    previous_start_time: iso(120),
    statements: [
      {
        connection_id: id,
        server_name: `c${id}`,
        database: 'shop',
        queryid: '1',
        query_text: 'select $1',
        mean_time_ms: expect.closeTo(6, 6),
        previous_mean_time_ms: expect.closeTo(2, 6),
        factor: expect.closeTo(3, 6),
        calls: expect.closeTo(120, 6),
        total_time_ms: expect.closeTo(720, 6),
        load_percent: expect.closeTo((100 * 60) / 131, 6),
      },
    ],
  });
  expect(kindOf(found, 'statement_new')).toMatchObject({
    total_count: 1,
    events: [
      {
        id: `statement-new-${id}-${iso(30)}`,
        title: 'Statement select fresh seen for the first time',
        details: {
          change_count: 1,
          changes: [
            {
              database: 'shop',
              queryid: '9',
              user_name: 'ada',
              query_text: 'select fresh',
              change_type: 'added',
            },
          ],
        },
      },
    ],
  });
  // In the datastore that the product brings they are its own.
  await store.db.run(sql`update matriarch.connections set is_embedded = true where id = ${id}`);
  const ours = await changes(`${windowed(60, 0)}&connection_id=${id}`);
  expect(kindOf(ours, 'statement_new')).toMatchObject({ total_count: 0, events: [] });
  await store.db.run(sql`update matriarch.connections set is_embedded = false where id = ${id}`);
});

it('keeps kinds apart, each with its own limit and count, and says what it leaves out', async () => {
  const id = await store.leased();
  const setting = (minutes: number, value: string) => ({
    connection_id: id,
    probe: 'pg_settings',
    at: now - minutes * MINUTE_MS,
    history_by: ['name'],
    rows: [{ name: 'jit', setting: value, unit: null }],
  });
  const role = (minutes: number, is_in_recovery: boolean) => ({
    connection_id: id,
    probe: 'pg_server_info',
    at: now - minutes * MINUTE_MS,
    history_by: [],
    rows: [{ is_in_recovery, server_version: '18.4', postmaster_start_time: iso(999) }],
  });
  const looks = [
    setting(50, 'on'),
    setting(40, 'off'),
    setting(30, 'on'),
    setting(20, 'off'),
    role(50, true),
    role(45, false),
  ];
  for (const look of looks) await collected(store.db, look);
  const found = await changes(`${windowed(60, 0)}&connection_id=${id}&limit=2`);
  expect(
    found.kinds.map(({ event_type, total_count, events }) => [event_type, total_count, events.length]),
  ).toEqual([
    ['restart', 0, 0],
    ['role_change', 1, 1],
    ['version_change', 0, 0],
    ['config_change', 3, 2],
    ['role_setting_change', 0, 0],
    ['hba_change', 0, 0],
    ['ident_change', 0, 0],
    ['extension_change', 0, 0],
    ['table_made', 0, 0],
    ['table_dropped', 0, 0],
    ['index_made', 0, 0],
    ['index_dropped', 0, 0],
    ['statement_new', 0, 0],
  ]);
  expect([found.start_time, found.end_time, found.server_count]).toEqual([iso(60), iso(0), 1]);
  // The newest of all kinds, whatever of each is listed.
  const last = await changes(`${windowed(60, 0)}&connection_id=${id}&limit=1&with_last_changes=true`);
  expect(last.last_changes).toEqual([
    { connection_id: id, occurred_at: iso(20), title: expect.stringContaining('jit') },
  ]);
  expect(kindOf(last, 'config_change')?.events).toHaveLength(1);
  expect(found.last_changes).toBeUndefined();
  while ((await changes(windowed(60, 0))).server_count <= 20) await store.leased();
  const many = await changes(windowed(60, 0));
  expect(kindOf(many, 'index_dropped')).toEqual({
    event_type: 'index_dropped',
    total_count: null,
    reason: expect.stringContaining('at most 20 servers'),
    events: [],
  });
  expect(many.slower_statements).toMatchObject({
    total_count: null,
    reason: expect.stringContaining('at most 20 servers'),
    statements: [],
  });
  expect(kindOf(many, 'config_change')?.total_count).toBe(3);
});

it('takes a cluster, and shows of it what the caller may see', async () => {
  const [a, b] = [await store.leased(), await store.leased()];
  const { id } = await store.db.one<{ id: number }>(
    sql`/* test.cluster */ insert into matriarch.clusters (name) values ('orders') returning id`,
  );
  await store.db.run(sql`/* test.join */
    update matriarch.connections set cluster_id = ${id}, is_shared = id = ${a} where id in (${a}, ${b})`);
  const countOf = async (as: string) =>
    (await changes(`${windowed(60, 0)}&cluster_id=${id}`, as)).server_count;
  const { other } = api.actors;
  expect(await countOf(token)).toBe(2);
  expect(await countOf(other.session)).toBe(1);
  const onlyB = await makeToken(store.db, 1, {
    scope: { connections: [{ connection_id: b, level: 'read' }] },
  });
  expect(await countOf(onlyB)).toBe(1);
  const none = await makeToken(store.db, 1, { scope: { connections: [] } });
  expect((await call(`${windowed(60, 0)}&cluster_id=${id}`, none)).status).toBe(404);
  expect((await call(`${windowed(60, 0)}&cluster_id=${id + 1000}`)).status).toBe(404);
  expect((await call(`${windowed(60, 0)}&connection_id=${b}`, other.session)).status).toBe(403);
});

it.each([
  ['start_time=2026-01-01T00:00:00Z', 'end_time'],
  ['start_time=2026-01-01T00:00:00Z&end_time=2025-01-01T00:00:00Z', 'later than start_time'],
  ['start_time=2024-01-01T00:00:00Z&end_time=2026-01-01T00:00:00Z', 'at most 366 days'],
  ['start_time=0001-01-01T00:00:00Z&end_time=0001-01-02T00:00:00Z', 'at most 366 days'],
  ['start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z&limit=501', 'limit'],
  ['start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z&connection_id=1&cluster_id=1', 'not both'],
])('%s is refused with 400 that names what is wrong', async (query, says) => {
  const { status, error } = await call(query);
  expect([status, error]).toEqual([400, expect.stringContaining(says)]);
});

it('every time that can be named has an answer', async () => {
  const { status } = await api.call(
    'GET /api/v1/timeline/events?start_time=0001-01-01T00:00:00Z&end_time=9999-12-31T23:59:59.999Z' +
      '&include=changes&connection_id=1',
    { token },
  );
  expect(status).toBe(200);
});

it('costs as many statements for all kinds as for one', async () => {
  api.statements.reset();
  // Of no window that a test before asked for: a costly answer is kept for a minute.
  await changes(`${windowed(60, 0)}&connection_id=1&limit=7`);
  const counts = new Map<string, number>();
  for (const text of api.statements.sent) {
    const name = /\/\*\s*(\S+)/.exec(text)?.[1] ?? text;
    // Uses of tokens are noted in the background, also those of the tests before.
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  expect(Object.fromEntries(counts)).toEqual({
    'access.authenticate': 1,
    'timeline.servers': 1,
    'store.fact_events': 1,
    'store.objects_made': 1,
    // Which databases lack tables or indexes that were there; which statements are a large share, and of those alone what they cost
    // before, with their texts.
    'store.databases_without': 1,
    'store.read_stored': 2,
    'store.query_texts': 1,
  });
});
