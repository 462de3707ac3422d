// Alert rules through HTTP: what they are built to, who may change that, which setting wins, and that nothing outlives what
// it is for.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { rules } from '../rules/catalog.gen.ts';
import { listInForce, syncRules } from './alert-rules.queries.ts';
import { alertRulesRoutes } from './alert-rules.routes.ts';
import { syncAlertRules } from './alert-rules.service.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [alertRulesRoutes, connectionsRoom] });
});
afterAll(() => test.close());

const asSuperuser = () => ({ token: test.actors.superuser.session });
const get = (path: string) => test.call(`GET /api/v1/${path}`, asSuperuser());
const put = (path: string, body: object) => test.call(`PUT /api/v1/${path}`, { ...asSuperuser(), body });
const drop = (path: string) => test.call(`DELETE /api/v1/${path}`, asSuperuser());

type Row = Record<string, unknown>;
const isRow = (one: unknown): one is Row => typeof one === 'object' && one !== null;
const rowsIn = (body: unknown): Row[] => (Array.isArray(body) ? body.filter(isRow) : []);

async function ruleNamed(name: string): Promise<Row & { id: number }> {
  const found = rowsIn((await get('alert-rules')).body).find((one) => one.name === name);
  const id = found?.id;
  return found && typeof id === 'number' ? { ...found, id } : expect.fail(`no rule ${name}`);
}

