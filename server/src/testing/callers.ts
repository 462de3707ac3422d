// Kinds of caller for the access matrix, each with what it may do written down by hand: an independent answer to
// compare the gate with. A caller is made anew for each cell, because some operations end the session they came by.
import type { TokenScope } from '../areas/access/principal.ts';
import type { Db } from '../kernel/db.ts';
import { sql } from '../kernel/sql.ts';
import { makeConnection, makeSession, makeToken, makeUser, revokeToken } from './actors.ts';
import type { CallOptions } from './api.ts';

export interface Rights {
  signed_in: boolean;
  via: 'session' | 'token';
  /** On the target: 0 none, 1 read, 2 read_write. */
  level: 0 | 1 | 2;
  owns: boolean;
  /** The target exists. */
  exists: boolean;
  permissions: 'all' | readonly string[];
  cross_site: boolean;
}

export interface Prepared {
  call: CallOptions;
  target: number;
}

export interface CallerKind {
  name: string;
  rights: Rights;
  prepare(db: Db): Promise<Prepared>;
}

const UNKNOWN_ID = 2_000_000_000;
const nobody: Rights = {
  signed_in: false,
  via: 'session',
  level: 0,
  owns: false,
  exists: true,
  permissions: [],
  cross_site: false,
};
const stranger: Rights = { ...nobody, signed_in: true };
const owner: Rights = { ...stranger, level: 2, owns: true };
const superuser: Rights = { ...stranger, level: 2, permissions: 'all' };

/** A private connection and the person it belongs to. */
async function ownTarget(db: Db, is_shared = false) {
  const person = await makeUser(db);
  const target = await makeConnection(db, { owner_id: person.user_id, is_shared });
  return { person, target };
}

function presented(name: string, call: CallOptions): CallerKind {
  return { name, rights: nobody, prepare: async (db) => ({ call, target: (await ownTarget(db)).target }) };
}

function dead(name: string, present: (db: Db, userId: number) => Promise<string>): CallerKind {
  return {
    name,
    rights: nobody,
    async prepare(db) {
      const { person, target } = await ownTarget(db);
      return { call: { token: await present(db, person.user_id) }, target };
    },
  };
}

async function disable(db: Db, userId: number): Promise<void> {
  await db.run(sql`/* test.disable */ update matriarch.users set enabled = false where id = ${userId}`);
}

const unauthenticated: CallerKind[] = [
  presented('no token', {}),
  presented('a malformed header', { headers: { authorization: 'Basic eDp5' } }),
  presented('an unknown token', { token: 'mat_unknown' }),
  presented('an unknown session', { cookie: 'unknown' }),
  dead('an expired session', (db, userId) => makeSession(db, userId, -1)),
  dead('an expired token', (db, userId) => makeToken(db, userId, { lifetimeSeconds: -1 })),
  dead('a revoked token', async (db, userId) => {
    const token = await makeToken(db, userId);
    await revokeToken(db, token);
    return token;
  }),
  dead('the session of a disabled user', async (db, userId) => {
    const session = await makeSession(db, userId);
    await disable(db, userId);
    return session;
  }),
  dead('the token of a disabled user', async (db, userId) => {
    const token = await makeToken(db, userId);
    await disable(db, userId);
    return token;
  }),
];

const people: CallerKind[] = [
  {
    name: 'a user without a grant',
    rights: stranger,
    prepare: async (db) => ({
      call: { token: (await makeUser(db)).session },
      target: (await ownTarget(db)).target,
    }),
  },
  {
    name: 'a user on a shared connection',
    rights: { ...stranger, level: 2 },
    prepare: async (db) => ({
      call: { token: (await makeUser(db)).session },
      target: (await ownTarget(db, true)).target,
    }),
  },
  {
    name: 'a user who names an unknown connection',
    rights: { ...stranger, exists: false },
    prepare: async (db) => ({ call: { token: (await makeUser(db)).session }, target: UNKNOWN_ID }),
  },
  {
    name: 'the owner',
    rights: owner,
    async prepare(db) {
      const { person, target } = await ownTarget(db);
      return { call: { token: person.session }, target };
    },
  },
  {
    name: 'the owner of a deleted connection',
    rights: { ...stranger, exists: false },
    async prepare(db) {
      const person = await makeUser(db);
      const target = await makeConnection(db, { owner_id: person.user_id, deleted: true });
      return { call: { token: person.session }, target };
    },
  },
  {
    name: 'a superuser',
    rights: superuser,
    prepare: async (db) => ({
      call: { token: (await makeUser(db, { is_superuser: true })).session },
      target: (await ownTarget(db)).target,
    }),
  },
  {
    name: 'a superuser who names an unknown connection',
    rights: { ...superuser, level: 0, exists: false },
    prepare: async (db) => ({
      call: { token: (await makeUser(db, { is_superuser: true })).session },
      target: UNKNOWN_ID,
    }),
  },
];

