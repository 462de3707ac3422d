// Tests and lists of databases of one user, at a server that accepts and never answers.
import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';

let api: TestApi;
let port = 0;
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
});

beforeAll(async () => {
  api = await startTestApi();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const at = server.address();
  port = typeof at === 'object' && at !== null ? at.port : 0;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await api.close();
});

const place = () => ({
  host: '127.0.0.1',
  port,
  database_name: 'postgres',
  username: 'me',
  password: 'x',
  ssl_mode: 'disable',
});

it('take two places of a user and four of a server, whatever is asked; the rest is 429 with Retry-After', async () => {
  const people = await Promise.all([1, 2, 3].map(() => makeUser(api.db, { is_superuser: true })));
  const made = await api.call('POST /api/v1/connections', {
    token: people[0]?.session ?? '',
    body: { ...place(), name: 'silent' },
  });
  const { id } = JSON.parse(made.text);
  const asked = Promise.all(
    people.flatMap(({ session: token }) => [
      api.call('POST /api/v1/connections/test', { token, body: place() }),
      api.call('POST /api/v1/connections/test', { token, body: { id } }),
      api.call(`GET /api/v1/connections/${id}/databases`, { token }),
    ]),
  );
  // Nobody's time is over yet, so what is open now is all that may be open at once.
  await expect.poll(() => sockets.size).toBe(4);
  await setTimeout(1000);
  expect(sockets.size).toBe(4);
  const answers = await asked;
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(answer.error).toMatch(/^(You already have 2 questions|This server is already being asked 4)/);
    expect(answer.headers['retry-after']).toBe('5');
  }
});
