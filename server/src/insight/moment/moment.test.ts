// One instant of a server over HTTP, of samples that the test wrote, where everything is known beforehand.

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import type { Row } from '../../store/layout/types.ts';
import { historyApi, iso } from '../../testing/history-api.ts';
import { type CollectedRun, collected, collectedHistory } from '../../testing/store/collected.ts';
import type { MomentResponse } from './moment.contract.ts';
import { momentRoutes } from './moment.routes.ts';

type Moment = Static<typeof MomentResponse>;

const { api, T, connection, asked } = historyApi([momentRoutes]);

async function get(id: number, query = ''): Promise<Moment> {
  const { status, text, body } = await asked(`${id}/moment?${query}`);
  expect(status, text).toBe(200);
  return body as Moment;
}
const at = (id: number, second: number, more = '') => get(id, `at=${iso(T + second * SECOND_MS)}${more}`);

const session = (pid: number, more: Row = {}): Row => ({
  pid,
  datname: 'shop',
  usename: 'app',
  application_name: 'web',
  client_addr: '10.0.0.1',
  backend_type: 'client backend',
  state: 'active',
  wait_event_type: null,
  wait_event: null,
  query_id: '4611686018427387905',
  query: `query ${pid}`,
  backend_start: iso(T - HOUR_MS),
  xact_start: iso(T - 30 * SECOND_MS),
  query_start: iso(T - 20 * SECOND_MS),
  state_change: iso(T - 10 * SECOND_MS),
  ...more,
});

const active = (sessions: number, more: Row = {}): Row => ({
  state: 'active',
  wait_event_type: null,
  wait_event: null,
  datname: 'shop',
  usename: 'app',
  application_name: 'web',
  client_addr: '10.0.0.1',
  backend_type: 'client backend',
  query_id: '4611686018427387905',
  is_rest: false,
  sessions,
  oldest_xact_seconds: 20,
  oldest_query_seconds: 20,
  ...more,
});

const edge = (pid: number, blocking_pid: number): Row => ({
  pid,
  blocking_pid,
  root_pid: blocking_pid,
  depth: 1,
  datname: 'shop',
  usename: 'app',
  query: 'update stock set n = 2',
  locktype: 'transactionid',
  mode: 'ShareLock',
  lock_object: 'transaction 7',
  waitstart: iso(T),
  wait_seconds: 5,
  blocking_datname: 'shop',
  blocking_usename: 'batch',
  blocking_state: 'idle in transaction',
  blocking_query: 'update stock set n = 1',
  blocking_xact_start: iso(T - MINUTE_MS),
  blocking_xact_seconds: 65,
  blocking_idle_seconds: 60,
});

/** Runs of one server, at a second after T. */
const runsOf =
  (connection_id: number) =>
  (probe: string, second: number, rows: readonly Row[]): CollectedRun => ({
    connection_id,
    probe,
    at: T + second * SECOND_MS,
    rows,
  });

const LOCK = { wait_event_type: 'Lock', wait_event: 'transactionid' };

