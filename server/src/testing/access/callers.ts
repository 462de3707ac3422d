// Kinds of caller for the access matrix. Each makes its people, groups and connection in a scene; what it may do is
// not said here but follows from the model. A caller is made anew wherever a request may change something.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { CallOptions } from '../api.ts';
import type { ModelCaller, ModelScope } from './access-model.ts';
import type { Scene, Surroundings } from './access-scene.ts';
import { makeSession, makeToken, revokeToken } from './actors.ts';
import type { GroupOptions } from './groups.ts';

export interface Prepared {
  call: CallOptions;
  /** Undefined for nobody who is known. */
  caller: ModelCaller | undefined;
  cross_site: boolean;
  surroundings: Surroundings;
  /** The connection that requests name: that of the place, unless it is one that does not exist. */
  target: number;
}

export interface CallerKind {
  name: string;
  prepare(scene: Scene): Promise<Prepared>;
}

export const UNKNOWN_ID = 2_000_000_000;

const bySession = (
  surroundings: Surroundings,
  { user_id, session }: { user_id: number; session: string },
): Prepared => ({
  call: { token: session },
  caller: { user_id, via: 'session' },
  cross_site: false,
  surroundings,
  target: surroundings.target,
});

const unknown = (call: CallOptions, surroundings: Surroundings): Prepared => ({
  call,
  caller: undefined,
  cross_site: false,
  surroundings,
  target: surroundings.target,
});

async function disable(db: Db, userId: number): Promise<void> {
  await db.run(sql`/* test.disable */ update matriarch.users set enabled = false where id = ${userId}`);
}

/** The owner, whose way in does not work. */
const dead = (name: string, present: (db: Db, userId: number) => Promise<CallOptions>): CallerKind => ({
  name,
  async prepare(scene) {
    const surroundings = await scene.surroundings();
    return unknown(await present(scene.db, surroundings.owner.user_id), surroundings);
  },
});

const unauthenticated: CallerKind[] = [
  dead('no token', async () => ({})),
  dead('a malformed header', async () => ({ headers: { authorization: 'Basic eDp5' } })),
  dead('an unknown token', async () => ({ token: 'mat_unknown' })),
  dead('an unknown session', async () => ({ cookie: 'unknown' })),
  dead('an expired session', async (db, userId) => ({ token: await makeSession(db, userId, -1) })),
  dead('an expired token', async (db, userId) => ({
    token: await makeToken(db, userId, { lifetimeSeconds: -1 }),
  })),
  dead('a revoked token', async (db, userId) => {
    const token = await makeToken(db, userId);
    await revokeToken(db, token);
    return { token };
  }),
  dead('the session of a disabled user', async (db, userId) => {
    const token = await makeSession(db, userId);
    await disable(db, userId);
    return { token };
  }),
  dead('the token of a disabled user', async (db, userId) => {
    const token = await makeToken(db, userId);
    await disable(db, userId);
    return { token };
  }),
];

export const owner = (name: string, options: { deleted?: boolean } = {}): CallerKind => ({
  name,
  async prepare(scene) {
    const surroundings = await scene.surroundings(options);
    return bySession(surroundings, surroundings.owner);
  },
});

/** Somebody else; `join` puts them into groups. */
const person = (
  name: string,
  join?: (scene: Scene, userId: number, surroundings: Surroundings) => Promise<unknown>,
  options: { is_superuser?: boolean; is_shared?: boolean } = {},
): CallerKind => ({
  name,
  async prepare(scene) {
    const surroundings = await scene.surroundings(options);
    const actor = await scene.user(options);
    await join?.(scene, actor.user_id, surroundings);
    return bySession(surroundings, actor);
  },
});

const missing = (kind: CallerKind): CallerKind => ({
  name: `${kind.name}, who names an unknown connection`,
  prepare: async (scene) => ({ ...(await kind.prepare(scene)), target: UNKNOWN_ID }),
});

type Grants = Pick<GroupOptions, 'permissions'> & {
  level?: 'read' | 'read_write';
  wildcard?: 'read' | 'read_write';
  /** On the cluster of the connection, and on the group of that cluster. */
  cluster?: 'read' | 'read_write';
  cluster_group?: 'read' | 'read_write';
};

const grants = (
  { permissions, level, wildcard, cluster, cluster_group }: Grants,
  { target, ...around }: Surroundings,
): GroupOptions => ({
  ...(permissions && { permissions }),
  ...(cluster && { clusters: { [around.cluster]: cluster } }),
  ...(cluster_group && { cluster_groups: { [around.cluster_group]: cluster_group } }),
  connections: { ...(level && { [target]: level }), ...(wildcard && { 0: wildcard }) },
});

const member = (name: string, given: Grants, depth = 0): CallerKind =>
  person(name, async (scene, userId, around) => {
    let top = await scene.group({ users: [userId], ...(depth === 0 ? grants(given, around) : {}) });
    for (let n = 1; n <= depth; n += 1)
      top = await scene.group({ groups: [top], ...(n === depth ? grants(given, around) : {}) });
  });

const stranger = person('a user without a grant');
export const superuser = person('a superuser', undefined, { is_superuser: true });

/** Written here once more: the model knows none by name. */
export const PERMISSIONS = [
  'manage_connections',
  'manage_groups',
  'manage_permissions',
  'manage_users',
  'manage_token_scopes',
  'manage_blackouts',
  'manage_probes',
  'manage_alert_rules',
  'manage_notification_channels',
  'store_system_memory',
  'view_audit',
  'read_logs',
  'send_logs',
] as const;

