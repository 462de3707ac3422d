// What is read before the first page stands: for those who are signed in, what that page would ask for anyway.
import { expect, it } from 'vitest';
import { makeQueryClient } from '../api/use-operation.ts';
import { Refusal, startApi } from '../testing/api.ts';
import { EVERYWHERE } from '../testing/estate.ts';
import { readFirst } from './first-reads.ts';

it('reads the estate, and the server whose page it is, once it is known who is there', async () => {
  const api = await startApi({ ...EVERYWHERE, getServerInfo: new Refusal(503, 'The datastore is away.') });
  const client = makeQueryClient();
  await readFirst(client, '/servers/7');
  expect(api.sent[0]?.operation).toBe('getUserInfo');
  expect(new Set(api.sent.slice(1).map(({ path }) => path))).toEqual(
    new Set([
      '/api/v1/estate',
      '/api/v1/server-info/7',
      '/api/v1/alerts?connection_id=7&exclude_cleared=true&limit=50',
      '/api/v1/connections/7/moment?limit=1000',
      '/api/v1/findings?state=open&connection_ids=7&limit=6',
    ]),
  );
  expect(client.getQueryData(['getEstate', {}])).toBeDefined();
  await readFirst(makeQueryClient(), '/servers/7/edit');
  expect(api.sent.filter(({ operation }) => operation === 'getServerInfo')).toHaveLength(1);
});

it('reads the overview where the estate is opened', async () => {
  const overview = { status: 'empty' as const, summary: null, snapshot: null };
  await startApi({ ...EVERYWHERE, getOverview: overview });
  const client = makeQueryClient();
  await readFirst(client, '/');
  expect(client.getQueryData(['getOverview', { query: {} }])).toEqual(overview);
});

it('asks for nothing else while nobody is signed in, or nobody knows', async () => {
  const api = await startApi({ ...EVERYWHERE, getUserInfo: { authenticated: false } });
  await readFirst(makeQueryClient(), '/servers/7');
  api.answer({ getUserInfo: new Refusal(503, 'The datastore is away.') });
  await readFirst(makeQueryClient(), '/servers/7');
  expect(api.sent.map(({ operation }) => operation)).toEqual(['getUserInfo', 'getUserInfo']);
});

it('asks nothing more of a server that may not be seen', async () => {
  const api = await startApi({
    ...EVERYWHERE,
    getServerInfo: new Refusal(403, 'You may not see this connection.'),
  });
  await readFirst(makeQueryClient(), '/servers/7');
  expect(api.sent.map(({ operation }) => operation).sort()).toEqual([
    'getEstate',
    'getServerInfo',
    'getUserInfo',
  ]);
});
