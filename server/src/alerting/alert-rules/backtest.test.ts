// Backtests through HTTP over histories that are known: what would have fired, when, for how long and on what; from samples
// and from rollups; and whose servers are looked at.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { greatest } from '../../kernel/lists.ts';
import type { Static } from '../../kernel/schema.ts';
import { iso } from '../../kernel/times.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import { ensureTables } from '../../store/layout/tables.ts';
import type { Row } from '../../store/layout/types.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { type CollectedRun, collectedHistory } from '../../testing/store/collected.ts';
import { alertRulesRoutes } from './alert-rules.routes.ts';
import type { Backtest } from './backtest.schemas.ts';

let test: TestApi;
/** A whole hour, five to six hours ago. */
let T: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [alertRulesRoutes] });
  T = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
  await ensureTables(test.db, probes);
});
afterAll(() => test.close());
const server = (name: string) => makeConnection(test.db, { owner_id: test.actors.owner.user_id, name });

async function ruleId(name: string): Promise<number> {
  const { body } = await test.call('GET /api/v1/alert-rules', { token: test.actors.owner.session });
  const found = Array.isArray(body) ? body.find((one) => one.name === name) : undefined;
  return found ? Number(found.id) : expect.fail(`no rule ${name}`);
}

const VALUES = { operator: '>', threshold: 80, severity: 'warning' };

async function ask(rule: string, more: object, token = test.actors.owner.session) {
  const id = await ruleId(rule);
  test.statements.reset();
  return test.call(`POST /api/v1/alert-rules/${id}/backtest`, {
    token,
    body: { ...VALUES, days: 1, ...more },
  });
}

const isBacktest = (body: unknown): body is Static<typeof Backtest> =>
  typeof body === 'object' && body !== null && 'candidate' in body;

/** What is answered, and the statements beside those of the gate. */
async function backtest(...asked: Parameters<typeof ask>) {
  const { body } = await ask(...asked);
  const sent = test.statements.sent.filter((text) => !text.includes('access.'));
  return isBacktest(body) ? { body, sent } : expect.fail(JSON.stringify(body));
}

interface Of {
  connection_id: number;
  probe: string;
  every?: number;
  from?: number;
  database_name?: string;
}
const runs = (
  { every = MINUTE_MS, from = T, ...of }: Of,
  values: readonly (Row[] | undefined)[],
): CollectedRun[] => values.flatMap((rows, n) => (rows ? [{ ...of, at: from + n * every, rows }] : []));
const CPU = 'pg_sys_cpu_usage_info';
const cpu = (percent: number): Row[] => [{ processor_time_percent: percent }];
/** One a minute; undefined: nobody measured. */
const busy = (connection_id: number, values: readonly (number | undefined)[]) =>
  runs(
    { connection_id, probe: CPU },
    values.map((value) => (value === undefined ? undefined : cpu(value))),
  );
const event = ([from, to]: readonly [number, number], peak_value: number, more: object = {}) =>
  expect.objectContaining({
    fired_at: iso(T + from * MINUTE_MS),
    cleared_at: iso(T + to * MINUTE_MS),
    peak_value,
    ...more,
  });

