// What acts on the whole estate, or on all of a group or cluster, is refused to those who see only a part of it: people who
// manage without seeing any server, people who see some, and tokens that are limited to some connections.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { emptyScene, type Scene } from '../testing/access/access-scene.ts';
import { startWholeApi, type WholeApi } from '../testing/rooms/whole.ts';

let test: WholeApi;
let scene: Scene;
let undo: () => Promise<void>;
beforeAll(async () => {
  test = await startWholeApi();
  scene = emptyScene(test.db);
});
beforeEach(async () => {
  undo = await scene.mark();
  return () => undo();
});
afterAll(() => test.close());

const later = new Date(Date.now() + 3_600_000).toISOString();
const now = new Date().toISOString();
const quiet = (about: object) => ({ ...about, start_time: now, end_time: later });
const planned = (about: object) => ({
  ...about,
  name: 'nightly',
  cron_expression: '0 2 * * *',
  duration_minutes: 5,
});

/** Everything that acts on more servers than one, with what it may say besides refusing. */
async function acts(): Promise<readonly [line: string, body?: object][]> {
  const { token } = { token: test.actors.superuser.session };
  const made = async (line: string, body: object) =>
    Object((await test.call(line, { token, body })).body).id ?? expect.fail(line);
  const channel = await made('POST /api/v1/notification-channels', {
    channel_type: 'email',
    name: `mail-${Math.random()}`,
    smtp_host: 'mail.example.com',
    from_address: 'ada@example.com',
  });
  const blackout = await made('POST /api/v1/blackouts', quiet({ scope: 'estate' }));
  const schedule = await made('POST /api/v1/blackout-schedules', planned({ scope: 'estate' }));
  const { id: group } = await test.db.one<{ id: number }>(sql`/* test.default_group */
    select id from matriarch.cluster_groups where is_default`);
  const { id: rule } = await test.db.one<{ id: number }>(
    sql`/* test.rule */ select min(id) as id from matriarch.alert_rules`,
  );
  const { id: probe } = await test.db.one<{ id: number }>(
    sql`/* test.probe */ select min(id) as id from matriarch.probe_configs`,
  );
  const report = {
    name: 'weekly',
    scope: 'estate',
    cron_expression: '0 8 * * MON',
    timezone: 'UTC',
    channel_id: channel,
  };
  return [
    ['POST /api/v1/blackouts', quiet({ scope: 'estate' })],
    ['POST /api/v1/blackouts', quiet({ scope: 'group', group_id: group })],
    [`PUT /api/v1/blackouts/${blackout}`, { reason: 'other' }],
    [`POST /api/v1/blackouts/${blackout}/stop`],
    [`DELETE /api/v1/blackouts/${blackout}`],
    ['POST /api/v1/blackout-schedules', planned({ scope: 'estate' })],
    ['POST /api/v1/blackout-schedules', planned({ scope: 'group', group_id: group })],
    [`PUT /api/v1/blackout-schedules/${schedule}`, planned({ scope: 'estate', duration_minutes: 6 })],
    [`DELETE /api/v1/blackout-schedules/${schedule}`],
    [`PUT /api/v1/alert-rules/${rule}`, { default_enabled: false }],
    [`PUT /api/v1/probe-configs/${probe}`, { is_enabled: false }],
    [`POST /api/v1/probe-configs/${probe}/reset`],
    [
      `PUT /api/v1/alert-overrides/group/${group}/${rule}`,
      { operator: '>', threshold: 1, severity: 'info', enabled: false },
    ],
    [`DELETE /api/v1/alert-overrides/group/${group}/${rule}`],
    [
      `PUT /api/v1/probe-overrides/group/${group}/pg_connectivity`,
      { is_enabled: false, collection_interval_seconds: 30, retention_days: 1 },
    ],
    [`DELETE /api/v1/probe-overrides/group/${group}/pg_connectivity`],
    [`PUT /api/v1/channel-overrides/group/${group}/${channel}`, { enabled: false }],
    [`DELETE /api/v1/channel-overrides/group/${group}/${channel}`],
    [
      'POST /api/v1/notification-channels',
      { channel_type: 'slack', name: 's', webhook_url: 'http://h.invalid/' },
    ],
    [`PUT /api/v1/notification-channels/${channel}`, { enabled: false }],
    [`POST /api/v1/notification-channels/${channel}/recipients`, { email_address: 'eve@example.com' }],
    ['POST /api/v1/report-schedules', report],
    [`DELETE /api/v1/notification-channels/${channel}`],
  ];
}

