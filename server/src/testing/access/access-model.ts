// The rules of access, once more and by themselves: plain sets and loops over a small world, sharing no code with the
// gate or the access room, so that both can be compared. Slow and simple on purpose.
import type { Either, Operation } from '../../kernel/contract.ts';

export type Level = 0 | 1 | 2;

export interface ModelScope {
  connections?: readonly { connection_id: number; level: 'read' | 'read_write' }[];
  mcp?: readonly string[];
  admin?: readonly string[];
}

export interface ModelGroup {
  users: Set<number>;
  /** Groups that are members of this one. */
  groups: Set<number>;
  /** Level by connection id; 0 is every connection. */
  connections: Map<number, Level>;
  /** Level by the id of a cluster, and of a group of clusters: on every server that is there. */
  clusters: Map<number, Level>;
  cluster_groups: Map<number, Level>;
  permissions: Set<string>;
}

/** Somebody who is signed in. */
export interface ModelCaller {
  user_id: number;
  via: 'session' | 'token' | 'provider_token';
  scope?: ModelScope | undefined;
}

export interface World {
  users: Map<number, { is_superuser: boolean }>;
  connections: Map<number, { owner_id: number; is_shared: boolean; deleted: boolean }>;
  groups: Map<number, ModelGroup>;
  clusters: Map<number, { servers: number[] }>;
  cluster_groups: Map<number, { owner_id: number; clusters: number[] }>;
}

export function emptyWorld(): World {
  const [users, connections, groups, clusters, cluster_groups] = [
    new Map(),
    new Map(),
    new Map(),
    new Map(),
    new Map(),
  ];
  return { users, connections, groups, clusters, cluster_groups };
}

/** A server belongs to one cluster. */
export function moveInModel({ clusters }: World, connectionId: number, clusterId: number): void {
  for (const [id, cluster] of clusters) {
    cluster.servers = cluster.servers.filter((server) => server !== connectionId);
    if (id === clusterId) cluster.servers.push(connectionId);
  }
}

/** Every group somebody is in: looked for until nothing new is found. */
function groupsOf({ groups }: World, userId: number): ModelGroup[] {
  const found = new Set<number>();
  for (const [id, group] of groups) if (group.users.has(userId)) found.add(id);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [id, group] of groups)
      if ([...group.groups].some((member) => found.has(member))) found.add(id);
  }
  return [...found].flatMap((id) => groups.get(id) ?? []);
}

const highest = (levels: readonly Level[]): Level => (levels.includes(2) ? 2 : levels.includes(1) ? 1 : 0);
const numberOf = (level: 'read' | 'read_write'): Level => (level === 'read_write' ? 2 : 1);

/** What a group holds on a server by the cluster that it is in, and by the group of that. */
function inheritedLevels(world: World, group: ModelGroup, connectionId: number): Level[] {
  const clusters = [...world.clusters].flatMap(([id, { servers }]) =>
    servers.includes(connectionId) ? [id] : [],
  );
  return [
    ...clusters.map((id): Level => group.clusters.get(id) ?? 0),
    ...[...world.cluster_groups].flatMap(([id, { clusters: held }]): Level[] =>
      clusters.some((cluster) => held.includes(cluster)) ? [group.cluster_groups.get(id) ?? 0] : [],
    ),
  ];
}

export function levelOn(world: World, caller: ModelCaller, connectionId: number): Level {
  const connection = world.connections.get(connectionId);
  if (!connection || connection.deleted) return 0;
  const granted = groupsOf(world, caller.user_id).flatMap((group): Level[] => [
    group.connections.get(connectionId) ?? 0,
    group.connections.get(0) ?? 0,
    ...inheritedLevels(world, group, connectionId),
  ]);
  const reaches = world.users.get(caller.user_id)?.is_superuser || connection.owner_id === caller.user_id;
  const own: Level = reaches ? 2 : highest([...granted, connection.is_shared ? 2 : 0]);
  if (!caller.scope?.connections) return own;
  const named = caller.scope.connections.filter(
    ({ connection_id }) => connection_id === 0 || connection_id === connectionId,
  );
  const ceiling = highest(named.map(({ level }) => numberOf(level)));
  return ceiling < own ? ceiling : own;
}

export function holds(world: World, { user_id, scope }: ModelCaller, permission: string): boolean {
  const allowed = !scope?.admin || scope.admin.includes('*') || scope.admin.includes(permission);
  if (!allowed) return false;
  if (world.users.get(user_id)?.is_superuser) return true;
  return groupsOf(world, user_id).some(
    ({ permissions }) => permissions.has('*') || permissions.has(permission),
  );
}