describe('samples', () => {
  it('say when it would have fired and cleared beside what is in force, in three statements', async () => {
    const scope_id = await server('busy');
    const calm = Array.from({ length: 10 }, () => 10);
    await collectedHistory(
      test.db,
      busy(scope_id, [10, 70, 75, 10, 72, 10, 10, ...calm, 90, 95, undefined, undefined, undefined, 10, 10]),
    );
    const asked = { scope: 'server', scope_id, threshold: 60, severity: 'critical' };
    const { body, sent } = await backtest('cpu_usage_high', asked);
    expect(body).toMatchObject({
      metric_name: 'pg_sys_cpu_usage_info.processor_time_percent',
      metric_unit: 'percent',
      servers: 1,
      things: 1,
      read: [{ tier: 'raw', resolution_seconds: 600 }],
      notes: [],
    });
    expect(body.candidate).toEqual({
      values: { operator: '>', threshold: 60, severity: 'critical', enabled: true, lasts_seconds: 0 },
      fired: 2,
      open_seconds: (5 + 6) * 60,
      affected: 1,
      events_left_out: 0,
      events: [event([1, 6], 75, { connection_name: 'busy', open_seconds: 300 }), event([17, 23], 95)],
    });
    expect(body.in_force).toMatchObject({ values: { threshold: 80, severity: 'warning' }, fired: 1 });
    // Not where the 30 days begin, nor a bucket of them.
    expect(Date.parse(body.measured_since ?? '')).toBe(T);
    expect(body.coverage).toBeGreaterThan(0.01);
    expect(body.coverage).toBeLessThan(0.03);
    const { step_seconds, values } = body.series;
    const step = Math.ceil((T - Date.parse(body.start_time) + MINUTE_MS) / step_seconds / 1000) - 1;
    expect(values.slice(0, step - 1).every((value) => value === null)).toBe(true);
    expect(greatest(values.map((value) => value ?? 0))).toBe(95);
    expect(sent).toHaveLength(3);
    // What was found of the tiers is remembered.
    expect((await backtest('cpu_usage_high', asked)).sent).toHaveLength(2);
  });

  it('wait for the duration, and are damped after an alert', async () => {
    const scope_id = await server('flapping');
    const flapping = [90, 10, 10, 90, 10, 10, 90, 90, 90, 10, 10];
    await collectedHistory(test.db, busy(scope_id, flapping));
    const { body } = await backtest('cpu_usage_high', { scope: 'server', scope_id });
    expect(body.candidate.events).toEqual([event([0, 2], 90), event([7, 10], 90)]);
    const lasting = await backtest('cpu_usage_high', { scope: 'server', scope_id, lasts_seconds: 120 });
    expect(lasting.body.candidate.events).toEqual([event([8, 10], 90)]);
  });

  it('name each object, and clear one that vanishes', async () => {
    const scope_id = await server('disks');
    const disk = (mount_point: string, used_space: number) => ({
      ...{ mount_point, total_space: 100, used_space, free_space: 100 - used_space },
    });
    await collectedHistory(
      test.db,
      runs({ connection_id: scope_id, probe: 'pg_sys_disk_info', every: 5 * MINUTE_MS }, [
        [disk('/', 50), disk('/data', 50)],
        [disk('/', 50), disk('/data', 96)],
        [disk('/', 50), disk('/data', 97)],
        [disk('/', 85)],
        [disk('/', 50)],
        [disk('/', 50)],
      ]),
    );
    const { body, sent } = await backtest('disk_usage_percent', { scope: 'server', scope_id });
    expect(sent).toHaveLength(3);
    expect(body.things).toBe(2);
    expect(body.candidate.events).toEqual([
      event([5, 20], 97, { object_name: '/data' }),
      event([15, 25], 85, { object_name: '/' }),
    ]);
    expect(body.candidate.affected).toBe(2);
  });

  it('judge what grew within the hour before', async () => {
    const scope_id = await server('deadlocks');
    const counted = (deadlocks: number): Row[] => [{ datname: 'shop', deadlocks }];
    const rows = [...Array.from({ length: 12 }, () => 0), ...Array.from({ length: 24 }, () => 2)];
    await collectedHistory(
      test.db,
      runs(
        { connection_id: scope_id, probe: 'pg_stat_database', every: 5 * MINUTE_MS, database_name: 'shop' },
        rows.map(counted),
      ),
    );
    const { body } = await backtest('deadlocks_detected', { scope: 'server', scope_id, threshold: 0 });
    expect(body.candidate.events).toEqual([
      // From the first sample that has it until two have none of the hour before.
      event([60, 125], 2, { database_name: 'shop' }),
    ]);
  });

  it('put sessions together, as a share of a limit that is known now', async () => {
    const scope_id = await server('sessions');
    const sessions = (count: number): Row[] =>
      Array.from({ length: count }, (_none, pid) => ({ pid: pid + 1, backend_type: 'client backend' }));
    await collectedHistory(test.db, [
      {
        connection_id: scope_id,
        probe: 'pg_server_info',
        at: T,
        rows: [{ max_connections: 10 }],
        history_by: [],
      },
      ...runs({ connection_id: scope_id, probe: 'pg_stat_activity' }, [
        sessions(9),
        sessions(4),
        sessions(4),
      ]),
    ]);
    const { body, sent } = await backtest('connection_utilization', { scope: 'server', scope_id });
    expect(body.candidate.events).toEqual([event([0, 2], 90)]);
    expect(body.notes).toEqual(['max_connections is taken as it is known now.']);
    expect(sent).toHaveLength(3);
  });

  it('a share of what is not a setting is told as well, and of what nobody knows nothing', async () => {
    const loads = (connection_id: number) =>
      runs(
        { connection_id, probe: 'pg_sys_load_avg_info' },
        [9, 4, 4].map((load) => [{ load_avg_fifteen_minutes: load }]),
      );
    const [known, unknown] = [await server('four processors'), await server('no processors')];
    await collectedHistory(test.db, [
      { connection_id: known, probe: 'pg_sys_cpu_info', at: T, rows: [{ logical_processor: 4 }] },
      ...loads(known),
      ...loads(unknown),
    ]);
    const of = async (scope_id: number) =>
      (await backtest('load_average_high', { scope: 'server', scope_id, threshold: 2 })).body.candidate
        .events;
    expect(await of(known)).toEqual([event([0, 2], 2.25)]);
    expect(await of(unknown)).toEqual([]);
  });
});

