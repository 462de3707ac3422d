// S23: a stored password goes to nobody but the server it was entered for. Ways to lead a connection elsewhere, times
// whoever may edit it, against servers that ask for the password in clear text and keep what they are sent. Everyday whoever
// entered it goes all ways and the others one; the proof has every way of everybody.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { connectTarget } from '../../monitored/connect.ts';
import { type Actor, makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsOf, connectionsRoom } from '../../testing/rooms/connections.ts';
import { rbacRoom } from '../../testing/rooms/rbac.ts';
import { type Listener, startListener } from '../../testing/servers/listener.ts';
import { makeTlsFiles, testDirectory } from '../../testing/servers/postgres.ts';
import { isProof } from '../../testing/tier.ts';
import { loadTargets } from './targets.service.ts';

const SECRET = 'canary-41b8-password';
const HOME = '127.0.0.1';
const ELSEWHERE = '127.0.0.2';
const AGAIN = /Enter the password again/;
const CA = '/etc/matriarch/ca.pem';

let api: TestApi;
/** Answers on every address of loopback, without TLS. */
let listener: Listener;
/** The same on another port. */
let other: Listener;
let owner: Actor;
let editor: Actor;
let heir: Actor;
let scoped: string;

beforeAll(async () => {
  [api, listener, other] = await Promise.all([
    startTestApi({ rooms: [connectionsRoom, rbacRoom] }),
    startListener(),
    startListener(),
  ]);
  owner = await makeUser(api.db);
  editor = await makeUser(api.db);
  heir = await makeUser(api.db, { is_superuser: true });
  scoped = await makeToken(api.db, heir.user_id, { scope: { admin: ['manage_connections'] } });
  await makeGroup(api.db, {
    users: [owner.user_id, editor.user_id],
    permissions: ['manage_connections'],
  });
});
afterAll(async () => {
  await Promise.all([listener.stop(), other.stop(), api.close()]);
});
beforeEach(() => {
  listener.forget();
  other.forget();
});

let made = 0;
const bodyOf = (over: object = {}) => {
  made += 1;
  return {
    name: `server ${made}`,
    host: HOME,
    port: listener.port,
    database_name: 'postgres',
    username: 'watcher',
    password: SECRET,
    ...over,
  };
};

const superuser = () => api.actors.superuser.session;

/** Entered by a superuser, who gives it to others to own or to edit. */
async function stored(over: object = {}): Promise<number> {
  const answer = await api.call('POST /api/v1/connections', { token: superuser(), body: bodyOf(over) });
  expect(answer.error).toBeUndefined();
  const { id } = JSON.parse(answer.text);
  await api.db.run(
    sql`/* test.own */ update matriarch.connections set owner_id = ${owner.user_id} where id = ${id}`,
  );
  await makeGroup(api.db, { users: [editor.user_id], connections: { [id]: 'read_write' } });
  return id;
}

const put = (token: string, id: number, body: object) =>
  api.call(`PUT /api/v1/connections/${id}`, { token, body });
const test = (token: string, id: number, body: object) =>
  api.call('POST /api/v1/connections/test', { token, body: { id, ...body } });
const shown = async (id: number) =>
  (await api.call(`GET /api/v1/connections/${id}`, { token: superuser() })).body;
const row = (id: number) =>
  api.db.one<{ password_destination: unknown; password_entered_by: number | null }>(sql`/* test.row */
    select password_destination, password_entered_by from matriarch.connections where id = ${id}`);

const targetOf = async (id: number) => {
  const { vault } = await connectionsOf(api.parts);
  const [target] = await loadTargets(api.db, vault, { ids: [id], allow_private_networks: true });
  return target;
};

/** As a collector connects, and as somebody who asks for the databases does. */
async function useIt(id: number): Promise<void> {
  const target = await targetOf(id);
  const waits = { connect_timeout_ms: 5000, statement_timeout_ms: 5000 };
  if (target?.settings)
    await connectTarget({ ...target.settings, ...waits, application_name: 'test' }).catch(() => undefined);
  await api.call(`GET /api/v1/connections/${id}/databases`, { token: superuser() });
}

function secretsAt(place: Listener, address: string): number {
  return place.heard(address).toString('latin1').split(SECRET).length - 1;
}

/** How often anybody but the server it was entered for was told the password. */
const leaks = () => secretsAt(listener, ELSEWHERE) + secretsAt(other, HOME) + secretsAt(other, ELSEWHERE);
const visits = () =>
  [listener, other].reduce((sum, one) => sum + one.connections(HOME) + one.connections(ELSEWHERE), 0);

it('the listener hears a password that is sent to it', async () => {
  await useIt(await stored());
  expect(secretsAt(listener, HOME)).toBe(2);
  expect(leaks()).toBe(0);
  const typed = { ...bodyOf(), host: ELSEWHERE };
  await api.call('POST /api/v1/connections/test', { token: superuser(), body: typed });
  expect(leaks()).toBe(1);
});

