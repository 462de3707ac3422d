// What a request costs the datastore: one statement says who is calling and what they may do, the rest is its own.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeToken } from '../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../testing/api.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi();
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

it('no statement for what is the same for everybody', async () => {
  const { token } = { token: test.actors.owner.session };
  expect(await names('GET /api/v1/openapi.json', { token })).toEqual([]);
  expect(await names('GET /api/v1/llm/providers', { token })).toEqual([]);
  expect(await names('GET /health', { token })).toEqual(['utilities.health']);
});
