// What is kept of the estate between requests never shows: rights are asked anew, and whatever anybody changes in the
// tables is in the next reply. The clock stands still, so that nothing here comes from a reading having grown old.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertFired } from '../../alerting/alerter/changes.queries.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { detected, joinCluster, makeCluster, makeGroup, relate } from '../../testing/store/clusters.ts';
import { collected, reported } from '../../testing/store/collected.ts';
import { clustersRoutes } from './clusters.routes.ts';

const clock = manualClock(systemClock.now());
let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [clustersRoutes], clock });
});
afterAll(() => test.close());

/** The reply, and whether anything was read for it beside what the caller may see: how the servers are, or all of it. */
async function ask(token: string): Promise<{ text: string; is_read: boolean; is_all_read: boolean }> {
  test.statements.reset();
  const { status, text } = await test.call('GET /api/v1/clusters', { token });
  expect(status, text).toBe(200);
  const isSent = (label: string) => test.statements.sent.some((sent) => sent.includes(label));
  return { text, is_read: isSent('topology.states'), is_all_read: isSent('topology.servers') };
}

/** Asks until nothing is read any more. */
async function warm(token: string): Promise<string> {
  await ask(token);
  const { text, is_read } = await ask(token);
  expect(is_read).toBe(false);
  return text;
}

async function scene() {
  const { user_id, session } = await makeUser(test.db);
  const add = (name: string) => makeConnection(test.db, { owner_id: user_id, name, is_monitored: true });
  const [a, b] = [await add('alpha'), await add('beta')];
  const group = await makeGroup(test.db, { owner_id: user_id, name: `shelf ${a}` });
  const cluster = await makeCluster(test.db, { key: `binary:${a}`, group_id: group });
  await joinCluster(test.db, a, { id: cluster });
  const servers = [{ connection_id: a, primary_role: 'binary_primary' }];
  await detected(test.db, { key: `binary:${a}`, name: 'seen first', type: 'binary', servers });
  await collected(test.db, { connection_id: a, probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }] });
  return { user_id, session, a, b, group, cluster };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const fire = (connection_id: number) =>
  insertFired(test.db, [
    {
      ...{ alert_type: 'connection', raised_by: 'connection', rule_id: null, connection_id },
      ...{ database_name: '', object_name: '', probe_name: null, metric_name: null, metric_value: null },
      ...{ metric_unit: null, operator: null, threshold_value: null, threshold_source: null },
      ...{ severity: 'critical', title: 'Gone', description: 'It does not answer.' },
      sampled_at: '2026-01-01T00:00:00Z',
    },
  ]);

type Change = [string, (s: Scene) => Promise<unknown> | Sql, RegExp];

/** Of which servers there are, what is said of them and where they belong. */
const OF_THE_TREE: Change[] = [
  [
    'a server is renamed',
    ({ a }) => sql`update matriarch.connections set name = 'gamma' where id = ${a}`,
    /gamma/,
  ],
  [
    'a server is deleted',
    ({ b }) => sql`update matriarch.connections set deleted_at = now() where id = ${b}`,
    /^(?!.*beta)/,
  ],
  [
    'a server is added',
    ({ user_id }) => makeConnection(test.db, { owner_id: user_id, name: 'delta' }),
    /delta/,
  ],
  [
    'a server moves',
    ({ b, cluster }) => joinCluster(test.db, b, { id: cluster }),
    /^(?!.*"id":"server-\d+".*"id":"server-\d+")/,
  ],
  [
    'a user is renamed',
    ({ user_id }) => sql`update matriarch.users set username = 'renamed' || id where id = ${user_id}`,
    /renamed/,
  ],
  [
    'a cluster is named',
    ({ cluster }) =>
      sql`update matriarch.clusters set named_by_hand = true, name = 'Ledger' where id = ${cluster}`,
    /Ledger/,
  ],
  [
    'a cluster is dismissed',
    ({ cluster }) => sql`update matriarch.clusters set dismissed = true where id = ${cluster}`,
    /^(?!.*cluster-)/,
  ],
  [
    'a group is renamed',
    ({ group }) => sql`update matriarch.cluster_groups set name = 'Attic' where id = ${group}`,
    /Attic/,
  ],
  [
    'a relationship is seen',
    async ({ a, b, cluster }) => {
      await joinCluster(test.db, b, { id: cluster });
      await relate(test.db, { source: b, target: a });
    },
    /streams_from/,
  ],
  [
    'a role is seen',
    ({ b }) =>
      detected(test.db, {
        key: `standalone:${b}`,
        name: 'x',
        type: 'server',
        servers: [{ connection_id: b, os: 'Plan 9' }],
      }),
    /Plan 9/,
  ],
  [
    'a cluster is called otherwise',
    ({ a }) =>
      sql`update matriarch.topology_clusters set name = 'seen later' where cluster_key = ${`binary:${a}`}`,
    /seen later/,
  ],
];

