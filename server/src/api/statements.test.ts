// What a request costs the datastore: one statement says who is calling and what they may do, the rest is its own.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeToken } from '../testing/access/actors.ts';
import type { TestApi } from '../testing/api.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';
import { collectedHistory } from '../testing/store/collected.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startWholeApi();
});
afterAll(() => test.close());

async function names(request: string, options: Parameters<TestApi['call']>[1]): Promise<string[]> {
  test.statements.reset();
  await test.call(request, options);
  return test.statements.sent.map((text) => /\/\*\s*(\S+)\s*\*\//.exec(text)?.[1] ?? text);
}

it.each(['session', 'token'])('one statement by %s before a request on a connection', async (kind) => {
  const { owner, own_connection } = test.actors;
  const token = kind === 'session' ? owner.session : await makeToken(test.db, owner.user_id);
  const read = await names(`GET /api/v1/server-info/${own_connection}`, { token });
  expect(read[0]).toBe('access.authenticate');
  expect(read).toHaveLength(2);
  // The third says whether the caller manages it: only who does is shown a token in its node_exporter's address.
  expect(await names(`GET /api/v1/connections/${own_connection}`, { token })).toHaveLength(3);
  expect(await names('GET /api/v1/connections', { token })).toHaveLength(2);
});

it('one round trip of its own for metrics of a connection, and one altogether for many who ask at once', async () => {
  const { owner, other, own_connection } = test.actors;
  const path = `GET /api/v1/metrics/query?connection_id=${own_connection}&probe_name=pg_stat_database&metrics=`;
  const token = owner.session;
  const rows = [{ datid: 5, datname: 'shop', numbackends: 3 }];
  await collectedHistory(test.db, [{ connection_id: own_connection, probe: 'pg_stat_database', rows }]);
  expect(await names(`${path}numbackends`, { token: other.session })).toEqual(['access.authenticate']);
  await names(`${path}numbackends`, { token });
  expect(await names(`${path}xact_commit`, { token })).toEqual(['access.authenticate', 'store.read_stored']);
  test.statements.reset();
  const metrics = ['numbackends', 'xact_commit', 'cache_hit_ratio', 'deadlocks', 'blks_read', 'tup_returned'];
  const replies = await Promise.all(metrics.map((name) => test.call(`${path}${name}`, { token })));
  expect(replies.map(({ status }) => status)).toEqual(metrics.map(() => 200));
  // Some may come while the others are being answered, or in another minute.
  expect(test.statements.sent.length).toBeLessThan(metrics.length);
});

it('no statement of its own for a caller who is turned away', async () => {
  const { other, own_connection } = test.actors;
  const path = `/api/v1/connections/${own_connection}`;
  expect(await names(`GET ${path}`, { token: other.session })).toEqual(['access.authenticate']);
  expect(await names(`DELETE ${path}`, { token: other.session })).toEqual(['access.authenticate']);
  expect(await names('POST /api/v1/connections', { token: other.session, body: {} })).toEqual([
    'access.authenticate',
  ]);
  expect(await names(`GET ${path}`, {})).toEqual([]);
});

it('no statement for what is the same for all users', async () => {
  const { token } = { token: test.actors.owner.session };
  expect(await names('GET /api/v1/openapi.json', { token })).toEqual([]);
  expect(await names('GET /api/v1/llm/providers', { token })).toEqual([]);
  expect(await names('GET /health', { token })).toEqual(['utilities.health']);
});
