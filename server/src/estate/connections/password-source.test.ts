// Connections whose password comes from a source of the settings, on a real server: over the API, and with a collector while it rotates.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PasswordSources } from '../../identity/secrets/password-sources/password-sources.ts';
import { openVault } from '../../identity/secrets/vault.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLog, silentLog } from '../../kernel/log.ts';
import { readPasswordSources } from '../../kernel/password-source-settings.ts';
import { Declarations } from '../../kernel/setting-values.ts';
import { sql } from '../../kernel/sql.ts';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { newHouse, pollMoved, SOON } from '../../testing/collecting-tests.ts';
import { vaultOf } from '../../testing/rooms/parts.ts';
import { startCluster, type TestCluster, testDirectory } from '../../testing/servers/postgres.ts';
import { connectionsRoutes } from './connections.routes.ts';
import { loadTargets } from './targets.service.ts';

const HOSTS = ['127.0.0.1'];
const CANARY = 'canary-5e1f-password';

let server: TestCluster;
let file: string;
let printed: string;
beforeAll(async () => {
  server = await startCluster();
  await server.query('create role watcher login in role pg_monitor');
  const directory = testDirectory('sources');
  file = path.join(directory, 'password');
  printed = path.join(directory, 'printed');
});
afterAll(() => server.stop());

async function rotate(password: string): Promise<void> {
  await server.query(`alter role watcher password '${password}'`);
  await Promise.all([file, printed].map((one) => writeFile(one, `${password}\n`)));
}

const declared = () =>
  readPasswordSources(
    new Declarations(
      new Map(
        Object.entries({
          file: { kind: 'file', path: file, hosts: HOSTS },
          command: { kind: 'command', command: ['/bin/cat', printed], hosts: HOSTS },
          ported: { kind: 'file', path: file, hosts: HOSTS, ports: [server.port] },
          other_port: { kind: 'file', path: file, hosts: HOSTS, ports: [1] },
          elsewhere: { kind: 'file', path: file, hosts: ['*.example.com'] },
          broken: {
            kind: 'command',
            command: ['/bin/sh', '-c', `echo ${CANARY}; echo password=${CANARY} >&2; exit 7`],
            hosts: HOSTS,
          },
        }),
      ),
    ),
    {},
  );

