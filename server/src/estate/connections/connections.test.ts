import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeToken, makeUser, revokeToken } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsOf, connectionsRoom } from '../../testing/rooms/connections.ts';

const CANARY = 'canary-c0ffee-password';
let api: TestApi;
let token: string;
let ownerToken: string;

const BODY = {
  name: 'orders',
  host: 'db1.example.com',
  port: 5432,
  database_name: 'postgres',
  username: 'monitor',
  password: CANARY,
};

const ADDRESSES: Record<string, string[]> = {
  'db1.example.com': ['203.0.113.10'],
  'evil.example.com': ['203.0.113.11', '169.254.169.254'],
};

async function lookup(host: string): Promise<string[]> {
  const found = ADDRESSES[host];
  if (found) return found;
  throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
}

beforeAll(async () => {
  api = await startTestApi({ rooms: [connectionsRoom] });
  // A resolver that knows the names of this test; the routes hold the same object.
  Object.assign(await connectionsOf(api.parts), { lookup });
  token = api.actors.superuser.session;
  ownerToken = api.actors.owner.session;
});
afterAll(() => api.close());

async function create(over: object = {}): Promise<number> {
  const answer = await api.call('POST /api/v1/connections', { token, body: { ...BODY, ...over } });
  expect(answer.error).toBeUndefined();
  expect(answer.status).toBe(201);
  const { body } = answer;
  if (typeof body !== 'object' || body === null || !('id' in body)) throw new Error('no id');
  return Number(body.id);
}

const put = (id: number, body: object, as = token) =>
  api.call(`PUT /api/v1/connections/${id}`, { token: as, body });

interface Stored {
  password_encrypted: Buffer | null;
  revision: number;
  hostaddr: string | null;
}
const stored = (id: number) =>
  api.db.one<Stored>(
    sql`select password_encrypted, revision, hostaddr from matriarch.connections where id = ${id}`,
  );

describe('creating', () => {
  it('stores what was given and returns neither password nor hostaddr', async () => {
    const answer = await api.call('POST /api/v1/connections', {
      token,
      body: { ...BODY, name: '  first  ', hostaddr: '203.0.113.9', ssl_root_cert_path: '/etc/ssl/ca.pem' },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: 'first',
      description: '',
      host: 'db1.example.com',
      port: 5432,
      database_name: 'postgres',
      username: 'monitor',
      has_password: true,
      ssl_mode: 'prefer',
      ssl_root_cert_path: '/etc/ssl/ca.pem',
      is_monitored: false,
      is_shared: false,
      tags: [],
      membership_source: 'auto',
    });
    expect(answer.text).not.toContain(CANARY);
    expect(answer.text).not.toContain('203.0.113.9');
  });

  it('needs the permission', async () => {
    const answer = await api.call('POST /api/v1/connections', { token: ownerToken, body: BODY });
    expect(answer.status).toBe(403);
  });

  it('refuses a second one of that name, whatever the case, but not after the first was deleted', async () => {
    const id = await create({ name: 'Twin' });
    const second = await api.call('POST /api/v1/connections', { token, body: { ...BODY, name: ' tWIN ' } });
    expect(second.status).toBe(409);
    expect(second.error).toMatch(/already have a connection of that name/);
    expect((await api.call(`DELETE /api/v1/connections/${id}`, { token })).status).toBe(204);
    await create({ name: 'twin' });
  });

  it.each([
    [{ host: '169.254.169.254' }, /cloud metadata/],
    [{ host: '::ffff:169.254.169.254' }, /cloud metadata/],
    [{ host: 'evil.example.com' }, /resolves to 169.254.169.254/],
    [{ host: '0x7f.1' }, /unusual spelling/],
    [{ host: '/var/run/postgresql' }, /Socket paths/],
    [{ host: 'a.example.com,b.example.com' }, /not a list/],
    [{ host: 'postgres://db1.example.com' }, /not a URL/],
    [{ hostaddr: '224.0.0.1' }, /multicast/],
    [{ hostaddr: 'db1.example.com' }, /plain IPv4 or IPv6/],
    [{ node_exporter_url: 'ftp://db1.example.com/' }, /http/],
    [{ node_exporter_url: 'http://me:secret@db1.example.com/' }, /user name or password/],
    [{ node_exporter_url: 'http://[fe80::1]:9100/' }, /link-local/],
    [{ node_exporter_url: 'http://0xa9fea9fe/' }, /cloud metadata/],
    [{ ssl_cert_path: '/etc/cert.pem' }, /belong together/],
    [{ ssl_root_cert_path: 'ca.pem' }, /absolute path/],
    [{ name: 'a\u202eb' }, /control or direction characters/],
    [{ name: '   ' }, /name must not be empty/],
    [{ tags: ['a,b'] }, /tags must not hold commas/],
    [{ tags: ['a\u202eb'] }, /control or direction characters/],
    [{ tags: Array.from({ length: 21 }, (_none, at) => `t${at}`) }, /tags/],
    [{ username: 'a\nb' }, /control characters/],
    [{ port: 0 }, /port/],
  ])('refuses %j', async (over, words) => {
    const answer = await api.call('POST /api/v1/connections', {
      token,
      body: { ...BODY, name: 'bad', ...over },
    });
    expect(answer.status).toBe(400);
    expect(answer.error).toMatch(words);
  });

  it('accepts a name that does not resolve now', async () => {
    await create({ name: 'later', host: 'not-yet.example.com' });
  });
});

