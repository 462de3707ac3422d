// Alerts through HTTP: who sees which, filters, counts, acknowledging with its history, and analyses that are dropped.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clustersRoutes } from '../../estate/clusters/clusters.routes.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { clearAlerts, type FiredAlert, insertFired, updateOpen } from '../alerter/changes.queries.ts';
import { alertsRoutes } from './alerts.routes.ts';

let test: TestApi;
let server: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [alertsRoutes, clustersRoutes, connectionsRoom] });
  server = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
});
afterAll(() => test.close());

let made = 0;
/** A warning of a disk on the connection; answers its id. */
async function fire(connection_id: number, more: Partial<FiredAlert> = {}): Promise<number> {
  made += 1;
  const [row] = await insertFired(test.db, [
    {
      alert_type: 'threshold',
      raised_by: 'rule:disk_usage_percent',
      rule_id: null,
      connection_id,
      database_name: '',
      object_name: `/d${made}`,
      probe_name: 'pg_sys_disk_info',
      metric_name: 'pg_sys_disk_info.used_percent',
      metric_value: 90,
      metric_unit: 'percent',
      operator: '>',
      threshold_value: 80,
      threshold_source: 'built_in',
      severity: 'warning',
      title: 'A disk fills up',
      description: 'Nearly full.',
      sampled_at: '2026-01-01T00:00:00Z',
      ...more,
    },
  ]);
  return row?.id ?? expect.fail('it was there already');
}

const as = (token: string) => ({ token });
const owner = () => as(test.actors.owner.session);
const list = (query = '', who = owner()) => test.call(`GET /api/v1/alerts${query}`, who);
const ids = (body: unknown): number[] => Object(body).alerts.map(({ id }: { id: number }) => id);
const acknowledge = (body: object, who = owner()) =>
  test.call('POST /api/v1/alerts/acknowledge', { ...who, body });
const unacknowledge = (id: number, who = owner()) =>
  test.call(`DELETE /api/v1/alerts/acknowledge?alert_id=${id}`, who);

describe('alerts', () => {
  it('show to those who see the connection, newest first, without what nobody knows', async () => {
    const [one, two] = [await fire(server), await fire(server, { database_name: 'shop' })];
    const { status, body } = await list(`?connection_id=${server}`);
    expect(status).toBe(200);
    expect(ids(body)).toEqual([two, one]);
    expect(Object(body).total).toBe(2);
    const [newest, oldest] = Object(body).alerts;
    expect(newest).toMatchObject({
      status: 'active',
      database_name: 'shop',
      metric_value: 90,
      operator: '>',
    });
    for (const absent of ['database_name', 'rule_id', 'cleared_at', 'acknowledged_by', 'anomaly_score'])
      expect(oldest).not.toHaveProperty(absent);
    const stranger = await makeUser(test.db);
    expect((await list(`?connection_id=${server}`, as(stranger.session))).body).toEqual({
      alerts: [],
      total: 0,
    });
    expect((await test.call(`GET /api/v1/alerts/${one}`, as(stranger.session))).status).toBe(404);
    expect((await acknowledge({ alert_id: one }, as(stranger.session))).status).toBe(404);
  });

  it('are filtered by all that is given, and cut after they are counted', async () => {
    const other = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
    const critical = await fire(other, { severity: 'critical', alert_type: 'connection' });
    const warning = await fire(other);
    await clearAlerts(test.db, [{ id: warning, message: null }]);
    const of = async (query: string) => ids((await list(`?connection_ids=${other},99999&${query}`)).body);
    expect(await of('')).toEqual([warning, critical]);
    expect(await of('status=cleared')).toEqual([warning]);
    expect(await of('exclude_cleared=true')).toEqual([critical]);
    expect(await of('severity=critical&alert_type=connection')).toEqual([critical]);
    expect(await of('severity=critical&status=cleared')).toEqual([]);
    expect(await of('start_time=2199-01-01T00:00:00Z')).toEqual([]);
    expect(await of('end_time=2199-01-01T00:00:00%2B02:00')).toEqual([warning, critical]);
    expect((await list(`?connection_id=${other}&limit=1&offset=1`)).body).toMatchObject({
      alerts: [{ id: critical }],
      total: 2,
    });
    for (const wrong of ['limit=0', 'limit=1001', 'status=open', 'connection_ids=0', 'start_time=yesterday'])
      expect([wrong, (await list(`?${wrong}`)).status]).toEqual([wrong, 400]);
  });

  it('are counted by server and cluster while they are active', async () => {
    const { cluster } = await test.db.one<{ cluster: number }>(sql`/* test.cluster */
      insert into matriarch.clusters (name) values ('counted') returning id as cluster`);
    const person = await makeUser(test.db);
    const [one, two] = [
      await makeConnection(test.db, { owner_id: person.user_id }),
      await makeConnection(test.db, { owner_id: person.user_id }),
    ];
    await test.db.run(sql`/* test.join */
      update matriarch.connections set cluster_id = ${cluster} where id = any (${[one, two]}::int[])`);
    const lone = await makeConnection(test.db, { owner_id: person.user_id });
    await fire(one);
    const acknowledged = await fire(one);
    await fire(two);
    await fire(lone);
    const counts = async () => (await test.call('GET /api/v1/alerts/counts', as(person.session))).body;
    expect(await counts()).toEqual({
      total: 4,
      by_server: { [one]: 2, [two]: 1, [lone]: 1 },
      by_cluster: { [`cluster-${cluster}`]: 3, [`server-${lone}`]: 1 },
    });
    await acknowledge({ alert_id: acknowledged }, as(person.session));
    expect(await counts()).toMatchObject({ total: 3, by_server: { [one]: 1 } });
    const tree = await test.call('GET /api/v1/clusters', as(person.session));
    expect(tree.text).toContain(`"active_alert_count":1`);
  });

  it('are forgotten with their connection', async () => {
    const gone = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
    const id = await fire(gone);
    expect((await test.call(`DELETE /api/v1/connections/${gone}`, owner())).status).toBe(204);
    expect((await test.call(`GET /api/v1/alerts/${id}`, owner())).status).toBe(404);
  });
});