/** Of how they are. */
const OF_STATES: Change[] = [
  [
    'a server fails',
    ({ a }) => reported(test.db, a, 'The password is not right.'),
    /The password is not right/,
  ],
  ['an alert fires', ({ a }) => fire(a), /"active_alert_count":1/],
];

describe('the next reply shows it when', () => {
  async function shows([, change, expected]: Change): Promise<{ is_read: boolean; is_all_read: boolean }> {
    const made = await scene();
    const before = await warm(made.session);
    expect(before).not.toMatch(expected);
    const work = change(made);
    await ('text' in work ? test.db.run(sql`/* test.change */ ${work}`) : work);
    const { text, ...read } = await ask(made.session);
    expect(text).toMatch(expected);
    return read;
  }

  it.each(OF_THE_TREE)('%s', async (...change) => {
    expect(await shows(change)).toEqual({ is_read: true, is_all_read: true });
  });

  it.each(OF_STATES)('%s, for which nothing else is read', async (...change) => {
    expect(await shows(change)).toEqual({ is_read: true, is_all_read: false });
  });

  it('connectivity is to be sampled less often, which decides on the status', async () => {
    const { session, a } = await scene();
    await test.db.run(sql`/* test.age */
      update metrics.current_snapshots
      set collected_at = now() - interval '100 seconds' where connection_id = ${a}`);
    clock.advance(2000);
    expect(await warm(session)).toContain('"status":"warning"');
    await test.db.run(sql`/* test.override */
      insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
      values ('server', ${a}, 'pg_connectivity', true, 600, 7)`);
    expect((await ask(session)).text).not.toContain('"status":"warning"');
  });

  it('two seconds have passed, for what only grows old', async () => {
    const { session, a } = await scene();
    expect(await warm(session)).toContain('"status":"online"');
    await test.db.run(sql`/* test.age */
      update metrics.current_snapshots
      set collected_at = now() - interval '1 hour' where connection_id = ${a}`);
    expect((await ask(session)).is_read).toBe(false);
    clock.advance(2000);
    const { text, is_read, is_all_read } = await ask(session);
    expect([is_read, is_all_read]).toEqual([true, false]);
    expect(text).toContain('"status":"offline"');
  });
});

describe('S12 what is kept knows no rights:', () => {
  it('somebody who sees other servers gets their own tree from the same reading', async () => {
    const [one, two] = [await scene(), await scene()];
    await warm(one.session);
    const { text, is_read } = await ask(two.session);
    expect(is_read).toBe(false);
    const ids = (of: string) => [...of.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
    expect(ids(text)).toEqual(expect.arrayContaining([two.a, two.b]));
    expect(ids(text)).not.toEqual(expect.arrayContaining([one.a]));
    expect(ids(await warm(one.session))).not.toEqual(expect.arrayContaining([two.a]));
  });

  it('a grant shows at once, and so does its end', async () => {
    const { a, cluster } = await scene();
    const { user_id, session } = await makeUser(test.db);
    expect(await warm(session)).not.toContain(`cluster-${cluster}`);
    const { id } = await test.db.one<{ id: number }>(sql`/* test.grant */
      with g as (insert into matriarch.groups (name) values ('readers of the tree') returning id),
      m as (insert into matriarch.group_users (group_id, user_id) select id, ${user_id} from g)
      insert into matriarch.group_connections (group_id, connection_id, access_level)
      select id, ${a}, 'read' from g returning group_id as id`);
    const granted = await ask(session);
    expect(granted.text).toContain(`cluster-${cluster}`);
    expect(granted.is_read).toBe(false);
    await test.db.run(sql`/* test.revoke */
      delete from matriarch.group_connections where group_id = ${id}`);
    expect((await ask(session)).text).not.toContain(`cluster-${cluster}`);
  });

  it('a token sees what its scope leaves, while its owner sees all, empty groups or none', async () => {
    const { user_id, a, b } = await scene();
    const boss = test.actors.superuser;
    const whole = await warm(boss.session);
    const token = (connections: number[], admin: string[]) =>
      makeToken(test.db, boss.user_id, {
        scope: {
          admin,
          connections: connections.map((id) => ({ connection_id: id, level: 'read' as const })),
        },
      });
    const narrow = await ask(await token([b], []));
    expect(narrow.text).toContain('beta');
    expect(narrow.text).not.toContain(`"id":${a},`);
    const empty = await makeGroup(test.db, { owner_id: user_id });
    expect((await ask(await token([b], []))).text).not.toContain(`group-${empty}`);
    expect((await ask(await token([b], ['manage_connections']))).text).toContain(`group-${empty}`);
    expect(whole).toContain(`"id":${a},`);
  });
});