describe('the monitoring script', () => {
  it('is there before any server was reached, for the role and database that were named', async () => {
    const answer = await api.call(
      'GET /api/v1/connections/monitoring-script?username=look%22er&database_name=shop',
      {
        token,
      },
    );
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(String.raw`grant pg_monitor to \"look\"\"er\"`);
    expect(answer.text).toContain(String.raw`grant connect on database \"shop\"`);
  });
});

describe('changing', () => {
  it('keeps what is absent, clears what is null, and counts revisions for what the collector must notice', async () => {
    const id = await create({
      name: 'change',
      hostaddr: '203.0.113.9',
      is_monitored: true,
      description: 'old',
    });
    const before = await stored(id);
    for (const body of [
      {},
      { password: '' },
      { password: null },
      { description: 'new' },
      { name: 'changed' },
    ]) {
      expect((await put(id, body)).status).toBe(200);
    }
    expect(await stored(id)).toEqual(before);
    const elsewhere = { port: 5433, hostaddr: null, password: CANARY };
    expect((await put(id, elsewhere)).body).toMatchObject({ port: 5433, description: 'new' });
    expect(await stored(id)).toMatchObject({ revision: before.revision + 1, hostaddr: null });
    await put(id, { password: 'another' });
    const after = await stored(id);
    expect(after.revision).toBe(before.revision + 2);
    expect(after.password_encrypted).not.toEqual(before.password_encrypted);
  });

  it('wakes the collectors when it is committed', async () => {
    const id = await create({ name: 'noisy' });
    const client = new pg.Client({ connectionString: api.database.url.reveal() });
    await client.connect();
    try {
      await client.query('listen matriarch_connections');
      const heard = new Promise((resolve) =>
        client.on('notification', (message) => resolve(message.payload)),
      );
      await put(id, { is_monitored: true });
      expect(await heard).toBe(String(id));
    } finally {
      await client.end();
    }
  });

  it('refuses a bad host, a taken name, and sharing without the permission', async () => {
    const id = await create({ name: 'mine' });
    await create({ name: 'taken' });
    expect((await put(id, { host: '169.254.169.254' })).status).toBe(400);
    expect((await put(id, { name: 'TAKEN' })).status).toBe(409);
    const own = api.actors.own_connection;
    expect((await put(own, { is_shared: true }, ownerToken)).status).toBe(403);
    expect((await put(own, { is_shared: false, description: 'kept private' }, ownerToken)).status).toBe(200);
    expect((await put(own, { is_shared: false }, api.actors.other.session)).status).toBe(403);
    expect((await put(999_999, {})).status).toBe(404);
  });

  it('lets nobody share more than they have themselves', async () => {
    const id = await create({ name: 'half open' });
    const reader = await makeUser(api.db);
    const group = { users: [reader.user_id], permissions: ['manage_connections'] };
    await makeGroup(api.db, { ...group, connections: { [id]: 'read' } });
    expect((await put(id, { is_shared: true }, reader.session)).status).toBe(403);
    await makeGroup(api.db, { ...group, connections: { [id]: 'read_write' } });
    expect((await put(id, { is_shared: true }, reader.session)).status).toBe(200);
  });
});