describe('over the API', () => {
  let api: TestApi;
  let token: string;
  let lines: string[] = [];
  beforeAll(async () => {
    await rotate('first');
    const log = createLog({ level: 'info', destination: { write: (line: string) => lines.push(line) } });
    const sources = declared();
    const password_sources = new PasswordSources({ sources, clock: systemClock, log });
    api = await startTestApi({
      log,
      rooms: [
        async (parts) =>
          connectionsRoutes({ vault: await vaultOf(parts), allow_private_networks: true, password_sources }),
      ],
    });
    token = api.actors.superuser.session;
  });
  afterAll(() => api.close());

  let made = 0;
  const bodyOf = (over: object = {}) => {
    made += 1;
    return {
      name: `server ${made}`,
      host: server.host,
      port: server.port,
      database_name: 'postgres',
      username: 'watcher',
      password: '',
      ...over,
    };
  };
  const post = (body: object, as = token) => api.call('POST /api/v1/connections', { token: as, body });
  const put = (id: number, body: object) => api.call(`PUT /api/v1/connections/${id}`, { token, body });
  const create = async (over: object): Promise<number> => {
    const answer = await post(bodyOf(over));
    expect(answer.error).toBeUndefined();
    return Number(JSON.parse(answer.text).id);
  };
  const read = async (id: number, as = token) =>
    JSON.parse((await api.call(`GET /api/v1/connections/${id}`, { token: as })).text);

  it('sources are listed by name, kind and hosts, and never with a path or a command', async () => {
    const answer = await api.call('GET /api/v1/connections/password-sources', { token });
    expect(JSON.parse(answer.text)).toContainEqual({
      name: 'elsewhere',
      kind: 'file',
      hosts: ['*.example.com'],
    });
    expect(answer.text).not.toMatch(/\/bin|canary|\/password"/);
    const nobody = await makeUser(api.db);
    const refused = await api.call('GET /api/v1/connections/password-sources', { token: nobody.session });
    expect(refused.status).toBe(403);
    const narrow = await makeToken(api.db, api.actors.superuser.user_id, { scope: { admin: [] } });
    expect((await post(bodyOf({ password_source: 'file' }), narrow)).status).toBe(403);
  });

  it.each([
    [
      { password_source: 'elsewhere' },
      /The password source elsewhere is not for 127\.0\.0\.1\. It is for: \*\.example\.com\./,
    ],
    [
      { password_source: 'fil' },
      /no password source \\?"fil\\?"\. Declared are: file, command, ported, other_port, elsewhere, broken\./,
    ],
    [{ password_source: 'file', password: 'x' }, /not both/],
    [{ password_source: 'file', hostaddr: '127.0.0.2' }, /is not for 127\.0\.0\.2/],
    [{ password_source: { kind: 'file', path: '/etc/passwd' } }, /password_source/],
  ])('%j is refused in words, when it is saved and when it is tried', async (over, words) => {
    const answer = await post(bodyOf(over));
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(words)]);
    const { name: _, ...body } = bodyOf(over);
    const tried = await api.call('POST /api/v1/connections/test', { token, body });
    expect([tried.status, tried.text]).toEqual([400, expect.stringMatching(words)]);
  });

  it.each(['file', 'command'])(
    'a %s is used for a test and for live questions, and is on record',
    async (source) => {
      const { name: _, ...body } = bodyOf({ password_source: source });
      const tried = await api.call('POST /api/v1/connections/test', { token, body });
      expect(JSON.parse(tried.text)).toMatchObject({ success: true });
      const id = await create({ password_source: source });
      expect((await api.call(`GET /api/v1/connections/${id}/databases`, { token })).status).toBe(200);
      expect(await read(id)).toMatchObject({
        has_password: false,
        password_source: source,
        password_source_reading: { read_at: expect.any(String), problem: null },
      });
      const details = await api.db.rows<{ action: string; details: object }>(sql`/* test.audit */
      select action, details from matriarch.audit_events
      where target_id = ${String(id)} and action in ('connection.create', 'secret.use') order by entry`);
      expect(details).toEqual([
        { action: 'connection.create', details: expect.objectContaining({ password_source: source }) },
        { action: 'secret.use', details: { purpose: 'listing databases', password_source: source } },
      ]);
    },
  );

  it('a connection that uses one is led elsewhere only where the source is for', async () => {
    const id = await create({ password_source: 'file', is_shared: true });
    expect((await put(id, { host: '127.0.0.2' })).text).toMatch(/is not for 127\.0\.0\.2/);
    expect((await put(id, { hostaddr: '127.0.0.2' })).text).toMatch(/is not for 127\.0\.0\.2/);
    expect((await put(id, { name: 'renamed', password_source: 'file' })).status).toBe(200);
    const reader = await makeUser(api.db);
    expect(await read(id, reader.session)).not.toHaveProperty('password_source');
    // A row that was changed behind our back: the address that answered counts.
    await api.db.run(
      sql`/* test.redirect */ update matriarch.connections set host = 'localhost' where id = ${id}`,
    );
    await api.db.run(
      sql`/* test.source */ update matriarch.connections set password_source = 'elsewhere' where id = ${id}`,
    );
    const answer = await api.call(`GET /api/v1/connections/${id}/databases`, { token });
    expect([answer.status, answer.text]).toEqual([
      502,
      expect.stringMatching(/elsewhere is not for localhost/),
    ]);
  });

  it('one with ports gives no password to another port, when it is saved and at each sign-in', async () => {
    const id = await create({ password_source: 'ported' });
    const other = server.port === 5999 ? 5998 : 5999;
    expect((await put(id, { port: other })).text).toMatch(
      `is not for port ${other}. It is for: ${server.port}.`,
    );
    expect((await put(id, { name: 'renamed ported', port: server.port })).status).toBe(200);
    // A row that was changed behind our back.
    await api.db.run(
      sql`/* test.source */ update matriarch.connections set password_source = 'other_port' where id = ${id}`,
    );
    const answer = await api.call(`GET /api/v1/connections/${id}/databases`, { token });
    expect([answer.status, answer.text]).toEqual([
      502,
      expect.stringContaining(`other_port is not for port ${server.port}`),
    ]);
  });

  it('gives way to a typed password and takes the place of a stored one', async () => {
    const id = await create({ password: server.password, username: 'postgres' });
    expect((await put(id, { username: 'watcher', password_source: 'file' })).error).toBeUndefined();
    expect(await read(id)).toMatchObject({ has_password: false, password_source: 'file' });
    expect((await put(id, { username: 'postgres', password: server.password })).error).toBeUndefined();
    const typed = await read(id);
    expect(typed).toMatchObject({ has_password: true });
    expect(typed).not.toHaveProperty('password_source');
    expect((await put(id, { username: 'watcher', password_source: 'file' })).error).toBeUndefined();
    expect((await put(id, { password_source: null })).error).toBeUndefined();
    expect(await read(id)).toMatchObject({ has_password: false });
  });

  it('one that fails says why, and what it printed is nowhere', async () => {
    lines = [];
    const id = await create({ password_source: 'broken' });
    const answer = await api.call(`GET /api/v1/connections/${id}/databases`, { token });
    expect([answer.status, answer.text]).toEqual([
      502,
      expect.stringMatching(/The password source broken gave no password: it ended with code 7\./),
    ]);
    expect((await read(id)).password_source_reading).toEqual({
      read_at: null,
      failed_at: expect.any(String),
      problem: 'it ended with code 7',
    });
    const { name: _, ...body } = bodyOf({ password_source: 'broken' });
    const tried = await api.call('POST /api/v1/connections/test', { token, body });
    expect(JSON.parse(tried.text).steps).toContainEqual(
      expect.objectContaining({
        step: 'sign_in',
        status: 'failed',
        message: expect.stringMatching(/code 7/),
      }),
    );
    expect(lines.join('')).toMatch(/password_sources\.failed/);
    expect(lines.join('') + answer.text + tried.text).not.toContain(CANARY);
  });
});