describe('acknowledging', () => {
  it('says who, when and why, and is taken back', async () => {
    const id = await fire(server);
    expect((await acknowledge({ alert_id: id, message: 'On it.' })).body).toEqual({ status: 'acknowledged' });
    const read = async () => Object((await test.call(`GET /api/v1/alerts/${id}`, owner())).body);
    expect((await read()).alert).toMatchObject({
      status: 'acknowledged',
      acknowledged_by: test.actors.owner.username,
      ack_message: 'On it.',
      false_positive: false,
    });
    expect(await acknowledge({ alert_id: id })).toMatchObject({
      status: 409,
      error: 'This alert is acknowledged already.',
    });
    expect((await unacknowledge(id)).body).toEqual({ status: 'active' });
    expect(await unacknowledge(id)).toMatchObject({ status: 409 });
    const { alert, events } = await read();
    expect(alert).not.toHaveProperty('acknowledged_by');
    expect(events.map(({ event_type, actor }: Record<string, unknown>) => [event_type, actor])).toEqual([
      ['fired', null],
      ['acknowledged', test.actors.owner.username],
      ['unacknowledged', test.actors.owner.username],
    ]);
  });

  it('needs write access, an alert that is there and has not cleared', async () => {
    const id = await fire(server);
    const reader = await makeUser(test.db);
    await test.db.run(sql`/* test.group */
      with made as (insert into matriarch.groups (name) values ('readers of alerts') returning id),
        member as (insert into matriarch.group_users (group_id, user_id) select id, ${reader.user_id}::int from made)
      insert into matriarch.group_connections (group_id, connection_id, access_level)
      select id, ${server}::int, 'read' from made`);
    expect((await acknowledge({ alert_id: id }, as(reader.session))).status).toBe(403);
    for (const [who, may_acknowledge] of [
      [as(reader.session), false],
      [owner(), true],
    ] as const) {
      const [listed] = Object((await list(`?connection_id=${server}&limit=1`, who)).body).alerts;
      const { alert } = Object((await test.call(`GET /api/v1/alerts/${id}`, who)).body);
      expect([listed, alert]).toMatchObject([
        { id, may_acknowledge },
        { id, may_acknowledge },
      ]);
      expect(alert).not.toHaveProperty('level');
    }
    expect((await unacknowledge(id, as(reader.session))).status).toBe(403);
    const analysis = { alert_id: id, analysis: 'Logs.' };
    const saved = await test.call('PUT /api/v1/alerts/analysis', { ...as(reader.session), body: analysis });
    expect(saved).toMatchObject({ status: 200, body: { status: 'saved' } });
    expect((await acknowledge({ alert_id: 999_999 })).status).toBe(404);
    expect((await acknowledge({ alert_id: id, message: 'x'.repeat(4001) })).status).toBe(400);
    await clearAlerts(test.db, [{ id, message: null }]);
    expect(await acknowledge({ alert_id: id })).toMatchObject({
      status: 409,
      error: 'This alert has cleared.',
    });
  });

  it('as a false positive mutes an anomaly for a day, until it is taken back', async () => {
    const id = await fire(server, {
      alert_type: 'anomaly',
      raised_by: 'anomaly:pg_stat_database.xact_commit',
    });
    const mutes = () =>
      test.db.rows<{ hours: number }>(sql`/* test.mutes */
        select round(extract(epoch from until_time - now()) / 3600)::int as hours
        from matriarch.alert_mutes where alert_id = ${id}`);
    await acknowledge({ alert_id: id, false_positive: true });
    expect(await mutes()).toEqual([{ hours: 24 }]);
    await unacknowledge(id);
    expect(await mutes()).toEqual([]);
    const rule = await fire(server);
    await acknowledge({ alert_id: rule, false_positive: true });
    const { body } = await test.call(`GET /api/v1/alerts/${rule}`, owner());
    expect(Object(body).alert.false_positive).toBe(true);
    expect(await mutes()).toEqual([]);
  });
});

describe('an analysis', () => {
  it('is kept with its value until the value changes', async () => {
    const id = await fire(server);
    const save = (analysis: string) =>
      test.call('PUT /api/v1/alerts/analysis', { ...owner(), body: { alert_id: id, analysis } });
    expect((await save('')).status).toBe(400);
    expect((await save('A log grows.')).status).toBe(200);
    const read = async () => Object((await test.call(`GET /api/v1/alerts/${id}`, owner())).body).alert;
    expect(await read()).toMatchObject({ ai_analysis: 'A log grows.', ai_analysis_metric_value: 90 });
    const held = { id, operator: '>', threshold_value: 80, threshold_source: 'built_in' } as const;
    const same = { ...held, severity: 'warning', title: null, description: null, well_samples: 0 } as const;
    await updateOpen(test.db, [{ ...same, metric_value: 90, sampled_at: '2026-01-01T00:01:00Z' }]);
    expect(await read()).toMatchObject({ ai_analysis: 'A log grows.' });
    await updateOpen(test.db, [{ ...same, metric_value: 91, sampled_at: '2026-01-01T00:02:00Z' }]);
    expect(await read()).not.toHaveProperty('ai_analysis');
  });
});
