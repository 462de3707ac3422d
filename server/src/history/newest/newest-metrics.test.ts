// Newest values of metrics on a real datastore: each kind of declaration, with the number known beforehand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { metricOf } from '../../probes/metrics.ts';
import { type CollectedRun, collectedHistory } from '../../testing/store/collected.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import type { ValueFilter } from './newest.types.ts';
import { newestMetrics } from './newest-metrics.ts';

let store: Storing;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from date_trunc('minute', now())) * 1000)::bigint as now`,
  ));
});
afterAll(() => store.close());

const ago = (minutes: number) => now - minutes * MINUTE_MS;
const iso = (minutes: number) => new Date(ago(minutes)).toISOString();

/** Of that name as rules know it, of these connections. */
async function valuesOf(name: string, ...connection_ids: number[]) {
  return (await asked(name, connection_ids)).found;
}
async function asked(name: string, connection_ids: number[], isWanted?: ValueFilter) {
  const probe = probes.find((one) => metricOf(one, name)?.wireName === name);
  const metric = probe && metricOf(probe, name);
  if (!probe || !metric) throw new Error(`there is no metric ${name}`);
  const db = countedDb(store.db);
  const [found = []] = await newestMetrics(db, { probe, metrics: [metric], connection_ids, now, isWanted });
  expect(db.sent.length).toBeLessThanOrEqual(3);
  const isNamed = db.sent.some((text) => text.includes('store.object_names'));
  return { found, isNamed };
}
const numbersOf = async (name: string, ...ids: number[]) =>
  (await valuesOf(name, ...ids)).map(({ value }) => value);

const write = (...runs: CollectedRun[]) => collectedHistory(store.db, runs);
/** A run that many minutes ago. */
type Run = [connection_id: number, probe: string, minutes: number, rows?: CollectedRun['rows']];
const run = (...[connection_id, probe, minutes, rows = []]: Run) => ({
  connection_id,
  probe,
  at: ago(minutes),
  rows,
});

describe('sessions', () => {
  const session = (pid: number, more: Record<string, unknown>) => ({
    pid,
    backend_type: 'client backend',
    state: 'idle',
    wait_event_type: null,
    xact_start: null,
    query_start: iso(50),
    state_change: iso(50),
    ...more,
  });

  it('are counted and aged, of several servers at once', async () => {
    const [busy, calm] = [await store.leased(), await store.leased()];
    await write(
      run(busy, 'pg_stat_activity', 1, [
        { pid: 1, backend_type: 'checkpointer', query_start: null },
        session(2, { state: 'active', query_start: iso(3), xact_start: iso(4) }),
        session(3, {
          ...{ state: 'active', wait_event_type: 'Lock', query_start: iso(3), xact_start: iso(3) },
          waitstart: iso(2),
        }),
        session(4, { state: 'idle in transaction', state_change: iso(6), xact_start: iso(11) }),
      ]),
      run(calm, 'pg_stat_activity', 2, [{ pid: 1, backend_type: 'checkpointer' }]),
      { ...run(busy, 'pg_server_info', 10, [{ max_connections: 12 }]), history_by: [] },
    );
    const of = (name: string) => numbersOf(`pg_stat_activity.${name}`, busy, calm);
    expect(await of('count')).toEqual([4, 1]);
    expect(await of('blocked_count')).toEqual([1, 0]);
    expect(await of('max_query_duration_seconds')).toEqual([120, 0]);
    expect(await of('max_xact_duration_seconds')).toEqual([600, 0]);
    expect(await of('idle_in_transaction_seconds')).toEqual([300, 0]);
    expect(await of('max_lock_wait_seconds')).toEqual([60, 0]);
    expect(await valuesOf('connection_utilization_percent', busy, calm)).toMatchObject([
      { connection_id: busy, at: iso(1), value: 25 },
      { connection_id: calm, at: iso(2), value: null },
    ]);
  });
});

describe('levels of rows', () => {
  it('are of each entity, by name', async () => {
    const id = await store.leased();
    await write(
      run(id, 'pg_replication_slots', 1, [
        { slot_name: 'a', active: true, retained_bytes: 10 },
        { slot_name: 'b', active: false, retained_bytes: 2 ** 30 },
      ]),
      run(id, 'pg_database', 1, [{ datname: 'shop', age_datfrozenxid: 1_073_741_824 }]),
      run(id, 'pg_stat_replication', 1, [{ role: 'standby', pid: 0, lag_bytes: 7, application_name: 's1' }]),
      run(id, 'pg_stat_subscription', 1, [
        { subid: '16400', subname: 'orders', datname: 'shop', pid: 0, is_stopped: true },
      ]),
      run(id, 'pg_sys_disk_info', 1, [
        // A tenth is reserved for root: df says 28 %.
        { mount_point: '/', total_space: 200, used_space: 50, free_space: 130 },
        { mount_point: '/data', total_space: 0, used_space: 0, free_space: 0 },
      ]),
      run(id, 'pg_sys_cpu_info', 1, [{ logical_processor: 4 }]),
      run(id, 'pg_sys_load_avg_info', 1, [{ load_avg_fifteen_minutes: 6 }]),
    );
    const of = async (name: string) =>
      (await valuesOf(name, id)).map(({ object, value }) => [Object.values(object).at(-1), value]);
    expect(await of('pg_replication_slots.inactive')).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    expect(await of('pg_replication_slots.max_retained_bytes')).toEqual([
      ['a', 10],
      ['b', 2 ** 30],
    ]);
    expect(await of('age_percent')).toEqual([['shop', expect.closeTo(50, 6)]]);
    expect(await of('pg_stat_replication.standby_disconnected')).toEqual([['s1', 1]]);
    expect(await of('pg_stat_replication.lag_bytes')).toEqual([['s1', 7]]);
    expect(await valuesOf('pg_node_role.subscription_worker_down', id)).toMatchObject([
      { object: { subname: 'orders', datname: 'shop' }, value: 1 },
    ]);
    expect(await of('pg_sys_disk_info.used_percent')).toEqual([
      ['/', expect.closeTo((100 * 50) / 180, 6)],
      ['/data', null],
    ]);
    expect(await of('pg_sys_load_avg_info.load_per_cpu')).toEqual([[undefined, 1.5]]);
  });

  it('are of facts in force, of one of them', async () => {
    const id = await store.leased();
    await write({
      ...run(id, 'pg_settings', 1, [
        { name: 'max_connections', setting: '250' },
        { name: 'work_mem', setting: '4096' },
      ]),
      history_by: ['name'],
    });
    expect(await numbersOf('pg_settings.max_connections', id)).toEqual([250]);
  });

  it('count none where a run found none, and nothing where there was no run', async () => {
    const [id, never] = [await store.leased(), await store.leased()];
    await write({ ...run(id, 'spock_resolutions', 1), database_name: 'shop' });
    expect(await valuesOf('spock_resolutions.recent_count', id, never)).toEqual([
      { connection_id: id, database_name: 'shop', object: {}, at: iso(1), value: 0 },
    ]);
  });
});

describe('increases', () => {
  it('are of the last hour', async () => {
    const id = await store.leased();
    // 100 deadlocks before the hour, then one each five minutes; 90 of 100 blocks found.
    const counted = (minutes: number, n: number) => ({
      ...run(id, 'pg_stat_database', minutes, [
        { datname: 'shop', deadlocks: 100 + n, blks_hit: n * 900, blks_read: n * 100, temp_files: 5 },
      ]),
      database_name: 'shop',
    });
    const few = (minutes: number, n: number) => ({
      ...run(id, 'pg_stat_database', minutes, [{ datname: 'calm', deadlocks: 0, blks_hit: n, blks_read: 0 }]),
      database_name: 'calm',
    });
    const times = Array.from({ length: 14 }, (_none, n) => [65 - n * 5, n] as const);
    await write(...times.flatMap(([minutes, n]) => [counted(minutes, n), few(minutes, n)]));
    const of = async (name: string) =>
      (await valuesOf(`pg_stat_database.${name}`, id)).map(({ database_name, at, value }) => [
        database_name,
        at,
        value,
      ]);
    expect((await of('deadlocks_delta')).sort()).toEqual([
      ['calm', iso(0), 0],
      ['shop', iso(0), expect.closeTo(12, 9)],
    ]);
    expect((await of('cache_hit_ratio')).sort()).toEqual([
      ['calm', iso(0), null],
      ['shop', iso(0), expect.closeTo(90, 9)],
    ]);
  });

  it('of objects tell how many statements were slow', async () => {
    const id = await store.leased();
    const statement = (queryid: string, calls: number, total_exec_time: number) => ({
      userid: 1,
      dbid: 2,
      toplevel: true,
      queryid,
      calls,
      total_exec_time,
    });
    const at = (minutes: number, n: number) => ({
      ...run(id, 'pg_stat_statements', minutes, [
        // Slow before, quick now; slow now; slow and idle.
        statement('1', 10 + n, 100_000 + n),
        statement('2', n, n * 1500),
        statement('3', 5, 50_000),
      ]),
      database_name: 'shop',
    });
    await write(at(15, 0), at(10, 1), at(5, 2));
    expect(await valuesOf('pg_stat_statements.slow_query_count', id)).toEqual([
      { connection_id: id, database_name: 'shop', object: {}, at: iso(5), value: 1 },
    ]);
  });
});

it('a table is above its threshold since the first sample that said so', async () => {
  const id = await store.leased();
  const table = (relid: number, n_dead_tup: number) => ({
    relid,
    schemaname: 'public',
    relname: `t${relid}`,
    n_live_tup: 100_000,
    // Of fewer dead rows a table is not above anything.
    n_dead_tup: 100 * n_dead_tup,
    vacuum_threshold: 5000,
  });
  const at = (minutes: number, ...dead: number[]) => ({
    ...run(
      id,
      'pg_stat_all_tables',
      minutes,
      dead.map((one, index) => table(index + 1, one)),
    ),
    database_name: 'shop',
  });
  await write(at(20, 60, 10, 80), at(15, 10, 60, 80), at(10, 70, 60, 80), at(5, 70, 60));
  const found = (await valuesOf('table_last_autovacuum_hours', id)).map(({ object, at: when, value }) => [
    object.relname,
    when,
    value,
  ]);
  expect(found.sort()).toEqual([
    ['t1', iso(5), expect.closeTo(5 / 60, 6)],
    ['t2', iso(5), expect.closeTo(10 / 60, 6)],
  ]);
  const bloat = await valuesOf('table_bloat_ratio', id);
  expect(bloat.map(({ object, value }) => [object.relname, value]).sort()).toEqual([
    ['t1', 7],
    ['t2', 6],
  ]);
  // What is not wanted is not named either.
  for (const [name, least] of [
    ['table_last_autovacuum_hours', 8 / 60],
    ['table_bloat_ratio', 6.5],
  ] as const) {
    const wanted = await asked(name, [id], (_metric, _id, value) => (value ?? 0) > least);
    expect(wanted.found).toHaveLength(1);
    expect(await asked(name, [id], () => false)).toEqual({ found: [], isNamed: false });
    expect(wanted.isNamed).toBe(true);
  }
});

it('samples are stale by the interval in force', async () => {
  const id = await store.leased();
  await write(run(id, 'pg_connectivity', 2, [{ response_time_ms: 1 }]), {
    connection_id: id,
    probe: 'pg_stat_io',
    at: ago(30),
    skipped: { reason: 'old', mend: null },
  });
  expect(await valuesOf('probe_staleness_ratio', id)).toEqual([
    { connection_id: id, database_name: '', object: { probe: 'pg_connectivity' }, at: iso(2), value: 4 },
  ]);
});

it('a sample of when the probe ran less often is not stale before it had the time to run again', async () => {
  const id = await store.leased();
  await write(run(id, 'pg_connectivity', 20, [{ response_time_ms: 1 }]));
  const note = (minutes: number, seconds: number) =>
    store.db.run(sql`/* test.interval */
      insert into matriarch.interval_changes (connection_id, probe, since, interval_seconds)
      values (${id}, 'pg_connectivity', ${iso(minutes)}::timestamptz, ${seconds})`);
  await note(60, 1920);
  const value = async () => (await valuesOf('probe_staleness_ratio', id))[0]?.value;
  expect(await value()).toBeCloseTo(20 / 32);
  await note(0.5, 30);
  expect(await value()).toBeCloseTo(20 / 32);
});
