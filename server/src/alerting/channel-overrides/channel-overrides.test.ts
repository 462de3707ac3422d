// Overrides of channels through HTTP, and which channels are told of a connection because of them.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { emptyScene } from '../../testing/access/access-scene.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { channelsRoom } from '../../testing/rooms/channels.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { channelOverridesRoutes } from './channel-overrides.routes.ts';

let api: TestApi;
let token: string;
beforeAll(async () => {
  api = await startTestApi({ rooms: [channelOverridesRoutes, connectionsRoom, channelsRoom] });
  token = api.actors.superuser.session;
});
afterAll(() => api.close());

async function channel(name: string, more: object = {}): Promise<number> {
  const body = { channel_type: 'slack', name, webhook_url: 'http://hooks.invalid/', ...more };
  return Object((await api.call('POST /api/v1/notification-channels', { token, body })).body).id;
}

const told = async (connection_id: number) =>
  (
    await api.db.rows<{ name: string }>(sql`/* test.told */
      select n.name
      from matriarch.connection_channels c
      join matriarch.notification_channels n on n.id = c.channel_id
      where c.connection_id = ${connection_id} order by n.name`)
  ).map(({ name }) => name);

it('the most specific override wins over the default of the estate', async () => {
  const { target, cluster, cluster_group } = await emptyScene(api.db).surroundings();
  const usual = await channel('usual', { is_estate_default: true });
  const extra = await channel('extra');
  await channel('off', { is_estate_default: true, enabled: false });
  const at = (scope: string, id: number, channelId: number) =>
    `/api/v1/channel-overrides/${scope}/${id}/${channelId}`;
  const set = async (path: string, enabled: boolean) =>
    expect((await api.call(`PUT ${path}`, { token, body: { enabled } })).body).toEqual({ status: 'ok' });
  expect(await told(target)).toEqual(['usual']);
  await set(at('group', cluster_group, usual), false);
  await set(at('group', cluster_group, extra), true);
  expect(await told(target)).toEqual(['extra']);
  await set(at('cluster', cluster, usual), true);
  await set(at('cluster', cluster, extra), false);
  expect(await told(target)).toEqual(['usual']);
  await set(at('server', target, extra), true);
  await set(at('server', target, usual), false);
  expect(await told(target)).toEqual(['extra']);
  expect((await api.call(`DELETE ${at('server', target, usual)}`, { token })).body).toEqual({ status: 'ok' });
  expect((await api.call(`DELETE ${at('server', target, usual)}`, { token })).status).toBe(200);
  expect(await told(target)).toEqual(['extra', 'usual']);
});

it('lists one row for every enabled channel', async () => {
  const { target } = await emptyScene(api.db).surroundings();
  const id = await channel('listed', { description: 'Who is on call' });
  await api.call(`PUT /api/v1/channel-overrides/server/${target}/${id}`, { token, body: { enabled: false } });
  const rows = Object((await api.call(`GET /api/v1/channel-overrides/server/${target}`, { token })).body);
  expect(rows.map(({ channel_name }: { channel_name: string }) => channel_name)).not.toContain('off');
  expect(rows).toContainEqual({
    channel_id: id,
    channel_name: 'listed',
    channel_type: 'slack',
    description: 'Who is on call',
    is_estate_default: false,
    has_override: true,
    override_enabled: false,
  });
  expect(rows).toContainEqual(
    expect.objectContaining({ has_override: false, override_enabled: null, description: null }),
  );
});

it('refuses what is not there, and goes with what it is for', async () => {
  const { target } = await emptyScene(api.db).surroundings();
  const id = await channel('gone with its server');
  const path = `/api/v1/channel-overrides/server/${target}`;
  expect((await api.call(`PUT ${path}/2000000000`, { token, body: { enabled: true } })).status).toBe(404);
  expect((await api.call(`PUT ${path}/${id}`, { token, body: {} })).error).toMatch(/enabled is missing/);
  await api.call(`PUT ${path}/${id}`, { token, body: { enabled: true } });
  await api.call(`DELETE /api/v1/connections/${target}`, { token });
  const { count } = await api.db.one<{ count: number }>(sql`/* test.overrides */
    select count(*)::int as count from matriarch.channel_overrides where scope = 'server' and scope_id = ${target}`);
  expect(count).toBe(0);
  const events = await api.db.rows<{ details: object }>(sql`/* test.events */
    select details from matriarch.audit_events where target_kind = 'channel' and action = 'settings.change' and target_id = ${String(id)}`);
  expect(events).toMatchObject([{ details: { scope: 'server', scope_id: target, is_enabled: true } }]);
});
