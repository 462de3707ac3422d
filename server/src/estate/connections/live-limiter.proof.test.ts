// Tests and lists of databases of one user, at a server that accepts and never answers.

import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { collected } from '../../testing/store/collected.ts';

let api: TestApi;
let port = 0;
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
});

beforeAll(async () => {
  api = await startTestApi({ rooms: [connectionsRoom] });
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

const permit = () => ({
  host: '127.0.0.1',
  port,
  database_name: 'postgres',
  username: 'me',
  password: 'x',
  ssl_mode: 'disable',
});

it('take two permits of a user and four of a server, whatever is asked; the rest is 429 with Retry-After', async () => {
  const people = await Promise.all([1, 2, 3].map(() => makeUser(api.db, { is_superuser: true })));
  const made = await api.call('POST /api/v1/connections', {
    token: people[0]?.session ?? '',
    body: { ...permit(), name: 'silent' },
  });
  const { id } = JSON.parse(made.text);
  const asked = Promise.all(
    people.flatMap(({ session: token }) => [
      api.call('POST /api/v1/connections/test', { token, body: permit() }),
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

const setting = (name: string, value: string) => ({ name, setting: value });
const session = (pid: number) => ({ pid, backend_type: 'client backend' });

it.each([
  { what: 'a tenth of the free slots', max: '40', sessions: 11, takes: 2 },
  { what: 'one of a full server', max: '20', sessions: 17, takes: 1 },
  { what: 'four where there are many', max: '200', sessions: 7, takes: 4 },
  { what: 'four where the sessions were read long ago', max: '20', sessions: 17, age: 3_600_000, takes: 4 },
])('take $what', async ({ max, sessions, age = 0, takes }) => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  const people = await Promise.all([1, 2, 3].map(() => makeUser(api.db, { is_superuser: true })));
  const made = await api.call('POST /api/v1/connections', {
    token: people[0]?.session ?? '',
    body: { ...permit(), name: 'silent' },
  });
  const { id } = JSON.parse(made.text);
  const at = Date.now() - age;
  const settings = [setting('max_connections', max), setting('superuser_reserved_connections', '3')];
  const rows = Array.from({ length: sessions }, (_, index) => session(index + 1));
  await collected(
    api.db,
    { connection_id: id, probe: 'pg_settings', at, rows: settings, history_by: ['name'] },
    { connection_id: id, probe: 'pg_stat_activity', at, rows },
  );
  const asked = Promise.all(
    people.flatMap(({ session: token }) => [
      api.call('POST /api/v1/connections/test', { token, body: { id } }),
      api.call(`GET /api/v1/connections/${id}/databases`, { token }),
    ]),
  );
  await expect.poll(() => sockets.size).toBe(takes);
  await setTimeout(500);
  expect(sockets.size).toBe(takes);
  for (const socket of sockets) socket.destroy();
  await asked;
});
