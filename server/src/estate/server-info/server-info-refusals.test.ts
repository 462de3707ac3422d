import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiConfig } from '../../api/config.ts';
import { createApi } from '../../api/server.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { callApi, startTestApi, type TestApi } from '../../testing/api.ts';
import { serverInfoRoutes } from './server-info.routes.ts';

const routes = serverInfoRoutes({ analysis: { getServerAiAnalysis: async () => null } });

const CONFIG: ApiConfig = {
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  allowedOrigins: [],
  webRoot: undefined,
  logRequests: true,
  requestTimeoutMs: 60_000,
  bodyLimitBytes: 1024 * 1024,
  sharedAccess: 'read_write',
};

let test: TestApi;
let id: number;
let token: string;
beforeAll(async () => {
  test = await startTestApi({ rooms: [() => routes] });
  token = test.actors.owner.session;
  id = test.actors.own_connection;
});
afterAll(() => test.close());

const get = (path: string | number) => test.call(`GET /api/v1/server-info/${path}`, { token });

describe('server information refuses', () => {
  it.each([
    '0',
    '-1',
    '2147483648',
    '99999999999999999999',
    '1.0',
    '1e3',
    '0x1',
    'abc',
    '%20',
    '',
    '1%00',
    '+1',
    '١',
  ])('the id «%s» with 400', async (bad) => {
    for (const path of [bad, `${bad}/ai-analysis`]) {
      const answer = await get(path);
      expect(answer.status, path).toBe(400);
      expect(answer.body).toEqual({ error: expect.stringMatching(/connection_id/) });
    }
  });

  it('an unknown id and one of somebody else alike, with 403', async () => {
    const other = { token: test.actors.other.session };
    const unknown = await test.call('GET /api/v1/server-info/2147483647', other);
    const foreign = await test.call(`GET /api/v1/server-info/${id}`, other);
    expect([unknown.status, foreign.status]).toEqual([403, 403]);
    expect(unknown.text).toBe(foreign.text);
    const superuser = { token: test.actors.superuser.session };
    expect((await test.call('GET /api/v1/server-info/2147483647', superuser)).status).toBe(403);
    expect((await test.call(`GET /api/v1/server-info/${id}`, superuser)).status).toBe(200);
  });

  it('nobody in particular with 401, whatever the id', async () => {
    for (const path of [id, 'abc', 2_147_483_647]) {
      const answer = await test.call(`GET /api/v1/server-info/${path}`);
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({ error: expect.any(String) });
    }
  });

  it('with 500 and a sentence when the datastore is away', async () => {
    const db = new Database({
      url: new Secret('postgres://nobody@127.0.0.1:1/none'),
      log: silentLog,
      applicationName: 'test',
    });
    const api = await createApi({
      db,
      routes,
      constraints: {},
      log: silentLog,
      clock: systemClock,
      config: CONFIG,
    });
    const answer = await callApi(api, `GET /api/v1/server-info/${id}`, { token });
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ error: expect.stringMatching(/datastore/) });
    await api.stop();
    await db.stop();
  });
});
