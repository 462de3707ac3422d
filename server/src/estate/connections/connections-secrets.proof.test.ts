// A live question to a server that is silent is answered in time. One that refuses or is gone is in connections-secrets.test.ts.

import { expect, it, onTestFinished } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { bodyOf } from '../../testing/servers/tested-connections.ts';

it('live databases say 504 when the server is silent', async () => {
  const api = await startTestApi({ rooms: [connectionsRoom] });
  onTestFinished(() => api.close());
  const token = api.actors.superuser.session;
  await using cluster = await startCluster();
  const made = await api.call('POST /api/v1/connections', {
    token,
    body: bodyOf(cluster, { name: 'silent' }),
  });
  expect(made.error).toBeUndefined();
  const { id } = JSON.parse(made.text);
  cluster.pause();
  const late = await api.call(`GET /api/v1/connections/${id}/databases`, { token });
  cluster.resume();
  expect(late.status).toBe(504);
  expect(late.error).toMatch(/in time/);
});