const SAME_SITE = { 'sec-fetch-site': 'same-origin' };
const browsers: CallerKind[] = (
  [
    ['without Origin', {}, false],
    ['from our own page', { ...SAME_SITE, origin: 'http://localhost:80' }, false],
    ['cross-site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, true],
    ['from an opaque origin', { origin: 'null' }, true],
    ['from another origin in an old browser', { origin: 'https://evil.example' }, true],
  ] as const
).map(([where, headers, cross_site]) => ({
  name: `the owner by cookie ${where}`,
  rights: { ...owner, cross_site },
  async prepare(db: Db) {
    const { person, target } = await ownTarget(db);
    return { call: { cookie: person.session, headers: { ...headers } }, target };
  },
}));

interface TokenKind {
  name: string;
  rights: Rights;
  is_superuser?: boolean;
  scope?: (target: number) => TokenScope;
}

const only = (connection_id: number, level: 'read' | 'read_write') => ({
  connections: [{ connection_id, level }],
});

const tokenKinds: TokenKind[] = [
  { name: 'without scope', rights: owner },
  { name: 'scoped to the connection', rights: owner, scope: (target) => only(target, 'read_write') },
  { name: 'scoped to all connections', rights: owner, scope: () => only(0, 'read_write') },
  { name: 'scoped to reading', rights: { ...owner, level: 1 }, scope: (target) => only(target, 'read') },
  { name: 'scoped to reading everything', rights: { ...owner, level: 1 }, scope: () => only(0, 'read') },
  {
    name: 'scoped to another connection',
    rights: { ...owner, level: 0 },
    scope: (target) => only(target + 1, 'read_write'),
  },
  { name: 'scoped to no connection', rights: { ...owner, level: 0 }, scope: () => ({ connections: [] }) },
  { name: 'scoped to a permission its owner lacks', rights: owner, scope: () => ({ admin: ['*'] }) },
  { name: 'without scope', rights: superuser, is_superuser: true },
  {
    name: 'scoped to reading',
    rights: { ...superuser, level: 1 },
    is_superuser: true,
    scope: (target) => only(target, 'read'),
  },
  {
    name: 'scoped to another connection',
    rights: { ...superuser, level: 0 },
    is_superuser: true,
    scope: (target) => only(target + 1, 'read'),
  },
  {
    name: 'scoped to no permission',
    rights: { ...superuser, permissions: [] },
    is_superuser: true,
    scope: () => ({ admin: [] }),
  },
  {
    name: 'scoped to one permission',
    rights: { ...superuser, permissions: ['manage_connections'] },
    is_superuser: true,
    scope: () => ({ admin: ['manage_connections'] }),
  },
];

const tokens: CallerKind[] = tokenKinds.map(({ name, rights, is_superuser = false, scope }) => ({
  name: `a token of ${is_superuser ? 'a superuser' : 'the owner'} ${name}`,
  rights: { ...rights, via: 'token' },
  async prepare(db) {
    const { person, target } = await ownTarget(db);
    const { user_id } = is_superuser ? await makeUser(db, { is_superuser }) : person;
    const token = await makeToken(db, user_id, scope ? { scope: scope(target) } : {});
    return { call: { token }, target };
  },
}));

export const callerKinds: readonly CallerKind[] = [...unauthenticated, ...people, ...browsers, ...tokens];