export function actsAsSuperuser(world: World, { user_id, scope }: ModelCaller): boolean {
  return world.users.get(user_id)?.is_superuser === true && (!scope?.admin || scope.admin.includes('*'));
}

/** What a request names, by the kind that an operation's access says. */
export type NamedIds = Readonly<Partial<Record<string, number>>>;

export interface ModelRequest {
  operation: Pick<Operation, 'access' | 'method' | 'takesProviderTokens'>;
  /** Undefined for nobody who is known. */
  caller: ModelCaller | undefined;
  cross_site: boolean;
  /** The connection that is named. */
  target: number;
  /** Other things that are named: `cluster`, `cluster-group`, `self`, the channel that it is `signed` for, or one of `estate`, `server`, `cluster`, `group` as scope. */
  named: NamedIds;
}

export type Verdict = 'pass' | 401 | 403 | 404;

/** `unseen` is what it comes to where it is not seen; 404 when absent. */
type Rule = (
  world: World,
  caller: ModelCaller,
  named: NamedIds,
) => { seen: boolean; manages: boolean; writes?: boolean; unseen?: 403 };

export function clusterSeen(world: World, caller: ModelCaller, id: number | undefined): boolean {
  const cluster = world.clusters.get(id ?? -1);
  if (!cluster) return false;
  const present = cluster.servers.filter((server) => world.connections.get(server)?.deleted === false);
  if (present.length === 0) return holds(world, caller, 'manage_connections');
  return present.some((server) => levelOn(world, caller, server) > 0);
}

export function groupRights(
  world: World,
  caller: ModelCaller,
  id: number | undefined,
): { seen: boolean; manages: boolean } {
  const group = world.cluster_groups.get(id ?? -1);
  if (!group) return { seen: false, manages: false };
  const manages = group.owner_id === caller.user_id || holds(world, caller, 'manage_connections');
  return { manages, seen: manages || group.clusters.some((cluster) => clusterSeen(world, caller, cluster)) };
}

const seenOnly = (seen: boolean) => ({ seen, manages: false });

/** The estate is everybody's; of the rest, what it is for. */
function quietSeen(world: World, caller: ModelCaller, { estate, server, cluster, group }: NamedIds): boolean {
  if (estate !== undefined) return estate > 0;
  if (server !== undefined) return levelOn(world, caller, server) > 0;
  return cluster !== undefined ? clusterSeen(world, caller, cluster) : groupRights(world, caller, group).seen;
}

const presentIn = ({ connections }: World, servers: readonly number[]) =>
  servers.filter((server) => connections.get(server)?.deleted === false);

const isLimited = ({ scope }: ModelCaller) =>
  scope?.connections !== undefined && !scope.connections.some(({ connection_id }) => connection_id === 0);

/** Whether somebody sees every server that there is, and may go beyond those that they name. */
function estateSeen(world: World, caller: ModelCaller): boolean {
  if (isLimited(caller)) return false;
  const all = presentIn(world, [...world.connections.keys()]);
  return all.length > 0 && all.every((server) => levelOn(world, caller, server) > 0);
}

/** Whether all servers of what is named are seen. */
function wholeSeen(world: World, caller: ModelCaller, named: NamedIds): boolean {
  if (named.estate !== undefined) return estateSeen(world, caller);
  const group = world.cluster_groups.get(named.group ?? named['cluster-group'] ?? -1);
  const clusters = named.cluster === undefined ? (group?.clusters ?? []) : [named.cluster];
  const servers = clusters.flatMap((id) => presentIn(world, world.clusters.get(id)?.servers ?? []));
  if (servers.length === 0 && named.server === undefined) return !isLimited(caller);
  return servers.every((server) => levelOn(world, caller, server) > 0);
}

const isOwner = ({ connections }: World, { user_id }: ModelCaller, connection: number | undefined) =>
  connections.get(connection ?? -1)?.owner_id === user_id;