describe('reading', () => {
  it('lists what can be seen, by name, and never passwords', async () => {
    const { owner, other, own_connection, shared_connection } = api.actors;
    const idsOf = async (as: string) => {
      const answer = await api.call('GET /api/v1/connections', { token: as });
      expect(answer.text).not.toMatch(/password|hostaddr|ssl_/);
      return Array.isArray(answer.body) ? answer.body.map((item: { id: number }) => item.id) : [];
    };
    expect(await idsOf(owner.session)).toEqual(expect.arrayContaining([own_connection, shared_connection]));
    expect(await idsOf(other.session)).toContain(shared_connection);
    expect(await idsOf(other.session)).not.toContain(own_connection);
    const all = await api.call('GET /api/v1/connections', { token });
    const names = Array.isArray(all.body) ? all.body.map((item: { name: string }) => item.name) : [];
    expect(names.length).toBeGreaterThan(5);
    const { rows } = {
      rows: await api.db.rows<{ name: string }>(sql`
      select name from matriarch.connections where deleted_at is null order by name, id`),
    };
    expect(names).toEqual(rows.map(({ name }) => name));
  });

  it('shows a token in the address of node_exporter only to those who may manage the connection', async () => {
    const address = 'http://db1.example.com:9100/metrics';
    const id = await create({
      name: 'with a token',
      is_shared: true,
      node_exporter_url: `${address}?token=${CANARY}#${CANARY}`,
    });
    const seenBy = async (as: string) =>
      (await api.call(`GET /api/v1/connections/${id}`, { token: as })).body;
    const reader = await makeUser(api.db);
    const manager = await makeUser(api.db);
    await makeGroup(api.db, { users: [manager.user_id], permissions: ['manage_connections'] });
    const ceiling = await makeToken(api.db, api.actors.superuser.user_id, {
      scope: { admin: [], connections: [{ connection_id: id, level: 'read' }] },
    });
    for (const as of [reader.session, ceiling]) {
      const seen = await seenBy(as);
      expect(seen).toMatchObject({ node_exporter_url: address });
      expect(seen).not.toHaveProperty('has_password');
      expect(JSON.stringify(seen)).not.toContain(CANARY);
    }
    for (const as of [token, manager.session])
      expect(await seenBy(as)).toMatchObject({
        has_password: true,
        node_exporter_url: `${address}?token=${CANARY}#${CANARY}`,
      });
    // Older versions may have stored one with a user name and a password.
    await api.db.run(sql`/* test.older */
      update matriarch.connections set node_exporter_url = 'http://me:secret@db1:9100/m'
      where id = ${id}`);
    expect(await seenBy(reader.session)).toMatchObject({ node_exporter_url: 'http://db1:9100/m' });
    await revokeToken(api.db, ceiling);
  });

  it('keeps tags of a server, each once, and takes them away again', async () => {
    const id = await create({ name: 'tagged', tags: ['team=orders', ' production ', 'production'] });
    const change = (body: object) => api.call(`PUT /api/v1/connections/${id}`, { token, body });
    expect((await api.call(`GET /api/v1/connections/${id}`, { token })).body).toMatchObject({
      tags: ['production', 'team=orders'],
    });
    expect((await change({ description: 'Nothing of tags' })).body).toMatchObject({
      tags: ['production', 'team=orders'],
    });
    expect((await change({ tags: ['test'] })).body).toMatchObject({ tags: ['test'] });
    expect((await change({ tags: [] })).body).toMatchObject({ tags: [] });
  });

  it('answers 403 without access and 404 for an unknown id', async () => {
    const { other, own_connection } = api.actors;
    expect(
      (await api.call(`GET /api/v1/connections/${own_connection}`, { token: other.session })).status,
    ).toBe(403);
    expect((await api.call('GET /api/v1/connections/999999', { token })).status).toBe(404);
  });
});

describe('deleting', () => {
  it('makes it vanish, with its password, selections and scope entries', async () => {
    const id = await create({ name: 'doomed' });
    const reader = await makeToken(api.db, api.actors.superuser.user_id, {
      scope: { connections: [{ connection_id: id, level: 'read' }] },
    });
    const select = { token: reader, body: { connection_id: id } };
    expect((await api.call('POST /api/v1/connections/current', select)).status).toBe(200);
    expect((await api.call(`DELETE /api/v1/connections/${id}`, { token })).status).toBe(204);
    expect((await api.call(`DELETE /api/v1/connections/${id}`, { token })).status).toBe(404);
    expect((await api.call(`GET /api/v1/connections/${id}`, { token })).status).toBe(404);
    expect((await api.call('GET /api/v1/connections/current', { token: reader })).status).toBe(404);
    expect((await stored(id)).password_encrypted).toBeNull();
    const scopes = await api.db.rows<{ scope: unknown; selected: number | null }>(sql`
      select scope, current_connection_id as selected from matriarch.api_tokens
      where scope ? 'connections'`);
    expect(scopes).toEqual([{ scope: { connections: [] }, selected: null }]);
    const list = await api.call('GET /api/v1/connections', { token: reader });
    expect(list.body).toEqual([]);
  });
});

describe('the current connection', () => {
  it('belongs to the session and is cleared with the access', async () => {
    const { owner, other, shared_connection } = api.actors;
    const current = (as: string) => api.call('GET /api/v1/connections/current', { token: as });
    expect((await current(other.session)).status).toBe(404);
    const body = { connection_id: shared_connection, database_name: 'orders' };
    const set = await api.call('POST /api/v1/connections/current', { token: other.session, body });
    expect(set.body).toMatchObject({ connection_id: shared_connection, database_name: 'orders', port: 9 });
    expect((await current(owner.session)).status).toBe(404);
    await api.db.run(sql`update matriarch.connections set is_shared = false where id = ${shared_connection}`);
    expect((await current(other.session)).status).toBe(404);
    await api.db.run(sql`update matriarch.connections set is_shared = true where id = ${shared_connection}`);
    expect((await current(other.session)).status).toBe(404);
    await api.call('POST /api/v1/connections/current', {
      token: other.session,
      body: { connection_id: shared_connection },
    });
    expect((await current(other.session)).body).not.toHaveProperty('database_name');
    for (let twice = 0; twice < 2; twice += 1) {
      expect((await api.call('DELETE /api/v1/connections/current', { token: other.session })).status).toBe(
        204,
      );
    }
    expect((await current(other.session)).status).toBe(404);
  });

  it('needs access to what is selected', async () => {
    const { other, own_connection } = api.actors;
    const select = (connection_id: number) =>
      api.call('POST /api/v1/connections/current', { token: other.session, body: { connection_id } });
    expect((await select(own_connection)).status).toBe(403);
    expect((await select(999_999)).status).toBe(404);
  });
});
