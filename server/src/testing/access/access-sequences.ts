// Random sequences of changes of rights over HTTP, by superusers and by delegates, told to the model of access as they
// succeed. Guards S13: whatever somebody who is no superuser brings about, nobody holds more than that one did.
import type { ModelCaller, ModelScope, World } from './access-model.ts';
import { actsAsSuperuser, holds, levelOn, moveInModel } from './access-model.ts';
import type { Scene } from './access-scene.ts';
import { PERMISSIONS } from './callers.ts';

export interface Signed extends ModelCaller {
  name: string;
  username: string;
  token: string;
  /** Of the API token; undefined for a session. */
  token_id?: number;
}

export type Call = (
  request: string,
  options: { token: string; body?: object },
) => Promise<{ status: number; text: string; body: unknown }>;

export interface Play {
  scene: Scene;
  call: Call;
  /** A whole number below. */
  draw(below: number): number;
  callers: Signed[];
  groups: number[];
  connections: number[];
  clusters: number[];
  cluster_groups: number[];
  /** What was asked and how it ended, for whoever has to find out. */
  told: string[];
}

/** The same numbers for the same seed. */
function drawFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function pick<T>(play: Pick<Play, 'draw'>, from: readonly T[]): T {
  const found = from[play.draw(from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

const DELEGATED = [
  'manage_groups',
  'manage_permissions',
  'manage_users',
  'manage_token_scopes',
  'manage_connections',
];

export async function startPlay(scene: Scene, call: Call, seed: number): Promise<Play> {
  const play: Play = {
    scene,
    call,
    draw: drawFrom(seed),
    callers: [],
    groups: [],
    connections: [],
    clusters: [],
    cluster_groups: [],
    told: [],
  };
  const sign = async (name: string, is_superuser = false) => {
    const { user_id, username, session } = await scene.user({ is_superuser });
    play.callers.push({ name, username, user_id, via: 'session', token: session });
    return user_id;
  };
  await sign('superuser', true);
  for (let n = 0; n < 3; n += 1) {
    const { owner, target, cluster, cluster_group } = await scene.surroundings({ is_shared: n === 2 });
    play.clusters.push(cluster);
    play.cluster_groups.push(cluster_group);
    play.callers.push({
      name: `owner ${n}`,
      username: owner.username,
      user_id: owner.user_id,
      via: 'session',
      token: owner.session,
    });
    play.connections.push(target);
  }
  const delegates = [await sign('delegate 0'), await sign('delegate 1')];
  const [first = 0, second = 0, third = 0] = play.connections;
  const some = [first, second, third, 0];
  for (const user of delegates)
    play.groups.push(
      await scene.group({
        users: [user],
        permissions: DELEGATED.filter(() => play.draw(5) > 0),
        connections: { [pick(play, some)]: pick(play, ['read', 'read_write']) },
      }),
    );
  for (let n = 0; n < 3; n += 1) play.groups.push(await scene.group({}));
  return play;
}

interface Change {
  line: string;
  body?: object;
  /** Sharing is the right of who manages the connection, whatever their own level; the specification says so. */
  shares?: true;
  /** Told to the model when the request has succeeded. */
  apply(world: World, body: unknown): void;
}

type Make = (play: Play, actor: Signed) => Change | undefined;
const levelName = (play: Play) => pick(play, ['read', 'read_write'] as const);
const number = (level: 'read' | 'read_write') => (level === 'read' ? 1 : 2);
const path = (group: number, rest: string) => `/api/v1/rbac/groups/${group}/${rest}`;

const addMember: Make = (play) => {
  const group = pick(play, play.groups);
  if (play.draw(2) === 0) {
    const { user_id } = pick(play, play.callers);
    return {
      line: `POST ${path(group, 'members')}`,
      body: { user_id },
      apply: ({ groups }) => groups.get(group)?.users.add(user_id),
    };
  }
  const group_id = pick(play, play.groups);
  return {
    line: `POST ${path(group, 'members')}`,
    body: { group_id },
    apply: ({ groups }) => groups.get(group)?.groups.add(group_id),
  };
};

const removeMember: Make = (play) => {
  const group = pick(play, play.groups);
  const held = play.scene.world.groups.get(group);
  const members = [
    ...[...(held?.users ?? [])].map((id) => ({ kind: 'user' as const, id })),
    ...[...(held?.groups ?? [])].map((id) => ({ kind: 'group' as const, id })),
  ];
  if (members.length === 0) return undefined;
  const { kind, id } = pick(play, members);
  return {
    line: `DELETE ${path(group, `members/${kind}/${id}`)}`,
    apply: ({ groups }) => groups.get(group)?.[kind === 'user' ? 'users' : 'groups'].delete(id),
  };
};

const grantConnection: Make = (play) => {
  const [group, connection_id, access_level] = [
    pick(play, play.groups),
    pick(play, [0, ...play.connections]),
    levelName(play),
  ];
  return {
    line: `POST ${path(group, 'privileges/connections')}`,
    body: { connection_id, access_level },
    apply: ({ groups }) => groups.get(group)?.connections.set(connection_id, number(access_level)),
  };
};

const setConnections: Make = (play) => {
  const group = pick(play, play.groups);
  const connections = play.connections
    .filter(() => play.draw(2) === 0)
    .map((connection_id) => ({ connection_id, access_level: levelName(play) }));
  return {
    line: `PUT ${path(group, 'privileges/connections')}`,
    body: { connections },
    apply({ groups }) {
      const held = groups.get(group)?.connections;
      held?.clear();
      for (const { connection_id, access_level } of connections)
        held?.set(connection_id, number(access_level));
    },
  };
};

const revokeConnection: Make = (play) => {
  const [group, id] = [pick(play, play.groups), pick(play, [0, ...play.connections])];
  return {
    line: `DELETE ${path(group, `privileges/connections/${id}`)}`,
    apply: ({ groups }) => groups.get(group)?.connections.delete(id),
  };
};

type ScopeChoice = ['cluster' | 'group', number];
const pickScope = (play: Play): ScopeChoice =>
  play.draw(2) === 0 ? ['cluster', pick(play, play.clusters)] : ['group', pick(play, play.cluster_groups)];

const heldOn = ({ groups }: World, group: number, scope: ScopeChoice[0]) =>
  groups.get(group)?.[scope === 'cluster' ? 'clusters' : 'cluster_groups'];

const grantScope: Make = (play) => {
  const [group, [scope, scope_id], access_level] = [
    pick(play, play.groups),
    pickScope(play),
    levelName(play),
  ];
  return {
    line: `POST ${path(group, 'privileges/scopes')}`,
    body: { scope, scope_id, access_level },
    apply: (world) => heldOn(world, group, scope)?.set(scope_id, number(access_level)),
  };
};

const revokeScope: Make = (play) => {
  const [group, [scope, scope_id]] = [pick(play, play.groups), pickScope(play)];
  return {
    line: `DELETE ${path(group, `privileges/scopes/${scope}/${scope_id}`)}`,
    apply: (world) => heldOn(world, group, scope)?.delete(scope_id),
  };
};

const moveServer: Make = (play) => {
  const [id, cluster_id] = [pick(play, play.connections), pick(play, play.clusters)];
  return {
    line: `PUT /api/v1/connections/${id}/cluster`,
    body: { cluster_id, membership_source: 'manual', role: '' },
    apply: (world) => moveInModel(world, id, cluster_id),
  };
};

const moveCluster: Make = (play) => {
  const [id, group_id] = [pick(play, play.clusters), pick(play, play.cluster_groups)];
  return {
    line: `PUT /api/v1/clusters/${id}`,
    body: { group_id },
    apply({ cluster_groups }) {
      for (const [key, group] of cluster_groups) {
        group.clusters = group.clusters.filter((cluster) => cluster !== id);
        if (key === group_id) group.clusters.push(id);
      }
    },
  };
};

const grantPermission: Make = (play) => {
  const [group, permission] = [pick(play, play.groups), pick(play, ['*', ...DELEGATED])];
  return {
    line: `POST ${path(group, 'permissions')}`,
    body: { permission },
    apply: ({ groups }) => groups.get(group)?.permissions.add(permission),
  };
};

const revokePermission: Make = (play) => {
  const [group, permission] = [pick(play, play.groups), pick(play, ['*', ...DELEGATED])];
  return {
    line: `DELETE ${path(group, `permissions/${encodeURIComponent(permission)}`)}`,
    apply: ({ groups }) => groups.get(group)?.permissions.delete(permission),
  };
};

function scopeFrom(play: Play): { sent: object; scope: ModelScope } {
  const entries = [0, ...play.connections]
    .filter(() => play.draw(3) === 0)
    .map((connection_id) => ({ connection_id, level: levelName(play) }));
  const admin = ['*', ...DELEGATED].filter(() => play.draw(3) === 0);
  const scope = { ...(play.draw(3) > 0 && { connections: entries }), ...(play.draw(2) === 0 && { admin }) };
  const whole: ModelScope = scope.connections || scope.admin ? scope : { connections: entries };
  return {
    scope: whole,
    sent: {
      ...(whole.connections && {
        connections: whole.connections.map(({ connection_id, level }) => ({
          connection_id,
          access_level: level,
        })),
      }),
      ...(whole.admin && { admin_permissions: whole.admin }),
    },
  };
}

const createToken: Make = (play) => {
  const owner = pick(play, play.callers);
  return {
    line: 'POST /api/v1/rbac/tokens',
    body: { owner_username: owner.username, annotation: 'played' },
    apply(_world, body) {
      const { token, id } = Object(body);
      const { username, user_id } = owner;
      play.callers.push({
        name: `token ${id} of ${owner.name}`,
        username,
        user_id,
        via: 'token',
        token,
        token_id: id,
      });
    },
  };
};

const withToken =
  (make: (play: Play, token: Signed & { token_id: number }) => Change): Make =>
  (play) => {
    const tokens = play.callers.flatMap((one) =>
      one.token_id === undefined ? [] : [{ one, id: one.token_id }],
    );
    if (tokens.length === 0) return undefined;
    const { one, id } = pick(play, tokens);
    return make(play, Object.assign(one, { token_id: id }));
  };

const setScope = withToken((play, token) => {
  const { sent, scope } = scopeFrom(play);
  return {
    line: `PUT /api/v1/rbac/tokens/${token.token_id}/scope`,
    body: sent,
    apply: () => {
      token.scope = scope;
    },
  };
});

const clearScope = withToken((_play, token) => ({
  line: `DELETE /api/v1/rbac/tokens/${token.token_id}/scope`,
  apply: () => {
    token.scope = undefined;
  },
}));

const deleteToken = withToken((play, token) => ({
  line: `DELETE /api/v1/rbac/tokens/${token.token_id}`,
  apply: () => {
    play.callers.splice(play.callers.indexOf(token), 1);
  },
}));

const share: Make = (play) => {
  const [id, is_shared] = [pick(play, play.connections), play.draw(2) === 0];
  return {
    line: `PUT /api/v1/connections/${id}`,
    shares: true,
    body: { is_shared },
    apply({ connections }) {
      const connection = connections.get(id);
      if (connection) connection.is_shared = is_shared;
    },
  };
};

const deleteConnection: Make = (play) => {
  if (play.connections.length < 2) return undefined;
  const id = pick(play, play.connections);
  return {
    line: `DELETE /api/v1/connections/${id}`,
    apply({ connections, groups }) {
      const connection = connections.get(id);
      if (connection) connection.deleted = true;
      for (const group of groups.values()) group.connections.delete(id);
      for (const { scope } of play.callers)
        if (scope?.connections)
          scope.connections = scope.connections.filter((entry) => entry.connection_id !== id);
    },
  };
};

const deleteGroup: Make = (play) => {
  if (play.groups.length < 3) return undefined;
  const id = pick(play, play.groups);
  return {
    line: `DELETE /api/v1/rbac/groups/${id}`,
    apply({ groups }) {
      groups.delete(id);
      for (const group of groups.values()) group.groups.delete(id);
      play.groups.splice(play.groups.indexOf(id), 1);
    },
  };
};

const deleteUser: Make = (play, actor) => {
  const { user_id } = pick(play, play.callers);
  return {
    line: `DELETE /api/v1/rbac/users/${user_id}`,
    apply({ users, groups, connections }) {
      users.delete(user_id);
      for (const group of groups.values()) group.users.delete(user_id);
      for (const connection of connections.values())
        if (connection.owner_id === user_id) connection.owner_id = actor.user_id;
      play.callers = play.callers.filter((one) => one.user_id !== user_id);
    },
  };
};

/** Each as often as it is listed. */
const CHANGES: readonly Make[] = [
  addMember,
  addMember,
  addMember,
  removeMember,
  grantConnection,
  grantConnection,
  setConnections,
  revokeConnection,
  grantScope,
  grantScope,
  revokeScope,
  moveServer,
  moveCluster,
  grantPermission,
  revokePermission,
  createToken,
  createToken,
  setScope,
  setScope,
  clearScope,
  deleteToken,
  share,
  deleteConnection,
  deleteGroup,
  deleteUser,
];

type Held = Map<string, number>;

/** Everything that everybody holds. */
function heldBy({ scene: { world }, callers, connections }: Play): Held {
  const held: Held = new Map();
  for (const caller of callers) {
    for (const id of connections) held.set(`${caller.token} level ${id}`, levelOn(world, caller, id));
    for (const name of PERMISSIONS)
      held.set(`${caller.token} may ${name}`, Number(holds(world, caller, name)));
  }
  return held;
}

/** What somebody holds now that the actor did not hold before; empty when nobody gave more than they had. */
function givenAway(play: Play, actor: Signed, { before, after }: { before: Held; after: Held }): string[] {
  const own = (what: string) => before.get(`${actor.token} ${what}`) ?? 0;
  return [...after].flatMap(([key, now]) => {
    const what = key.slice(key.indexOf(' ') + 1);
    // A new token is no new right of its owner; it is one of whoever asked for it.
    return now > (before.get(key) ?? 0) && now > own(what) ? [`${play.told.at(-1)}: ${what}`] : [];
  });
}

export interface Played {
  status: number;
  by_superuser: boolean;
  given_away: string[];
}

/** One change by one caller; undefined where there was nothing to change. */
export async function playOne(play: Play): Promise<Played | undefined> {
  // Delegates are the ones who may do some things and not others.
  const delegates = play.callers.filter(({ name }) => name.includes('delegate'));
  const actor = pick(play, play.draw(2) === 0 && delegates.length > 0 ? delegates : play.callers);
  const change = pick(play, CHANGES)(play, actor);
  if (!change) return undefined;
  const before = heldBy(play);
  const by_superuser = actsAsSuperuser(play.scene.world, actor);
  const { line, body } = change;
  const answer = await play.call(line, { token: actor.token, ...(body && { body }) });
  play.told.push(
    `${actor.name}: ${line} ${JSON.stringify(body ?? null)} → ${answer.status} ${answer.text.slice(0, 120)}`,
  );
  if (answer.status < 300) change.apply(play.scene.world, answer.body);
  const given_away =
    by_superuser || change.shares ? [] : givenAway(play, actor, { before, after: heldBy(play) });
  return { status: answer.status, by_superuser, given_away };
}
