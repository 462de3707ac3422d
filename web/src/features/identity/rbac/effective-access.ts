// What somebody may do in the end, and from where each right comes. The server says what holds (effective privileges);
// this says why, out of what was granted to the groups above, and what the scope of a token cuts. It never grants: a
// right the server does not tell of is not shown as held, and one whose origin is not visible says so.

import { EVERY_CONNECTION, type Level, PERMISSION_NAMES } from '../auth/rights.ts';
import type { Chain } from './chains.ts';
import type { ConnectionItem, GroupDetail, McpPrivilege, Privileges, Scope } from './types.ts';

const ALL = '*';

export type Origin = { level?: Level } & (
  | { kind: 'superuser' | 'owner' | 'shared' | 'public' | 'unnamed' }
  /** `through`: the cluster or server group that the grant is on. */
  | { kind: 'group'; chain: Chain; wildcard: boolean; through?: ScopeName }
);

export type ScopeName = Pick<GroupDetail['scope_privileges'][number], 'scope' | 'name'>;

const RANK = { read: 1, read_write: 2 } as const;

/** The one that allows more; nothing allows least. */
export function higherLevel<T extends Level | undefined>(a: T, b: T): T {
  return (a ? RANK[a] : 0) >= (b ? RANK[b] : 0) ? a : b;
}

function lowerLevel(a: Level | undefined, b: Level | undefined): Level | undefined {
  return higherLevel(a, b) === a ? b : a;
}

type Granted = Pick<
  GroupDetail,
  'connection_privileges' | 'scope_privileges' | 'mcp_privileges' | 'admin_permissions'
>;
/** What a group grants, and the way to it; an empty way is the group that is looked at itself. */
export type GrantedBy = Granted & { chain: Chain | undefined };

export interface Origins {
  connection: (id: number) => Origin[];
  mcp: (identifier: string) => Origin[];
  admin: (permission: string) => Origin[];
}

const nearest = (a: { chain: Chain }, b: { chain: Chain }) => a.chain.length - b.chain.length;

/** Which of the groups grant something, by what is asked for; the nearest first. */
export function originsIn(groups: readonly GrantedBy[]): Origins {
  const reached = groups
    .flatMap(({ chain, ...granted }) => (chain ? [{ ...granted, chain }] : []))
    .sort(nearest);
  const named = (name: string, namesOf: (group: Granted) => readonly string[]): Origin[] =>
    reached.flatMap((group) => {
      const names = namesOf(group);
      if (!names.includes(name) && !names.includes(ALL)) return [];
      return [{ kind: 'group' as const, chain: group.chain, wildcard: !names.includes(name) }];
    });
  return {
    connection: (id) =>
      reached.flatMap(({ chain, connection_privileges, scope_privileges }) => [
        ...connection_privileges
          .filter((grant) => grant.connection_id === id || grant.connection_id === EVERY_CONNECTION)
          .map((grant) => ({
            kind: 'group' as const,
            chain,
            wildcard: grant.connection_id !== id,
            level: grant.access_level,
          })),
        ...scope_privileges
          .filter((grant) => grant.connection_ids.includes(id))
          .map(({ scope, name, access_level }) => ({
            kind: 'group' as const,
            chain,
            wildcard: false,
            through: { scope, name },
            level: access_level,
          })),
      ]),
    mcp: (identifier) => named(identifier, (group) => group.mcp_privileges.map((one) => one.identifier)),
    admin: (permission) => named(permission, (group) => group.admin_permissions),
  };
}

export interface AccessFacts {
  privileges: Privileges;
  connections: readonly ConnectionItem[];
  /** Undefined where the reader may not look at groups. */
  groups: readonly GrantedBy[] | undefined;
  /** All that exist; those held where the reader may not list them. */
  mcp: readonly Pick<McpPrivilege, 'identifier' | 'is_public'>[];
  /** Of the token that is looked at. */
  scope?: Scope | undefined;
}

export interface Right {
  name: string;
  /** What remains after the scope. */
  held: boolean;
  origins: readonly Origin[];
  /** The owner has it, the token does not, or less of it. */
  cut: boolean;
}

