// A stop while requests are in flight. What else may be wrong beside a request is in faults.test.ts.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { PublicCtx } from '../identity/access/principal.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { route } from '../kernel/route.ts';
import { startTestApi } from '../testing/api.ts';
import { openOperation } from '../testing/open-operation.ts';
import { createApi } from './server.ts';

it('finishes what is in flight before it stops, and tells what would not end', async () => {
  const outcomes: string[] = [];
  const [quickCame, endlessCame] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const quick = route(openOperation('quick'), async () => {
    quickCame.resolve();
    await delay(300);
    return { said: 'finished' };
  });
  const endless = route(openOperation('endless'), async (ctx: PublicCtx) => {
    endlessCame.resolve();
    await delay(60_000, undefined, { signal: ctx.signal }).catch(() => outcomes.push('told'));
    return { said: 'late' };
  });
  const database = await startTestApi({ rooms: [] });
  onTestFinished(() => database.close());
  const api = await createApi({
    db: database.db,
    routes: [quick, endless],
    constraints: {},
    log: silentLog,
    clock: systemClock,
    config: {
      host: '127.0.0.1',
      port: 0,
      trustedProxies: [],
      allowedOrigins: [],
      webRoot: undefined,
      logRequests: true,
      requestTimeoutMs: 60_000,
      bodyLimitBytes: 1024,
      sharedAccess: 'read',
    },
  });
  const { url } = await api.listen();
  const pending = fetch(`${url}/api/v1/quick`).then(async (response) => response.json());
  const never = fetch(`${url}/api/v1/endless`).then(
    async (response) => response.json(),
    () => 'cut',
  );
  await Promise.all([quickCame.promise, endlessCame.promise]);
  const stopped = api.stop();
  expect(await pending).toEqual({ said: 'finished' });
  await stopped;
  expect(outcomes).toEqual(['told']);
  expect(await never).toEqual({ said: 'late' });
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});