const tls = { ssl_mode: 'verify-full', ssl_root_cert_path: CA };
const WAYS: { way: string; from?: object; to: object | (() => object) }[] = [
  { way: 'another host', to: { host: ELSEWHERE } },
  { way: 'another spelling of the host', to: { host: 'localhost' } },
  { way: 'an empty password with it', to: { host: ELSEWHERE, password: '' } },
  { way: 'a null password with it', to: { host: ELSEWHERE, password: null } },
  { way: 'a hostaddr', to: { hostaddr: ELSEWHERE } },
  { way: 'another hostaddr', from: { hostaddr: HOME }, to: { hostaddr: ELSEWHERE } },
  { way: 'no hostaddr', from: { host: ELSEWHERE, hostaddr: HOME }, to: { hostaddr: null } },
  { way: 'another port', to: () => ({ port: other.port }) },
  { way: 'another user', to: { username: 'postgres' } },
  { way: 'everything at once', to: () => ({ host: ELSEWHERE, port: other.port, username: 'x', ...tls }) },
  { way: 'a name and a description with it', to: { host: ELSEWHERE, name: 'renamed', description: 'x' } },
  { way: 'allow after prefer', to: { ssl_mode: 'allow' } },
  { way: 'disable after prefer', to: { ssl_mode: 'disable' } },
  { way: 'prefer after require', from: { ssl_mode: 'require' }, to: { ssl_mode: 'prefer' } },
  { way: 'require after verify-full', from: tls, to: { ssl_mode: 'require' } },
  { way: 'verify-ca after verify-full', from: tls, to: { ssl_mode: 'verify-ca' } },
  { way: 'another authority', from: tls, to: { ssl_root_cert_path: '/tmp/mine.pem' } },
  { way: "the system's authorities", from: tls, to: { ssl_root_cert_path: null } },
  { way: 'an authority of one’s own', from: { ssl_mode: 'verify-full' }, to: { ssl_root_cert_path: CA } },
];

const ROLES = ['who entered it', 'the owner', 'an editor', 'an heir', 'a token'] as const;
/** Old and new destination are compared by the same code for everybody. */
const waysOf = (role: (typeof ROLES)[number]) =>
  isProof() || role === 'who entered it' ? WAYS : WAYS.slice(0, 1);

describe.each(ROLES)('%s', (role) => {
  const token = () =>
    ({
      'who entered it': superuser(),
      'the owner': owner.session,
      'an editor': editor.session,
      'an heir': heir.session,
      'a token': scoped,
    })[role];

  async function prepared(from: object): Promise<number> {
    const id = await stored(from);
    if (role !== 'an heir') return id;
    const gone = await makeUser(api.db);
    await api.db.run(
      sql`/* test.own */ update matriarch.connections set owner_id = ${gone.user_id} where id = ${id}`,
    );
    const removed = await api.call(`DELETE /api/v1/rbac/users/${gone.user_id}`, { token: heir.session });
    expect(removed.status).toBe(204);
    return id;
  }

  it.each(waysOf(role))('cannot lead a stored password to $way', async ({ from = {}, to }) => {
    const id = await prepared(from);
    const before = await shown(id);
    const change = typeof to === 'function' ? to() : to;
    for (const attempt of [await put(token(), id, change), await test(token(), id, change)]) {
      expect(attempt.error).toMatch(AGAIN);
      expect(attempt.status).toBe(400);
    }
    expect(visits()).toBe(0);
    expect(await shown(id)).toEqual(before);
    await useIt(id);
    expect(leaks()).toBe(0);
  });

  it('may lead it elsewhere with the password, which then belongs there', async () => {
    const id = await prepared({});
    expect((await put(token(), id, { host: ELSEWHERE, password: 'another' })).status).toBe(200);
    expect(await row(id)).toMatchObject({ password_destination: { host: ELSEWHERE, port: listener.port } });
    const back = await put(token(), id, { host: HOME });
    expect([back.status, back.error]).toEqual([400, expect.stringMatching(AGAIN)]);
    await useIt(id);
    expect(secretsAt(listener, HOME) + leaks()).toBe(0);
    expect(listener.heard(ELSEWHERE).toString('latin1')).toContain('another');
  });
});

