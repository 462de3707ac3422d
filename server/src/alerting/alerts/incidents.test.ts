// Incidents through HTTP: what follows from a cause stands with it, also on another server; the same rule in one cluster is one row; a
// filter or a limit never tears an incident apart; alerts of servers that a caller cannot see are neither shown nor counted.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { clustersRoutes } from '../../estate/clusters/clusters.routes.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { clearAlerts, type FiredAlert, insertFired, markCauses } from '../alerter/changes.queries.ts';
import { alertsRoutes } from './alerts.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [alertsRoutes, clustersRoutes, connectionsRoom] });
});
afterAll(() => test.close());

interface Owner {
  user_id: number;
  session: string;
}
let owner: Owner;
beforeEach(async () => {
  owner = await makeUser(test.db);
});

async function server(name: string, of = owner): Promise<number> {
  const id = await makeConnection(test.db, { owner_id: of.user_id });
  await test.db.run(sql`/* test.name */ update matriarch.connections set name = ${name} where id = ${id}`);
  return id;
}

async function cluster(name: string, servers: readonly number[]): Promise<number> {
  const { id } = await test.db.one<{ id: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (name, named_by_hand) values (${name}, true) returning id`);
  await test.db.run(sql`/* test.join */
    update matriarch.connections set cluster_id = ${id} where id = any (${[...servers]}::int[])`);
  return id;
}

const TITLES: Record<string, string> = {
  'rule:idle_in_transaction': 'Session idle in transaction',
  'rule:lock_wait_time': 'Longest lock wait',
  connection: 'Server unreachable',
  'channel:7': 'Matriarch: Undelivered notifications of channel "mail"',
};

interface Fired extends Partial<FiredAlert> {
  follows?: number;
}

async function fire(
  connection_id: number,
  raised_by: string,
  { follows, ...more }: Fired = {},
): Promise<number> {
  const [row] = await insertFired(test.db, [
    {
      ...{ alert_type: 'threshold', raised_by, rule_id: null, connection_id, database_name: '' },
      ...{ object_name: '', probe_name: 'pg_stat_activity', metric_name: 'pg_stat_activity.x' },
      ...{ metric_value: 90, metric_unit: 'seconds', operator: '>', threshold_value: 80 },
      ...{ threshold_source: 'built_in', severity: 'warning', title: TITLES[raised_by] ?? raised_by },
      ...{ description: 'It is so.', sampled_at: '2026-01-01T00:00:00Z', ...more },
    },
  ]);
  const id = row?.id ?? expect.fail('it was there already');
  if (follows !== undefined) await markCauses(test.db, [{ id, cause_id: follows }]);
  return id;
}

const table = (name: string): Fired => ({
  ...{ object_name: name, probe_name: 'pg_stat_all_tables' },
  title: `High share of dead tuples in "${name}"`,
});

interface Incident {
  title: string;
  alerts: { id: number }[];
}

async function incidents(query = '', of = owner) {
  const { status, body } = await test.call(`GET /api/v1/alerts/incidents${query}`, { token: of.session });
  expect(status).toBe(200);
  const found = Object(body);
  return {
    ...{ titles: found.incidents.map(({ title }: Incident) => title), incidents: found.incidents },
    ids: found.incidents.map(({ alerts }: Incident) => alerts.map(({ id }) => id)),
    sums: [found.total, found.alert_count, found.active_count],
  };
}

it('puts what follows with its cause, over several steps, and counts alerts of one rule', async () => {
  const shop = await server('shop');
  const idle = await fire(shop, 'rule:idle_in_transaction');
  const lock = await fire(shop, 'rule:lock_wait_time', { follows: idle, severity: 'critical' });
  const blocked = await fire(shop, 'rule:blocked_queries', { follows: lock, title: 'Blocked queries' });
  const dead = [
    await fire(shop, 'rule:dead_tuple_ratio', { ...table('a'), follows: idle }),
    await fire(shop, 'rule:dead_tuple_ratio', { ...table('b'), follows: idle }),
  ];
  const lone = await fire(shop, 'rule:deadlocks_detected', { title: 'Deadlocks' });
  const found = await incidents();
  expect(found.titles).toEqual([
    'shop: Session idle in transaction → Longest lock wait, High share of dead tuples (2 tables), Blocked queries',
    'shop: Deadlocks',
  ]);
  expect(found.ids).toEqual([[idle, lock, ...dead.toReversed(), blocked], [lone]]);
  expect(found.sums).toEqual([2, 6, 6]);
  expect(found.incidents[0]).toMatchObject({
    ...{ place: 'shop', severity: 'critical', status: 'active', alert_count: 5, active_count: 5 },
    ...{ server_count: 1, cluster_id: null, acknowledged_by: [], may_acknowledge: true },
  });
});

it('is one incident too where what usually causes it fired later and was held back', async () => {
  const shop = await server('shop');
  const blocked = await fire(shop, 'rule:blocked_queries', { title: 'Blocked queries' });
  const lock = await fire(shop, 'rule:lock_wait_time', { follows: blocked });
  const idle = await fire(shop, 'rule:idle_in_transaction', { follows: blocked });
  const found = await incidents();
  expect(found.ids).toEqual([[blocked, idle, lock]]);
  expect(found.sums).toEqual([1, 3, 3]);
});

it('says what follows on another server, and the same rule in one cluster, as one of the cluster', async () => {
  const [primary, standby, elsewhere] = [await server('p1'), await server('s1'), await server('other')];
  const orders = await cluster('orders', [primary, standby]);
  const gone = await fire(primary, 'connection', { alert_type: 'connection', severity: 'critical' });
  await fire(standby, 'rule:standby_replay_age', { follows: gone, title: 'Standby replays late' });
  for (const one of [primary, standby, elsewhere]) await fire(one, 'rule:cpu_usage_high', { title: 'CPU' });
  const found = await incidents();
  expect(found.titles).toEqual([
    'orders: Server unreachable → Standby replays late',
    'other: CPU',
    'orders: High CPU (2 servers)',
  ]);
  expect(found.incidents.map(({ cluster_id }: { cluster_id: number | null }) => cluster_id)).toEqual([
    orders,
    null,
    orders,
  ]);
  expect((await incidents(`?connection_id=${standby}&severity=critical`)).titles).toEqual([]);
});

it('counts connections that lead to one server as that server, and what its alerts are of once', async () => {
  const [one, two, other] = [await server('by name'), await server('by socket'), await server('other')];
  await cluster('addresses', [one, two, other]);
  for (const id of [one, two, other])
    await test.db.run(sql`/* test.facts */
      insert into metrics.facts (connection_id, probe, database_name, item_key, valid_from, value)
      values (${id}, 'pg_server_info', '', '', now(),
        jsonb_build_object('system_identifier', '7', 'postmaster_start_time', ${id === other ? 'later' : 'once'}::text))`);
  const first = await fire(one, 'rule:cpu_usage_high', { title: 'High CPU' });
  await fire(two, 'rule:cpu_usage_high', { title: 'High CPU', follows: first });
  for (const name of ['a', 'b'])
    for (const id of [one, two]) await fire(id, 'rule:dead_tuple_ratio', table(name));
  const found = await incidents();
  expect(found.titles).toEqual([
    'addresses / by socket: High share of dead tuples (2 tables)',
    'addresses / by name: High CPU',
  ]);
  expect(found.incidents[1]).toMatchObject({ server_count: 1, alert_count: 2, cluster_id: null });
  await fire(other, 'rule:cpu_usage_high', { title: 'High CPU' });
  expect((await incidents()).titles).toContain('addresses: High CPU (2 servers)');
});

it('says of the first alert that knows it who causes the incident, whatever the description looks like', async () => {
  const shop = await server('shop');
  const idle = await fire(shop, 'rule:idle_in_transaction');
  const detail = 'PID 7 of "a; b (c; threshold 1 s)", blocks 3 sessions';
  await fire(shop, 'rule:lock_wait_time', { follows: idle, detail });
  await fire(shop, 'rule:deadlocks_detected', {
    description: 'Deadlocks: 3 (nobody; threshold 1). They retry.',
  });
  const found = (await incidents()).incidents;
  expect(found.map((one: { detail: string | null }) => one.detail).toSorted()).toEqual([detail, null]);
  expect(JSON.stringify(found.map(({ alerts }: Incident) => alerts))).not.toContain('"detail"');
});

it('shows what is about Matriarch under its own name, and with no server', async () => {
  const shop = await server('shop');
  await cluster('of-own', [shop]);
  const own = await fire(shop, 'channel:7');
  const found = await incidents();
  expect(found.titles).toEqual(['Matriarch: Undelivered notifications of channel "mail"']);
  expect(found.incidents[0].alerts).toMatchObject([{ id: own, is_own: true }]);
  expect((await incidents(`?connection_id=${shop}`)).ids).toEqual([]);
  const listed = await test.call(`GET /api/v1/alerts?connection_id=${shop}`, { token: owner.session });
  expect(listed.body).toEqual({ alerts: [], total: 0 });
  const counts = await test.call('GET /api/v1/alerts/counts', { token: owner.session });
  expect(counts.body).toEqual({ total: 1, by_server: {}, by_cluster: {} });
});

it('shows CPU and load of one host as one incident, the cause first, whichever fired first', async () => {
  const [early, late, lone] = [await server('early'), await server('late'), await server('lone')];
  const cpu = await fire(early, 'rule:cpu_usage_high', { title: 'High CPU' });
  const load = await fire(early, 'rule:load_average_high', { title: 'High load average', follows: cpu });
  // The load was an alert before the CPU was.
  const before = await fire(late, 'rule:load_average_high', { title: 'High load average' });
  const short = await fire(late, 'rule:load_above_processors', { title: 'More processes', follows: before });
  const then = await fire(late, 'rule:cpu_usage_high', { title: 'High CPU', severity: 'critical' });
  const other = await fire(lone, 'rule:load_average_high', { title: 'High load average' });
  const found = await incidents();
  expect(found.titles).toEqual([
    'late: High CPU → High load average, More processes',
    'lone: High load average',
    'early: High CPU → High load average',
  ]);
  expect(found.ids).toEqual([[then, before, short], [other], [cpu, load]]);
  await clearAlerts(test.db, [{ id: then, message: null }]);
  expect((await incidents(`?connection_id=${late}`)).ids).toEqual([[before, short]]);
});

it('shows an incident whole where one of its alerts matches, and whole incidents where the list is cut', async () => {
  const shop = await server('shop');
  const idle = await fire(shop, 'rule:idle_in_transaction');
  const dead = await fire(shop, 'rule:dead_tuple_ratio', { ...table('a'), follows: idle, severity: 'info' });
  const other = await fire(shop, 'rule:deadlocks_detected', { title: 'Deadlocks', severity: 'info' });
  expect((await incidents('?severity=info&limit=1')).ids).toEqual([[idle, dead]]);
  const second = await incidents('?severity=info&limit=1&offset=1');
  expect([second.ids, second.sums]).toEqual([[[other]], [2, 3, 3]]);
  expect((await incidents('?severity=critical')).sums).toEqual([0, 0, 0]);
  const wrong = await test.call('GET /api/v1/alerts/incidents?status=cleared', { token: owner.session });
  expect(wrong.status).toBe(400);
});

it('stays the same incident when its cause has cleared, and says who has acknowledged it', async () => {
  const shop = await server('shop');
  const idle = await fire(shop, 'rule:idle_in_transaction');
  const lock = await fire(shop, 'rule:lock_wait_time', { follows: idle });
  const [before] = (await incidents()).incidents;
  await clearAlerts(test.db, [{ id: idle, message: null }]);
  await test.call('POST /api/v1/alerts/acknowledge', { token: owner.session, body: { alert_id: lock } });
  const { incidents: after, titles, sums } = await incidents();
  expect([titles, sums]).toEqual([['shop: Longest lock wait'], [1, 1, 0]]);
  expect(after[0].incident_key).toBe(before.incident_key);
  expect(after[0]).toMatchObject({ status: 'acknowledged', may_acknowledge: false });
  expect(after[0].acknowledged_by).toHaveLength(1);
  expect((await incidents('?status=active')).ids).toEqual([]);
  expect((await incidents('?status=acknowledged')).ids).toEqual([[lock]]);
});

it('neither names nor counts alerts of servers that the caller cannot see', async () => {
  const other = await makeUser(test.db);
  const [hidden, own] = [await server('hidden'), await server('own', other)];
  await cluster('shared', [hidden, own]);
  const gone = await fire(hidden, 'connection', { alert_type: 'connection' });
  const late = await fire(own, 'rule:standby_replay_age', { follows: gone, title: 'Standby replays late' });
  const found = await incidents('', other);
  expect(found.ids).toEqual([[late]]);
  expect(found.sums).toEqual([1, 1, 1]);
  expect(JSON.stringify(found)).not.toContain('hidden');
});

it('lists so many alerts of an incident, and counts all', async () => {
  const shop = await server('shop');
  const ids: number[] = [];
  for (let index = 0; index < 60; index += 1)
    ids.push(await fire(shop, 'rule:dead_tuple_ratio', table(`t${index}`)));
  const { incidents: found, titles } = await incidents();
  expect(titles).toEqual(['shop: High share of dead tuples (60 tables)']);
  expect([found[0].alerts.length, found[0].alert_count]).toEqual([50, 60]);
});

it('takes the cluster of an incident to be what messages are grouped by', async () => {
  const [one, two, three] = [await server('a1'), await server('a2'), await server('lone')];
  await cluster('grouped', [one, two]);
  await test.db.run(sql`/* test.channel */
    insert into matriarch.notification_channels (channel_type, name, config, enabled, is_estate_default, owner_user_id)
    values ('webhook', 'all', '{}', true, true, ${owner.user_id})`);
  const groups = await test.db.rows<{ connection_id: number; group_key: string }>(sql`/* test.groups */
    select connection_id, group_key from matriarch.connection_channels
    where connection_id = any (${[one, two, three]}::int[])`);
  const keyOf = (id: number) => groups.find(({ connection_id }) => connection_id === id)?.group_key;
  for (const id of [one, two, three]) await fire(id, 'rule:deadlocks_detected', { title: 'Deadlocks' });
  const { incidents: found } = await incidents();
  const byMessage = new Set([one, two, three].map(keyOf));
  const byIncident = found.map(({ alerts }: { alerts: { connection_id: number }[] }) => [
    ...new Set(alerts.map(({ connection_id }) => keyOf(connection_id))),
  ]);
  expect(byIncident).toHaveLength(byMessage.size);
  for (const keys of byIncident) expect(keys).toHaveLength(1);
});