describe('rollups', () => {
  it('tell of the time before samples are kept, at their own resolution', async () => {
    const scope_id = await server('long ago');
    await test.db.run({
      text: `/* test.retention */
        insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
        values ('server', $1, 'pg_sys_cpu_usage_info', true, 600, 2)`,
      values: [scope_id],
    });
    const from = Math.floor((Date.now() - 4 * DAY_MS) / HOUR_MS) * HOUR_MS;
    const values = Array.from({ length: 36 }, (_none, n) => cpu(n === 8 ? 91 : 10));
    await collectedHistory(test.db, [
      ...runs({ connection_id: scope_id, probe: CPU, every: 5 * MINUTE_MS, from }, values),
      ...busy(scope_id, [10, 10, 99, 10, 10]),
    ]);
    const layouts = probes.flatMap((probe) => layoutOf(probe) ?? []);
    const report = await runCompaction({ db: test.db, layouts });
    expect(report.problems).toEqual([]);
    const { body } = await backtest('cpu_usage_high', { scope: 'server', scope_id, days: 30 });
    expect(body.read).toMatchObject([
      { tier: 'h1', resolution_seconds: 3600 },
      { tier: 'raw', resolution_seconds: 600, end_time: body.end_time },
    ]);
    expect(body.read[0]?.end_time).toBe(body.read[1]?.start_time);
    expect(body.notes).toEqual([
      'Where rollups were read, the worst value of each 1 h was judged as one sample.',
    ]);
    expect(body.candidate.events).toEqual([
      expect.objectContaining({
        fired_at: iso(from + HOUR_MS),
        cleared_at: iso(from + 3 * HOUR_MS),
        peak_value: 91,
      }),
      event([2, 4], 99),
    ]);
  });
});

describe('who may ask, and what', () => {
  it('looks at the servers that the caller may read, and at no others', async () => {
    const { actors } = test;
    const outside = await makeUser(test.db);
    const mine = await server('mine');
    await collectedHistory(test.db, busy(mine, [99, 10, 10]));
    const other = actors.superuser.session;
    const estate = await backtest('cpu_usage_high', { scope: 'estate' });
    const names = estate.body.candidate.events.map((one) => one.connection_name);
    expect(names).toContain('mine');
    expect(
      (await backtest('cpu_usage_high', { scope: 'estate' }, other)).body.servers,
    ).toBeGreaterThanOrEqual(estate.body.servers);
    const stranger = await ask('cpu_usage_high', { scope: 'server', scope_id: mine }, outside.session);
    expect([stranger.status, stranger.body]).toEqual([
      404,
      { error: 'There is no such server, or no server in it that you may read.' },
    ]);
    const all = await backtest('cpu_usage_high', { scope: 'estate' }, outside.session);
    expect(JSON.stringify(all.body)).not.toContain('mine');
  });

  it.each([
    ['cpu_usage_high', { scope: 'server' }, 'Name the server with scope_id, or choose the scope estate.'],
    ['cpu_usage_high', { scope: 'estate', scope_id: 1 }, 'Leave out scope_id where scope is estate.'],
    [
      'slow_query_count',
      { scope: 'estate' },
      'pg_stat_statements.slow_query_count has no history, so when slow_query_count would have fired is unknown.',
    ],
    [
      'high_max_connections',
      { scope: 'estate' },
      'No samples of pg_settings.max_connections are kept, so when high_max_connections would have fired is unknown.',
    ],
  ])('refuses %s for %j in words', async (rule, asked, error) => {
    const { status, body } = await ask(rule, asked);
    expect([status, body]).toEqual([400, { error }]);
  });

  it('refuses more objects and more servers than can be judged at once', async () => {
    const scope_id = await server('huge');
    await test.db.run({
      text: `/* test.objects */
        insert into metrics.objects (
          connection_id, kind, database_name, object_id, object_key, key, labels, first_seen, last_seen
        )
        select $1, 'pg_stat_all_tables', 'shop', n, n, jsonb_build_object('relid', n), '{}', now(), now()
        from generate_series(1, 5000) n`,
      values: [scope_id],
    });
    const objects = await ask('dead_tuple_ratio', { scope: 'server', scope_id, days: 30 });
    expect(objects.status).toBe(400);
    expect(JSON.stringify(objects.body)).toContain('5,000 things on this server');
    await test.db.run({
      text: `/* test.servers */
        insert into matriarch.connections (owner_id, name, host, port, database_name, username, is_monitored)
        select $1, 'herd ' || n, 'h', 5432, 'd', 'u', true from generate_series(1, 101) n`,
      values: [test.actors.owner.user_id],
    });
    const servers = await ask('cpu_usage_high', { scope: 'estate' });
    expect([servers.status, servers.body]).toEqual([
      400,
      { error: 'At most 100 servers are judged at once; choose a group, a cluster or a server.' },
    ]);
  });
});