/** Who sees what. An operation on anything else has to add its rule here; a test insists. */
const OBJECTS: Readonly<Record<string, Rule>> = {
  cluster: (world, caller, { cluster }) => seenOnly(clusterSeen(world, caller, cluster)),
  'cluster-group': (world, caller, named) => groupRights(world, caller, named['cluster-group']),
  scope(world, caller, { server, cluster, group }) {
    if (server !== undefined) return seenOnly(levelOn(world, caller, server) > 0);
    return cluster !== undefined
      ? seenOnly(clusterSeen(world, caller, cluster))
      : groupRights(world, caller, group);
  },
  // `alert` is the connection that it is of.
  alert(world, caller, { alert }) {
    const level = levelOn(world, caller, alert ?? -1);
    return { ...seenOnly(level > 0), writes: level === 2 };
  },
  // `finding` likewise.
  finding(world, caller, { finding }) {
    const level = levelOn(world, caller, finding ?? -1);
    return { ...seenOnly(level > 0), writes: level === 2 };
  },
  // Both are the owner's of the connection that they were made with.
  conversation: (world, caller, named) => seenOnly(isOwner(world, caller, named.conversation)),
  'chat-run': (world, caller, named) => seenOnly(isOwner(world, caller, named['chat-run'])),
  memory: (world, caller, named) => seenOnly(isOwner(world, caller, named.memory)),
  'log-search': (world, caller, named) => seenOnly(isOwner(world, caller, named['log-search'])),
  // Of the owner likewise, and of whoever is a superuser.
  'ai-run': (world, caller, named) =>
    seenOnly(
      named['ai-run'] !== undefined &&
        (isOwner(world, caller, named['ai-run']) ||
          (actsAsSuperuser(world, caller) && world.connections.has(named['ai-run']))),
    ),
  blackout: (world, caller, named) => seenOnly(quietSeen(world, caller, named)),
  // What a new one is for: a connection that is there, and that the caller cannot see, is no secret.
  target(world, caller, named) {
    const seen = quietSeen(world, caller, named);
    const connection = world.connections.get(named.server ?? -1);
    return { ...seenOnly(seen), ...(connection && !connection.deleted && { unseen: 403 as const }) };
  },
};

export const knownObjects: readonly string[] = Object.keys(OBJECTS);

function onConnection(
  world: World,
  { caller, target, operation }: ModelRequest & { caller: ModelCaller },
  need: 'read' | 'read_write' | 'manage',
): Verdict {
  const connection = world.connections.get(target);
  const { access } = operation;
  const hides = typeof access === 'object' && 'unknown' in access && access.unknown === 'forbidden';
  if (!connection || connection.deleted) return hides ? 403 : 404;
  const level = levelOn(world, caller, target);
  if (need === 'read') return level > 0 ? 'pass' : 403;
  if (need === 'read_write') return level === 2 ? 'pass' : 403;
  const own = connection.owner_id === caller.user_id && level === 2;
  return own || (level > 0 && holds(world, caller, 'manage_connections')) ? 'pass' : 403;
}

const opens =
  (world: World, { caller, named }: ModelRequest & { caller: ModelCaller }) =>
  (way: Either) =>
    'permission' in way ? holds(world, caller, way.permission) : named.self === caller.user_id;

function onAccess(world: World, request: ModelRequest & { caller: ModelCaller }): Verdict {
  const { caller, named, operation } = request;
  const { access } = operation;
  if (typeof access === 'string') return access === 'session' && caller.via !== 'session' ? 403 : 'pass';
  if ('visible' in access || 'tool' in access) return 'pass';
  if ('superuser' in access) return actsAsSuperuser(world, caller) ? 'pass' : 403;
  if ('any' in access) return access.any.some(opens(world, request)) ? 'pass' : 403;
  if ('session' in access && access.session && caller.via !== 'session') return 403;
  if ('permission' in access && access.permission && !holds(world, caller, access.permission)) return 403;
  if ('connections' in access) return levelOn(world, caller, request.target) > 0 ? 'pass' : 403;
  if ('connection' in access && access.connection) {
    const verdict = onConnection(world, request, access.need ?? 'read');
    if (verdict !== 'pass') return verdict;
  }
  if ('estate' in access && access.estate === true && !estateSeen(world, caller)) return 403;
  if (!('object' in access)) return 'pass';
  const rights = OBJECTS[access.object]?.(world, caller, named);
  if (!rights) return 'pass';
  if (!rights.seen) return rights.unseen ?? 404;
  if (access.need === 'read_write' && rights.writes === false) return 403;
  if (access.need === 'manage' && !rights.manages) return 403;
  return access.whole && !wholeSeen(world, caller, named) ? 403 : 'pass';
}

/** What a request comes to, before what it asks for is done. */
export function verdict(world: World, request: ModelRequest): Verdict {
  const { operation, caller, cross_site, named } = request;
  const isForged = cross_site && operation.method !== 'GET';
  if (operation.access === 'public') return isForged ? 403 : 'pass';
  if (typeof operation.access === 'object' && 'signed' in operation.access)
    return isForged ? 403 : named.signed === undefined ? 401 : 'pass';
  if (!caller || (caller.via === 'provider_token' && !operation.takesProviderTokens)) return 401;
  return isForged ? 403 : onAccess(world, { ...request, caller });
}