describe('a moment', () => {
  it('of which nothing is known says so, part by part', async () => {
    const id = await connection();
    const { sessions, locks, waits, settings, host, changes } = await at(id, 0);
    const never = { as_of: null, reason: 'Nothing has been collected of it on this server.' };
    expect(sessions).toEqual({ ...never, total_count: null, rows: null });
    expect(locks).toEqual({ ...never, waiting_count: null, root_count: null, nodes: null });
    expect(waits).toEqual({
      ...never,
      active_count: null,
      idle_in_transaction_count: null,
      classes: null,
      combinations: null,
    });
    expect(settings).toEqual({ ...never, rows: null });
    expect(host.disks).toEqual({ ...never, rows: null });
    expect(changes).toEqual({
      start_time: iso(T - 10 * MINUTE_MS),
      end_time: iso(T + 10 * MINUTE_MS),
      result: { events: [], total_count: 0 },
    });
  });

  it('is of the newest reading until then, and of none that is too old', async () => {
    const id = await connection();
    const run = runsOf(id);
    await collectedHistory(api().db, [
      run('pg_stat_activity', 0, [session(1)]),
      run('pg_stat_activity', 60, [session(2), session(3, { state: 'idle', xact_start: null })]),
    ]);
    expect((await at(id, 59)).sessions).toMatchObject({ as_of: iso(T), rows: [{ pid: 1 }] });
    const { sessions } = await at(id, 61.5);
    expect(sessions).toEqual({
      as_of: iso(T + 60 * SECOND_MS),
      reason: null,
      total_count: 2,
      rows: [
        {
          pid: 2,
          leader_pid: null,
          database: 'shop',
          user_name: 'app',
          application_name: 'web',
          client_address: '10.0.0.1',
          backend_type: 'client backend',
          state: 'active',
          wait_event_type: null,
          wait_event: null,
          queryid: '4611686018427387905',
          query: 'query 2',
          connected_at: iso(T - HOUR_MS),
          transaction_seconds: 90,
          query_seconds: 80,
          state_seconds: 70,
        },
        expect.objectContaining({ pid: 3, state: 'idle', transaction_seconds: null }),
      ],
    });
    expect((await at(id, 61, '&limit=1')).sessions).toMatchObject({ total_count: 2, rows: [{ pid: 2 }] });
    expect((await at(id, 60 + 151)).sessions).toEqual({
      as_of: null,
      reason: 'It was not read in the 3 minutes before this instant.',
      total_count: null,
      rows: null,
    });
    expect((await at(id, -1)).sessions.as_of).toBeNull();
  });

  it('counts what sessions waited for in that very second', async () => {
    const id = await connection();
    const run = runsOf(id);
    await collectedHistory(api().db, [
      run('pg_active_sessions', 0, [active(3)]),
      run('pg_active_sessions', 1, [active(2), active(4, LOCK), active(1, { state: 'idle in transaction' })]),
      run('pg_active_sessions', 2, []),
    ]);
    const { waits } = await at(id, 1.5);
    expect(waits).toMatchObject({
      as_of: iso(T + SECOND_MS),
      reason: null,
      active_count: 6,
      idle_in_transaction_count: 1,
      classes: [
        { wait_class: 'Lock', sessions: 4 },
        { wait_class: 'CPU', sessions: 2 },
      ],
    });
    expect(waits.combinations?.[0]).toEqual({
      sessions: 4,
      state: 'active',
      wait_event_type: 'Lock',
      wait_event: 'transactionid',
      database: 'shop',
      user_name: 'app',
      application_name: 'web',
      client_address: '10.0.0.1',
      backend_type: 'client backend',
      queryid: '4611686018427387905',
      is_rest: false,
      oldest_transaction_seconds: 20,
      oldest_query_seconds: 20,
    });
    expect((await at(id, 2)).waits).toMatchObject({
      as_of: iso(T + 2 * SECOND_MS),
      active_count: 0,
      classes: [],
    });
  });

  it('knows that nothing was blocked where the server was being read, and only there', async () => {
    const id = await connection();
    const run = runsOf(id);
    await collectedHistory(api().db, [
      run('pg_active_sessions', 0, [active(1), active(2, LOCK)]),
      run('pg_locks_tree', 2, [edge(2, 1), edge(3, 1)]),
      run('pg_locks_tree', 12, [edge(2, 1)]),
      ...[13, 20, 30, 40].map((second) => run('pg_active_sessions', second, [active(1)])),
      run('pg_active_sessions', 55, [active(1), active(2, LOCK)]),
      // Later runs that find nothing leave no rows.
      run('pg_locks_tree', 600, []),
    ]);
    expect((await at(id, 3)).locks).toMatchObject({
      as_of: iso(T + 2 * SECOND_MS),
      waiting_count: 2,
      root_count: 1,
      nodes: [{ pid: 1, blocked_count: 2 }, { pid: 2 }, { pid: 3 }],
    });
    expect((await at(id, 20)).locks).toMatchObject({ as_of: iso(T + 12 * SECOND_MS), waiting_count: 1 });
    expect((await at(id, 30)).locks).toEqual({
      as_of: iso(T + 30 * SECOND_MS),
      reason: 'Nothing was found in the 15 s before; sessions of the server were being sampled.',
      waiting_count: 0,
      root_count: 0,
      nodes: [],
    });
    // Two wait, and nobody has looked yet who for.
    expect((await at(id, 55)).locks).toEqual({
      as_of: null,
      reason: '2 sessions waited for a lock; who held it was not read before this instant.',
      waiting_count: null,
      root_count: null,
      nodes: null,
    });
    // Nobody read the server at all.
    expect((await at(id, 300)).locks.as_of).toBeNull();
    // The newest run says by itself that there was nothing.
    expect((await at(id, 610)).locks).toMatchObject({
      as_of: iso(T + 600 * SECOND_MS),
      reason: null,
      nodes: [],
    });
  });

  it('has settings as they were then, and nothing before they were first read', async () => {
    const id = await connection();
    const run = runsOf(id);
    const setting = (work_mem: string) => [
      { name: 'jit', setting: 'on', boot_val: 'on', unit: null, source: 'default' },
      { name: 'work_mem', setting: work_mem, boot_val: '4096', unit: 'kB', source: 'configuration file' },
    ];
    const look = (second: number, work_mem: string): CollectedRun => ({
      ...run('pg_settings', second, setting(work_mem)),
      history_by: ['name'],
    });
    const info = {
      ...run('pg_server_info', 0, [
        {
          server_version: '18.4',
          postmaster_start_time: iso(T - HOUR_MS),
          is_in_recovery: false,
          max_connections: 100,
        },
      ]),
      history_by: [],
    };
    for (const one of [info, look(0, '4096'), look(100, '7168'), look(200, '4096')])
      await collected(api().db, one);
    const rowsAt = async (second: number) => (await at(id, second)).settings;
    expect(await rowsAt(50)).toEqual({ as_of: iso(T + 50 * SECOND_MS), reason: null, rows: [] });
    expect(await rowsAt(150)).toEqual({
      as_of: iso(T + 150 * SECOND_MS),
      reason: null,
      rows: [
        { name: 'work_mem', value: '7168 kB', source: 'configuration file', since: iso(T + 100 * SECOND_MS) },
      ],
    });
    expect((await rowsAt(250)).as_of).toBe(iso(T + 200 * SECOND_MS));
    expect(await rowsAt(-1)).toEqual({
      as_of: null,
      reason: `It was read for the first time at ${shownTime(T)}, after this instant.`,
      rows: null,
    });
    const { server, changes } = await at(id, 150);
    expect(server).toMatchObject({ version: '18.4', started_at: iso(T - HOUR_MS), max_connections: 100 });
    expect(changes.result.events.map(({ event_type }) => event_type)).toEqual([
      'config_change',
      'config_change',
    ]);
  });

  it('has what commands, replication and the machine did', async () => {
    const id = await connection();
    const run = runsOf(id);
    await collectedHistory(api().db, [
      run('pg_stat_progress', 0, [
        {
          command: 'VACUUM',
          pid: 9,
          phase: 'scanning heap',
          unit: 'blocks',
          done: 30,
          total: 120,
          percent: 25,
          started_at: iso(T - MINUTE_MS),
        },
      ]),
      run('pg_stat_replication', 0, [
        {
          role: 'primary',
          pid: 7,
          application_name: 'b',
          state: 'streaming',
          sync_state: 'async',
          lag_bytes: 4096,
          replay_lag: 1,
        },
        { role: 'standby', pid: 8, receiver_status: 'streaming', replay_pause_state: 'paused' },
      ]),
      run('pg_replication_slots', 0, [
        { slot_name: 's', slot_type: 'physical', active: true, retained_bytes: 16 },
      ]),
      run('pg_sys_load_avg_info', 0, [{ load_avg_one_minute: 3 }]),
      run('pg_sys_memory_info', 0, [{ total_memory: 8_000_000_000, used_memory: 1 }]),
      run('pg_sys_disk_info', 0, [{ mount_point: '/', total_space: 10, used_space: 4, free_space: 6 }]),
      run('pg_sys_cpu_info', 0, [{ logical_processor: 4, model_name: 'x' }]),
      run('pg_sys_cpu_usage_info', 0, [{ processor_time_percent: 80, io_completion_percent: 2 }]),
    ]);
    const found = await at(id, 10);
    expect(found.progress.rows).toMatchObject([{ command: 'VACUUM', percent: 25, running_seconds: 60 }]);
    expect(found.replication.rows).toMatchObject([
      { lag_bytes: 4096, replay_lag_seconds: 1, replay_pause_state: null },
      { role: 'standby', replay_pause_state: 'paused' },
    ]);
    expect(found.slots.rows).toMatchObject([{ slot_name: 's', retained_bytes: 16 }]);
    expect(found.host).toMatchObject({
      cpu: { as_of: iso(T), busy_percent: 80, io_wait_percent: 2 },
      processors: { count: 4, model: 'x' },
      load: { one_minute: 3, fifteen_minutes: null },
      memory: { total_bytes: 8_000_000_000, swap_used_bytes: null },
      disks: { rows: [{ mount_point: '/', used_bytes: 4 }] },
    });
  });

  it('is the same once its hour is packed; of before what is kept it says so', async () => {
    const id = await connection();
    const run = runsOf(id);
    await collectedHistory(api().db, [
      run(
        'pg_stat_activity',
        0,
        Array.from({ length: 1000 }, (_none, n) => session(n + 1)),
      ),
      run('pg_active_sessions', 5, [active(2), active(4, LOCK)]),
      run('pg_locks_tree', 2, [edge(2, 1)]),
    ]);
    const before = await at(id, 6);
    expect(before.sessions.total_count).toBe(1000);
    const layouts = ['pg_stat_activity', 'pg_active_sessions', 'pg_locks_tree'].flatMap((name) => {
      const probe = probes.find((one) => one.name === name);
      return (probe && layoutOf(probe)) ?? [];
    });
    expect((await runCompaction({ db: api().db, layouts, now: systemClock.now() })).problems).toEqual([]);
    expect(await at(id, 6)).toEqual(before);
    // The packed hour holds it as well, but it says nothing of five minutes later.
    expect((await at(id, 300)).sessions.as_of).toBeNull();
    const longAgo = await get(id, `at=${iso(T - 30 * 24 * HOUR_MS)}`);
    expect(longAgo.sessions.reason).toBe('Samples are kept for 7 days; this instant is longer ago.');
  });

  it('takes four statements beside those of the timeline and of the log, however much there is', async () => {
    const id = await connection();
    const run = runsOf(id);
    await collectedHistory(api().db, [
      run('pg_active_sessions', 0, [active(1)]),
      run('pg_stat_activity', 0, [session(1)]),
      run('pg_locks_tree', 0, [edge(2, 1)]),
    ]);
    await at(id, 1);
    const names = api().statements.sent.map((text) => /\/\*\s*(\S+)\s*\*\//.exec(text)?.[1] ?? text);
    expect(names.toSorted()).toEqual([
      'access.authenticate',
      'server_logs.counts',
      'server_logs.gaps',
      'server_logs.grave_minutes',
      'server_logs.source',
      // Which databases lack tables or indexes that were there: none here.
      'store.databases_without',
      'store.fact_events',
      'store.moment_facts',
      'store.moment_plan',
      'store.object_names',
      // Tables, indexes and statements that came.
      'store.objects_made',
      'store.read_stored',
      'timeline.servers',
      'timeline.stored_events',
    ]);
  });
});

describe('refusals of a moment', () => {
  it.each([
    ['what is no time', 'at=yesterday', /at/],
    ['a leap second, of which PostgreSQL knows nothing', 'at=2016-12-31T23:59:60Z', /at must be a time/],
    ['the future', 'at=2999-01-01T00:00:00Z', /is in the future/],
    ['too many sessions', 'limit=1001', /limit/],
  ] as const)('%s is 400', async (_name, query, sentence) => {
    const reply = await asked(`${api().actors.own_connection}/moment?${query}`);
    expect([reply.status, reply.error]).toEqual([400, expect.stringMatching(sentence)]);
  });

  it('the ends of time are answered', async () => {
    const id = api().actors.own_connection;
    for (const text of ['0001-01-01T00:00:00Z', '2016-12-31T23:59:59Z', '2026-01-01t00:00:00z'])
      expect((await get(id, `at=${text}`)).sessions.as_of).toBeNull();
  });

  it('whoever may not read the connection is told nothing of it', async () => {
    const path = `GET /api/v1/connections/${api().actors.own_connection}/moment`;
    expect((await api().call(path, { token: api().actors.other.session })).status).toBe(403);
    expect((await api().call(path)).status).toBe(401);
  });
});