describe('a collector', () => {
  it.each(['file', 'command'])('goes on when the password rotates: %s', async (source) => {
    await rotate(`before-${source}`);
    const house = await newHouse();
    const id = await house.connect(server, { username: 'watcher' });
    await house.db.run(sql`/* test.source */
      update matriarch.connections
      set password_encrypted = null, password_destination = null, password_source = ${source} where id = ${id}`);
    const vault = await openVault({ db: house.db, keyFile: house.keyFile, createIfMissing: false });
    const password_sources = new PasswordSources({ sources: declared(), clock: house.clock, log: silentLog });
    const rules = { allow_private_networks: true, password_sources };
    house.start({ targets: { load: (ids) => loadTargets(house.db, vault, { ids, ...rules }) } });
    const sessions = async () =>
      (await server.query(`select pid from pg_stat_activity where usename = 'watcher'`)).map(
        ({ pid }) => pid,
      );
    const end = () =>
      server.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'watcher'`);
    const state = async () => (await house.state(id))?.connection_error;
    await expect.poll(sessions, SOON).not.toEqual([]);
    // The one that is cached is refused, and the new one taken in the same attempt: no state in between says that it is wrong.
    await rotate(`after-${source}`);
    house.clock.advance(6000);
    const ended = new Set(await sessions());
    await end();
    const states = new Set<unknown>();
    const healthy = async () => {
      const now = await state();
      states.add(now);
      return now === null && (await sessions()).some((pid) => !ended.has(pid));
    };
    await pollMoved(house, healthy).toBe(true);
    expect([...states].join()).not.toMatch(/is wrong/);
    // Wrong, then right.
    await Promise.all([file, printed].map((one) => writeFile(one, 'wrong')));
    await server.query(`alter role watcher password 'later'`);
    house.clock.advance(60_000);
    await end();
    await pollMoved(house, state).toMatch(/is wrong.*It came from the password source/);
    await rotate('later');
    await pollMoved(house, async () => (await sessions()).length).toBeGreaterThan(0);
    await pollMoved(house, state).toBeNull();
  });
});