const people: CallerKind[] = [
  stranger,
  missing(stranger),
  person('a user on a shared connection', undefined, { is_shared: true }),
  owner('the owner'),
  owner('the owner of a deleted connection', { deleted: true }),
  superuser,
  missing(superuser),
  member('a reader by a group', { level: 'read' }),
  member('a writer by a group', { level: 'read_write' }),
  member('a reader by a group above theirs', { level: 'read' }, 1),
  member('a writer by a group far above theirs', { level: 'read_write' }, 3),
  member('a reader of everything', { wildcard: 'read' }),
  member('a writer of everything', { wildcard: 'read_write' }, 1),
  member('a reader of everything who may write here', { wildcard: 'read', level: 'read_write' }),
  missing(member('a writer of everything', { wildcard: 'read_write' })),
  member('a reader by a grant on the cluster', { cluster: 'read' }),
  member('a writer by a grant on the group of the cluster', { cluster_group: 'read_write' }, 1),
  member('a reader by the cluster who may write by its group', {
    cluster: 'read',
    cluster_group: 'read_write',
  }),
  person('a user who was granted another cluster', async (scene, userId) => {
    const other = await scene.surroundings();
    await scene.group({ users: [userId], clusters: { [other.cluster]: 'read_write' } });
  }),
  person('a user whose cluster the server has left', async (scene, userId, { target, cluster }) => {
    const { cluster: elsewhere } = await scene.surroundings();
    await scene.group({ users: [userId], clusters: { [cluster]: 'read_write' } });
    await scene.move(target, elsewhere);
  }),
  person('a member of the group above the granted one', async (scene, userId, { target }) => {
    const granted = await scene.group({ connections: { [target]: 'read_write' }, permissions: ['*'] });
    await scene.group({ users: [userId], groups: [granted] });
  }),
  person('a user whose neighbour was granted another connection', async (scene, userId) => {
    const other = await scene.surroundings();
    await scene.group({ users: [userId], connections: { [other.target]: 'read_write' } });
  }),
  member('a reader who may manage connections', { level: 'read', permissions: ['manage_connections'] }),
  member('a reader who may read logs', { level: 'read', permissions: ['read_logs'] }),
  member('a holder of every permission', { permissions: ['*'] }),
  member('a writer of everything with every permission', { wildcard: 'read_write', permissions: ['*'] }),
  ...PERMISSIONS.map((name) => member(`a holder of ${name}`, { permissions: [name] })),
];

const SAME_SITE = { 'sec-fetch-site': 'same-origin' };
const browsers: CallerKind[] = (
  [
    ['without Origin', {}, false],
    ['from our own page', { ...SAME_SITE, origin: 'http://localhost:80' }, false],
    ['cross-site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, true],
    ['from a sister site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }, true],
    ['from an opaque origin', { origin: 'null' }, true],
    ['from another origin in an old browser', { origin: 'https://evil.example' }, true],
  ] as const
).flatMap(([where, headers, cross_site]) =>
  [owner('the owner'), ...(cross_site ? [superuser] : [])].map((kind) => ({
    name: `${kind.name} by cookie ${where}`,
    async prepare(scene: Scene) {
      const prepared = await kind.prepare(scene);
      const { token = '' } = prepared.call;
      return { ...prepared, cross_site, call: { cookie: token, headers: { ...headers } } };
    },
  })),
);

const only = (connection_id: number, level: 'read' | 'read_write') => ({
  connections: [{ connection_id, level }],
});

const scopes: Record<string, ((target: number) => ModelScope) | undefined> = {
  'without scope': undefined,
  'scoped to the connection': (target) => only(target, 'read_write'),
  'scoped to all connections': () => only(0, 'read_write'),
  'scoped to reading': (target) => only(target, 'read'),
  'scoped to reading everything': () => only(0, 'read'),
  'scoped to another connection': (target) => only(target + 1, 'read_write'),
  'scoped to no connection': () => ({ connections: [] }),
  'scoped to no permission': () => ({ admin: [] }),
  'scoped to all permissions': () => ({ admin: ['*'] }),
  'scoped to manage_connections': () => ({ admin: ['manage_connections'] }),
  'scoped to manage_users and reading': (target) => ({ admin: ['manage_users'], ...only(target, 'read') }),
  'scoped to no tool': () => ({ mcp: [] }),
};

/** The same person, by a token of theirs. */
const byToken = (kind: CallerKind, names: readonly string[]): CallerKind[] =>
  names.map((name) => ({
    name: `a token of ${kind.name} ${name}`,
    async prepare(scene) {
      const prepared = await kind.prepare(scene);
      const user_id = prepared.caller?.user_id ?? 0;
      const scope = scopes[name]?.(prepared.surroundings.target);
      return {
        ...prepared,
        call: { token: await scene.token(user_id, scope) },
        caller: { user_id, via: 'token', scope },
      };
    },
  }));

const [everyScope, groupScopes] = [
  Object.keys(scopes),
  [
    'without scope',
    'scoped to the connection',
    'scoped to another connection',
    'scoped to manage_connections',
  ],
];

export const callerKinds: readonly CallerKind[] = [
  ...unauthenticated,
  ...people,
  ...browsers,
  ...byToken(owner('the owner'), everyScope),
  ...byToken(superuser, everyScope),
  ...byToken(
    member('a reader who may manage connections', { level: 'read', permissions: ['manage_connections'] }),
    groupScopes,
  ),
  ...byToken(member('a writer by a grant on the cluster', { cluster: 'read_write' }), [
    'without scope',
    'scoped to reading',
    'scoped to another connection',
    'scoped to no connection',
  ]),
  ...byToken(
    member('a holder of every permission', { wildcard: 'read', permissions: ['*'] }, 1),
    groupScopes,
  ),
];