describe('step by step', () => {
  it('protection that was added is not taken away again', async () => {
    const id = await stored();
    for (const step of [{ ssl_mode: 'require' }, { ssl_root_cert_path: CA }, { ssl_mode: 'verify-full' }])
      expect((await put(owner.session, id, step)).status).toBe(200);
    for (const step of [{ ssl_root_cert_path: '/tmp/mine.pem' }, { ssl_mode: 'prefer' }, { host: ELSEWHERE }])
      expect((await put(superuser(), id, step)).status).toBe(400);
    expect(await row(id)).toMatchObject({
      password_destination: { ssl_mode: 'prefer', ssl_root_cert_path: null },
      password_entered_by: api.actors.superuser.user_id,
    });
  });

  it('other members change without the password, which stays where it was entered for', async () => {
    const id = await stored();
    const change = { database_name: 'orders', name: 'other', is_monitored: true, is_shared: true };
    expect((await put(superuser(), id, change)).status).toBe(200);
    expect((await put(superuser(), id, { host: HOME.toUpperCase(), ssl_mode: 'prefer' })).status).toBe(200);
    await useIt(id);
    expect(secretsAt(listener, HOME)).toBe(2);
  });

  it('a new password is noted with who entered it, and without one nothing is bound', async () => {
    const id = await stored();
    expect((await put(editor.session, id, { password: 'new', port: other.port })).status).toBe(200);
    expect(await row(id)).toEqual({
      password_destination: {
        host: HOME,
        hostaddr: null,
        port: other.port,
        username: 'watcher',
        ssl_mode: 'prefer',
        ssl_root_cert_path: null,
      },
      password_entered_by: editor.user_id,
    });
    const open = await stored({ password: '' });
    expect((await put(owner.session, open, { host: ELSEWHERE, port: other.port })).status).toBe(200);
    await useIt(open);
    expect(other.connections(ELSEWHERE)).toBe(2);
    expect(leaks()).toBe(0);
  });

  it('of two at once, one cannot use the password that the other brings', async () => {
    const id = await stored();
    for (let round = 0; round < 8; round += 1) {
      const password = `${SECRET}-${round}`;
      const [bring, ride] = await Promise.all([
        put(superuser(), id, { password }),
        put(editor.session, id, { host: ELSEWHERE }),
      ]);
      expect([bring.status, ride.status]).toEqual([200, 400]);
    }
    const [away, stay] = await Promise.all([
      put(superuser(), id, { port: other.port, password: 'for the other port' }),
      put(editor.session, id, { port: listener.port, description: 'as it was' }),
    ]);
    expect(away.status).toBe(200);
    // Whoever came second leads back to where this password was not entered for.
    expect([200, 400]).toContain(stay.status);
    expect(await row(id)).toMatchObject({ password_destination: { port: other.port } });
    await useIt(id);
    expect(leaks()).toBe(0);
  });

  it('a client key goes elsewhere only when it is named again', async () => {
    const files = { ssl_cert_path: '/etc/matriarch/a.crt', ssl_key_path: '/etc/matriarch/a.key' };
    const id = await stored({ ...files, password: '' });
    for (const attempt of [put, test]) {
      const answer = await attempt(owner.session, id, { host: ELSEWHERE });
      expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(/ssl_key_path again/)]);
    }
    expect(visits()).toBe(0);
    expect((await put(owner.session, id, { host: ELSEWHERE, ...files })).status).toBe(200);
  });
});

describe('a row that was changed behind our back', () => {
  const restore = (id: number, change: { host: string; destination?: object }) =>
    api.db.run(sql`/* test.restore */
      update matriarch.connections
      set host = ${change.host},
        password_destination = coalesce(${change.destination ?? null}::jsonb, password_destination)
      where id = ${id}`);

  it('gets no password: not for the collector, nor for a live call, nor for a test', async () => {
    const id = await stored();
    await restore(id, { host: ELSEWHERE });
    expect(await targetOf(id)).toMatchObject({
      settings: undefined,
      problem: expect.stringMatching(/entered for another server or role/),
    });
    const live = await api.call(`GET /api/v1/connections/${id}/databases`, { token: superuser() });
    expect([live.status, live.error]).toEqual([502, expect.stringMatching(/Enter it again/)]);
    expect((await test(superuser(), id, { host: HOME })).status).toBe(400);
    expect((await test(superuser(), id, { host: ELSEWHERE, port: other.port })).status).toBe(400);
    expect((await put(superuser(), id, { description: 'still editable' })).status).toBe(200);
    await useIt(id);
    expect(visits()).toBe(0);
    expect((await put(superuser(), id, { password: 'new' })).status).toBe(200);
    expect((await targetOf(id))?.settings?.host).toBe(ELSEWHERE);
  });

  it('nor when the noted destination was changed with it', async () => {
    const id = await stored();
    const { password_destination } = await row(id);
    await restore(id, { host: ELSEWHERE, destination: { ...Object(password_destination), host: ELSEWHERE } });
    expect(await targetOf(id)).toMatchObject({ problem: expect.stringMatching(/cannot be decrypted/) });
    await useIt(id);
    expect(visits()).toBe(0);
  });
});

describe('encryption', () => {
  it('a password entered for an encrypted, verified server never travels in the clear', async () => {
    const files = makeTlsFiles(testDirectory('redirect'), { host: HOME });
    const secure = await startListener({
      cert: readFileSync(files.cert),
      key: readFileSync(files.key),
    });
    try {
      const id = await stored({
        port: secure.port,
        ssl_mode: 'verify-full',
        ssl_root_cert_path: path.resolve(files.ca),
      });
      await useIt(id);
      expect(secretsAt(secure, HOME)).toBe(2);
      secure.forget();
      for (const ssl_mode of ['verify-ca', 'require', 'prefer', 'allow', 'disable'])
        for (const attempt of [put, test])
          expect((await attempt(superuser(), id, { ssl_mode })).status).toBe(400);
      expect(secure.connections(HOME)).toBe(0);
    } finally {
      await secure.stop();
    }
  });
});