const statuses = async (token: string) => {
  const said: string[] = [];
  for (const [line, body] of await acts()) {
    const answer = await test.call(line, { token, ...(body && { body }) });
    said.push(`${line.replaceAll(/\d+/g, 'N')} ${answer.status}`);
  }
  return said;
};
const refusedAll = async () => (await acts()).map(([line]) => `${line.replaceAll(/\d+/g, 'N')} 403`);

it('refuses who manages everything and sees no server, or not all of them', async () => {
  const first = await scene.surroundings();
  await scene.surroundings();
  await test.db.run(sql`/* test.ungrouped */ update matriarch.connections set cluster_id = null`);
  const blind = await scene.user();
  await scene.group({ users: [blind.user_id], permissions: ['*'] });
  expect(await statuses(blind.session)).toEqual(await refusedAll());
  const partial = await scene.user();
  await scene.group({
    users: [partial.user_id],
    permissions: ['*'],
    connections: { [first.target]: 'read_write' },
  });
  expect(await statuses(partial.session)).toEqual(await refusedAll());
});

/** The others stay in the tables, deleted. */
const leaveOnly = (target: number) =>
  test.db.run(
    sql`/* test.leave_only */ update matriarch.connections set deleted_at = now() where id <> ${target}`,
  );

it('refuses tokens that are limited to some connections, a superuser’s too, even if these are all there are', async () => {
  const { target } = await scene.surroundings();
  await scene.surroundings();
  await test.db.run(sql`/* test.ungrouped */ update matriarch.connections set cluster_id = null`);
  const owner = await scene.user({ is_superuser: true });
  const none = await scene.token(owner.user_id, { connections: [] });
  const one = await scene.token(owner.user_id, {
    connections: [{ connection_id: target, level: 'read_write' }],
  });
  for (const token of [none, one]) expect(await statuses(token)).toEqual(await refusedAll());
  await leaveOnly(target);
  expect(await statuses(none)).toEqual(await refusedAll());
  const create = async (about: object) =>
    (await test.call('POST /api/v1/blackouts', { token: one, body: quiet(about) })).status;
  expect(await create({ scope: 'estate' })).toBe(403);
  expect(await create({ scope: 'server', connection_id: target })).toBe(201);
});

it('lets through who sees all servers, by grants on each, on everything, or by a token that is good for all', async () => {
  const { target } = await scene.surroundings();
  await leaveOnly(target);
  const each = await scene.user();
  await scene.group({ users: [each.user_id], permissions: ['*'], connections: { [target]: 'read' } });
  const every = await scene.user();
  await scene.group({ users: [every.user_id], permissions: ['*'], connections: { 0: 'read' } });
  const token = await scene.token(every.user_id, { connections: [{ connection_id: 0, level: 'read' }] });
  for (const one of [each.session, every.session, token]) {
    const refused = (await statuses(one)).filter((said) => said.endsWith(' 403'));
    // A report of a limited token stays refused, whatever the limit is.
    expect(refused).toEqual(one === token ? ['POST /api/vN/report-schedules 403'] : []);
  }
});

it('refuses to hide, move or delete a cluster or group that holds servers the caller does not see', async () => {
  const { target, cluster, cluster_group } = await scene.surroundings();
  const hidden = await scene.surroundings();
  await test.db.run(sql`/* test.join */
    update matriarch.connections set cluster_id = ${cluster} where id = ${hidden.target}`);
  const some = await scene.user();
  await scene.group({ users: [some.user_id], permissions: ['*'], connections: { [target]: 'read_write' } });
  const token = some.session;
  const status = async (line: string, body?: object) =>
    (await test.call(line, { token, ...(body && { body }) })).status;
  expect(await status(`PUT /api/v1/clusters/${cluster}`, { name: 'renamed' })).toBe(200);
  expect(await status(`PUT /api/v1/clusters/${cluster}`, { group_id: null })).toBe(403);
  expect(await status(`DELETE /api/v1/clusters/${cluster}`)).toBe(403);
  expect(await status(`DELETE /api/v1/cluster-groups/${cluster_group}`)).toBe(403);
  expect(await status('POST /api/v1/blackouts', quiet({ scope: 'cluster', cluster_id: cluster }))).toBe(403);
  expect(await status('POST /api/v1/blackouts', quiet({ scope: 'server', connection_id: target }))).toBe(201);
  await scene.group({ users: [some.user_id], connections: { [hidden.target]: 'read' } });
  expect(await status('POST /api/v1/blackouts', quiet({ scope: 'cluster', cluster_id: cluster }))).toBe(201);
  expect(await status(`DELETE /api/v1/clusters/${cluster}`)).toBe(204);
});
