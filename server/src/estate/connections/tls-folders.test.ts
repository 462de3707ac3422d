// Files of TLS that a connection names lie in permitted folders: for saving, changing, testing and using one.

import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsOf, connectionsRoom } from '../../testing/rooms/connections.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { loadTargets } from './targets.service.ts';
import { forbiddenFile, tlsFoldersOf } from './tls-folders.ts';

const BODY = { host: '127.0.0.1', port: 9, database_name: 'postgres', username: 'monitor', password: '' };
const OUTSIDE = '/etc/matriarch/ca.pem';
const WORDS =
  /^ssl_root_cert_path must lie in .*certs or .*\.postgresql\. .* the setting connections\.tls_file_folders\.$/;

let api: TestApi;
let token: string;
let dataDir: string;
let stored: number;
beforeAll(async () => {
  api = await startTestApi({ rooms: [connectionsRoom] });
  token = api.actors.superuser.session;
  dataDir = testDirectory('data');
  stored = await made({ name: 'from before', ssl_root_cert_path: OUTSIDE });
  (await connectionsOf(api.parts)).tls_folders = tlsFoldersOf([], dataDir);
});
afterAll(() => api.close());

const create = (over: object) => api.call('POST /api/v1/connections', { token, body: { ...BODY, ...over } });
const put = (id: number, body: object) => api.call(`PUT /api/v1/connections/${id}`, { token, body });
const test = (body: object) => api.call('POST /api/v1/connections/test', { token, body });
async function made(over: object): Promise<number> {
  const answer = await create(over);
  expect(answer.status).toBe(201);
  return Number(JSON.parse(answer.text).id);
}

describe('without a setting', () => {
  it('a path outside is neither saved, changed to, nor tried', async () => {
    const id = await made({ name: 'plain' });
    const over = { ssl_root_cert_path: OUTSIDE };
    for (const answer of [
      await create({ name: 'outside', ...over }),
      await put(id, over),
      await test({ ...BODY, ...over }),
      await test({ id, ...over }),
      await put(stored, { ssl_root_cert_path: '/etc/matriarch/other.pem' }),
    ])
      expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(WORDS)]);
    const { n } = await api.db.one<{ n: number }>(sql`/* test.paths */
      select count(*) as n from matriarch.connections where ssl_root_cert_path is not null`);
    expect(n).toBe(1);
  });

  it.each([
    ['the data directory', () => path.join(dataDir, 'certs', 'ca.pem')],
    ["libpq's folder", () => path.join(homedir(), '.postgresql', 'root.crt')],
  ])('a path in %s is', async (name, file) => {
    const id = await made({ name, ssl_root_cert_path: file() });
    expect((await test({ id })).status).toBe(200);
  });

  it('a path that was stored before stays in use until it is changed', async () => {
    expect((await put(stored, { description: 'x', ssl_root_cert_path: OUTSIDE })).status).toBe(200);
    expect((await test({ id: stored })).status).toBe(200);
    const { vault, ...rules } = await connectionsOf(api.parts);
    const [target] = await loadTargets(api.db, vault, { ...rules, ids: [stored] });
    expect(target).toMatchObject({ problem: undefined, settings: { ssl_root_cert_path: OUTSIDE } });
  });
});

it('with a setting it holds for what was stored before, when it is used too', async () => {
  const { vault, ...rules } = await connectionsOf(api.parts);
  const here = { ...rules, tls_folders: tlsFoldersOf([path.join(dataDir, 'mine')], dataDir) };
  const sentence = expect.stringMatching(/^ssl_root_cert_path must lie in \S*mine\. /);
  expect(await loadTargets(api.db, vault, { ...here, ids: [stored] })).toMatchObject([
    { settings: undefined, problem: sentence },
  ]);
  (await connectionsOf(api.parts)).tls_folders = here.tls_folders;
  expect(await test({ id: stored })).toMatchObject({ status: 400, error: sentence });
  // What has nothing to do with it can be changed all the same.
  expect((await put(stored, { description: 'y' })).status).toBe(200);
});

describe('a file', () => {
  const folders = { folders: ['/srv/certs'], is_set: true };
  it.each([
    ['/srv/certs/a.pem', true],
    ['/srv/certs/deep/a.pem', true],
    ['/srv/certs/..data/a.pem', true],
    ['/srv/certs/../secret.key', false],
    ['/srv/certs-of-others/a.pem', false],
    ['/srv/certs', false],
    ['/srv/certs/a/../../b.pem', false],
    ['/srv/certs/a/../b.pem', true],
  ])('%s is permitted: %s', (file, permitted) => {
    for (const member of ['ssl_cert_path', 'ssl_key_path', 'ssl_root_cert_path'])
      expect(forbiddenFile({ [member]: file }, folders) === undefined).toBe(permitted);
  });
});