let made = 0;
/** A server in a cluster in a group, and their ids. */
async function place(): Promise<{ server: number; cluster: number; group: number }> {
  made += 1;
  const { group } = await test.db.one<{ group: number }>(sql`/* test.group */
    insert into matriarch.cluster_groups (name, is_shared) values (${`group ${made}`}, true) returning id as group`);
  const { cluster } = await test.db.one<{ cluster: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (group_id, name) values (${group}, ${`cluster ${made}`}) returning id as cluster`);
  const server = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  await test.db.run(
    sql`/* test.join */ update matriarch.connections set cluster_id = ${cluster} where id = ${server}`,
  );
  return { server, cluster, group };
}

const override = (threshold: number, enabled = true) => ({
  operator: '>=',
  threshold,
  severity: 'critical',
  enabled,
});

async function inForce(server: number, rule_id: number) {
  const rows = await listInForce(test.db);
  const found = rows.find((row) => row.connection_id === server && row.rule_id === rule_id);
  return found && [found.source, found.operator, found.threshold, found.severity, found.is_enabled];
}

describe('rules', () => {
  it('are listed by category and name, as built, with what to do and how to see it', async () => {
    const { status, body } = await get('alert-rules');
    expect(status).toBe(200);
    const listed = rowsIn(body);
    expect(listed).toHaveLength(rules.length);
    const order = listed.map(({ category, name }) => `${category} ${name}`);
    expect(order).toEqual(order.toSorted());
    expect(await ruleNamed('disk_usage_critical')).toMatchObject({
      category: 'storage',
      metric_name: 'pg_sys_disk_info.used_percent',
      metric_unit: 'percent',
      default_operator: '>',
      default_threshold: 95,
      default_severity: 'critical',
      default_enabled: true,
      required_extension: null,
      is_built_in: true,
      is_specified: true,
      evidence: { kind: 'shell', text: 'df -h' },
    });
    expect(await ruleNamed('slow_query_count')).toMatchObject({ required_extension: 'pg_stat_statements' });
  });

  it('change member by member, keep that over a start, and follow the program elsewhere', async () => {
    const { id } = await ruleNamed('deadlocks_detected');
    const changed = await put(`alert-rules/${id}`, { default_threshold: 3 });
    expect(changed).toMatchObject({ status: 200, body: { default_threshold: 3, default_operator: '>' } });
    const [rule] = rules.filter(({ name }) => name === 'deadlocks_detected');
    if (!rule) expect.fail('the rule is gone');
    await syncRules(test.db, [{ ...rule, threshold: 7, severity: 'critical' }]);
    expect(await ruleNamed('deadlocks_detected')).toMatchObject({
      default_threshold: 3,
      default_severity: 'critical',
    });
    await syncAlertRules(test.db);
    // What is set to the built-in value follows the program again.
    await put(`alert-rules/${id}`, { default_threshold: 0 });
    await syncRules(test.db, [{ ...rule, threshold: 7 }]);
    expect((await get(`alert-rules/${id}`)).body).toMatchObject({ default_threshold: 7 });
    await syncAlertRules(test.db);
  });

  it('refuse an empty change, unknown values, unknown ids and callers without the permission', async () => {
    const { id } = await ruleNamed('lock_wait_time');
    expect(await put(`alert-rules/${id}`, {})).toMatchObject({
      status: 400,
      error:
        'Give at least one of default_operator, default_threshold, default_severity and default_enabled.',
    });
    for (const wrong of [
      { default_operator: '~' },
      { default_severity: 'fatal' },
      { default_threshold: 'x' },
    ])
      expect((await put(`alert-rules/${id}`, wrong)).status).toBe(400);
    expect((await put('alert-rules/99999', { default_threshold: 1 })).status).toBe(404);
    expect((await get('alert-rules/99999')).status).toBe(404);
    const { session: token } = await makeUser(test.db);
    const refused = await test.call(`PUT /api/v1/alert-rules/${id}`, {
      token,
      body: { default_threshold: 1 },
    });
    expect(refused.status).toBe(403);
    expect((await ruleNamed('lock_wait_time')).default_threshold).toBe(30);
  });
});

describe('overrides', () => {
  it('win whole by server, cluster, group, and fall back one by one when deleted', async () => {
    const { server, cluster, group } = await place();
    const { id } = await ruleNamed('blocked_queries');
    const paths = { server: `server/${server}`, cluster: `cluster/${cluster}`, group: `group/${group}` };
    expect(await inForce(server, id)).toBeUndefined();
    await put(`alert-rules/${id}`, { default_threshold: 6 });
    expect(await inForce(server, id)).toEqual(['global', '>', 6, 'warning', true]);
    for (const [n, path] of [paths.group, paths.cluster, paths.server].entries())
      expect(await put(`alert-overrides/${path}/${id}`, override(10 + n, n < 2))).toMatchObject({
        status: 200,
        body: { status: 'ok' },
      });
    expect(await inForce(server, id)).toEqual(['server', '>=', 12, 'critical', false]);
    expect((await get(`alert-overrides/context/${server}/${id}`)).body).toMatchObject({
      hierarchy: { connection_id: server, cluster_id: cluster, group_id: group },
      rule: { name: 'blocked_queries', default_threshold: 6 },
      overrides: { server: override(12, false), cluster: override(11), group: override(10) },
    });
    const listed = rowsIn((await get(`alert-overrides/${paths.cluster}`)).body);
    expect(listed).toHaveLength(rules.length);
    expect(listed.filter(({ has_override }) => has_override)).toMatchObject([
      { rule_id: id, default_threshold: 6, override_threshold: 11, override_enabled: true },
    ]);
    await drop(`alert-overrides/${paths.server}/${id}`);
    expect(await inForce(server, id)).toEqual(['cluster', '>=', 11, 'critical', true]);
    await drop(`alert-overrides/${paths.cluster}/${id}`);
    expect(await inForce(server, id)).toEqual(['group', '>=', 10, 'critical', true]);
    await drop(`alert-overrides/${paths.group}/${id}`);
    expect(await drop(`alert-overrides/${paths.group}/${id}`)).toMatchObject({ status: 200 });
    expect(await inForce(server, id)).toEqual(['global', '>', 6, 'warning', true]);
    expect((await get(`alert-overrides/context/${server}/${id}`)).body).toMatchObject({
      overrides: { server: null, cluster: null, group: null },
    });
  });

  it('need all four values, a known scope and a known rule', async () => {
    const { server } = await place();
    const { id } = await ruleNamed('blocked_queries');
    const { enabled: _enabled, ...partial } = override(1);
    expect((await put(`alert-overrides/server/${server}/${id}`, partial)).status).toBe(400);
    expect((await put(`alert-overrides/server/99999/${id}`, override(1))).status).toBe(404);
    expect((await put(`alert-overrides/server/${server}/99999`, override(1))).status).toBe(404);
    expect((await put(`alert-overrides/estate/${server}/${id}`, override(1))).status).toBe(400);
    expect((await get('alert-overrides/cluster/99999')).status).toBe(404);
  });

  it('go with their server, and are written into the audit log', async () => {
    const { server } = await place();
    const { id } = await ruleNamed('blocked_queries');
    await put(`alert-overrides/server/${server}/${id}`, override(4));
    const { action, details } = await test.db.one<{ action: string; details: object }>(sql`/* test.audit */
      select action, details from matriarch.audit_events order by id desc limit 1`);
    expect([action, details]).toEqual([
      'settings.change',
      expect.objectContaining({ scope: 'server', scope_id: server, threshold: 4 }),
    ]);
    expect((await drop(`connections/${server}`)).status).toBe(204);
    const left = await test.db.rows(sql`/* test.left */
      select from matriarch.alert_overrides where scope = 'server' and scope_id = ${server}`);
    expect(left).toEqual([]);
  });
});

it('says of a metric whose unusual values raise alerts until when it is learned', async () => {
  const { server } = await place();
  const { id } = await ruleNamed('cpu_usage_high');
  const stated = async () => {
    const { body } = await get(`alert-overrides/context/${server}/${id}`);
    return isRow(body) ? body.baseline : expect.fail('no context');
  };
  expect(await stated()).toEqual({ state: 'learning', until: null });
  const since = async (hours: number) => {
    const known_since = new Date(Date.now() - hours * 3_600_000).toISOString();
    await test.db.run(sql`/* test.baseline */
      insert into matriarch.metric_baselines (connection_id, metric, known_since, medians, spreads)
      select ${server}, 'pg_sys_cpu_usage_info.processor_time_percent', ${known_since}::timestamptz, n.nothing, n.nothing
      from (select array_fill(null::double precision, array[193]) as nothing) n
      on conflict (connection_id, database_name, metric) do update set known_since = excluded.known_since`);
    return new Date(Date.parse(known_since) + 24 * 3_600_000).toISOString();
  };
  const until = await since(5);
  expect(await stated()).toEqual({ state: 'learning', until });
  await since(25);
  expect(await stated()).toEqual({ state: 'known', until: null });
  const { id: other } = await ruleNamed('connection_utilization');
  expect((await get(`alert-overrides/context/${server}/${other}`)).body).toMatchObject({ baseline: null });
});
