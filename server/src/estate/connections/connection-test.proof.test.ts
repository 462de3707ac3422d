// A test of a connection whose server hangs: it ends in time. Every other step is in connection-test.test.ts.

import { expect, it, onTestFinished } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { statuses, testedConnection, words } from '../../testing/servers/tested-connections.ts';

it('a connection test ends in time when the server hangs', async () => {
  const api = await startTestApi({ rooms: [connectionsRoom] });
  onTestFinished(() => api.close());
  await using frozen = await startCluster({ major: 15 });
  frozen.pause();
  const report = await testedConnection(api, frozen, { ssl_mode: 'disable' });
  expect(statuses(report)).toBe('ok ok ok failed skipped skipped skipped');
  expect(words(report, 'sign_in')).toMatch(/did not finish signing in in time/);
});