export interface ConnectionRight extends Right {
  connection_id: number;
  level: Level | undefined;
}

export interface Access {
  connections: readonly ConnectionRight[];
  mcp: readonly Right[];
  admin: readonly Right[];
}

function levelIn(privileges: Privileges, id: number): Level | undefined {
  const of = (key: number) => privileges.connection_privileges[String(key)];
  return higherLevel(of(id), of(EVERY_CONNECTION));
}

function ceilingOf(scope: Scope | undefined, id: number): Level | undefined {
  if (!scope?.connections) return 'read_write';
  const entries = scope.connections.filter(
    (entry) => entry.connection_id === id || entry.connection_id === EVERY_CONNECTION,
  );
  return entries.map((entry) => entry.access_level).reduce<Level | undefined>(higherLevel, undefined);
}

function connectionOrigins(facts: AccessFacts, connection: { id: number; item?: ConnectionItem }): Origin[] {
  const { privileges, groups } = facts;
  const level = levelIn(privileges, connection.id);
  if (level === undefined) return [];
  if (privileges.is_superuser) return [{ kind: 'superuser', level: 'read_write' }];
  const own = connection.item?.owner_username === privileges.username;
  const found: Origin[] = [
    ...(own ? [{ kind: 'owner' as const, level: 'read_write' as const }] : []),
    ...(connection.item?.is_shared ? [{ kind: 'shared' as const }] : []),
    ...(groups ? originsIn(groups).connection(connection.id) : []),
  ];
  return found.length > 0 ? found : [{ kind: 'unnamed', level }];
}

function connectionRights(facts: AccessFacts): ConnectionRight[] {
  const known = facts.connections.map((item) => ({ id: item.id, item }));
  const visible = new Set(known.map(({ id }) => id));
  const others = Object.keys(facts.privileges.connection_privileges)
    .map(Number)
    .filter((id) => id !== EVERY_CONNECTION && !visible.has(id))
    .map((id) => ({ id, item: undefined }));
  return [{ id: EVERY_CONNECTION, item: undefined }, ...known, ...others].map(({ id, item }) => {
    const has = levelIn(facts.privileges, id);
    const level = lowerLevel(has, ceilingOf(facts.scope, id));
    return {
      connection_id: id,
      name: item?.name ?? `Server ${id}`,
      level,
      held: level !== undefined,
      origins: connectionOrigins(facts, item ? { id, item } : { id }),
      cut: level !== has,
    };
  });
}

interface RightSource {
  name: string;
  held: readonly string[];
  ceiling: readonly string[] | undefined;
  isPublic?: boolean;
  origins: Origin[];
}

function namedRight(
  facts: AccessFacts,
  { name, held, ceiling, isPublic = false, origins }: RightSource,
): Right {
  const includes = (names: readonly string[]) => names.includes(name) || names.includes(ALL);
  const has = isPublic || includes(held);
  const left = has && (ceiling === undefined || includes(ceiling));
  const named: Origin[] = facts.privileges.is_superuser
    ? [{ kind: 'superuser' }]
    : [...(isPublic ? [{ kind: 'public' as const }] : []), ...origins];
  const shown: Origin[] = named.length > 0 ? named : [{ kind: 'unnamed' }];
  return { name, held: left, origins: has ? shown : [], cut: has && !left };
}

export function accessOf(facts: AccessFacts): Access {
  const { privileges, scope, groups } = facts;
  const origins = originsIn(groups ?? []);
  return {
    connections: connectionRights(facts),
    mcp: facts.mcp.map(({ identifier, is_public }) =>
      namedRight(facts, {
        name: identifier,
        held: privileges.mcp_privileges,
        ceiling: scope?.mcp_identifiers,
        isPublic: is_public,
        origins: origins.mcp(identifier),
      }),
    ),
    admin: PERMISSION_NAMES.map((name) =>
      namedRight(facts, {
        name,
        held: privileges.admin_permissions,
        ceiling: scope?.admin_permissions,
        origins: origins.admin(name),
      }),
    ),
  };
}
