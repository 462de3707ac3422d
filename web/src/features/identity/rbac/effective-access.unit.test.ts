import { describe, expect, it } from 'vitest';
import { chainsFrom } from './chains.ts';
import { type AccessFacts, accessOf, type GrantedBy, higherLevel } from './effective-access.ts';
import type { ConnectionItem, McpPrivilege, Privileges } from './types.ts';

const created_at = '2026-11-20T10:00:00.000Z';
const connection = (id: number, over: Partial<ConnectionItem> = {}): ConnectionItem => ({
  id,
  name: `db${id}`,
  description: '',
  host: 'h',
  port: 5432,
  database_name: 'postgres',
  is_monitored: true,
  is_shared: false,
  owner_username: 'admin',
  cluster_id: null,
  membership_source: 'auto',
  ...over,
});
const mcp = (identifier: string, is_public = false): McpPrivilege => ({
  id: 1,
  identifier,
  item_type: 'tool',
  is_public,
  created_at,
});
const grants = (over: Partial<GrantedBy>): GrantedBy => ({
  chain: ['dba'],
  connection_privileges: [],
  scope_privileges: [],
  mcp_privileges: [],
  admin_permissions: [],
  ...over,
});
const grant = (connection_id: number, access_level: 'read' | 'read_write') => ({
  id: 1,
  group_id: 1,
  connection_id,
  access_level,
  created_at,
});
const anna: Privileges = {
  username: 'anna',
  is_superuser: false,
  groups: [],
  mcp_privileges: [],
  connection_privileges: {},
  admin_permissions: [],
};
const facts = (over: Partial<AccessFacts>): AccessFacts => ({
  privileges: anna,
  connections: [connection(1), connection(2)],
  groups: [],
  mcp: [mcp('query_metrics'), mcp('test_query', true)],
  ...over,
});
const server = (over: Partial<AccessFacts>, id: number) =>
  accessOf(facts(over)).connections.find(({ connection_id }) => connection_id === id);

describe('chains of groups', () => {
  const groups = [
    { name: 'interns', member_of: ['dba'] },
    { name: 'dba', member_of: ['ops', 'europe'] },
    { name: 'ops', member_of: ['everybody'] },
    { name: 'europe', member_of: ['everybody'] },
    { name: 'everybody', member_of: ['interns'] },
    { name: 'others', member_of: [] },
  ];

  it('name each group above once, by the shortest way, and end in circles', () => {
    expect(Object.fromEntries(chainsFrom(['interns', 'ops'], groups))).toEqual({
      interns: ['interns'],
      ops: ['ops'],
      dba: ['interns', 'dba'],
      everybody: ['ops', 'everybody'],
      europe: ['interns', 'dba', 'europe'],
    });
  });

  it('of nobody are none', () => expect(chainsFrom([], groups).size).toBe(0));
});

it('of two levels the one that allows more is higher, and nothing is least', () => {
  expect(higherLevel('read', 'read_write')).toBe('read_write');
  expect(higherLevel('read', undefined)).toBe('read');
  expect(higherLevel(undefined, undefined)).toBeUndefined();
});

describe('connections', () => {
  it('show no right that the server does not tell of, whatever groups hold', () => {
    const groups = [grants({ connection_privileges: [grant(1, 'read')] })];
    expect(server({ groups }, 1)).toMatchObject({ held: false, level: undefined, origins: [], cut: false });
  });

  it('name owner, sharing, the chain of groups and wildcards', () => {
    const privileges = { ...anna, connection_privileges: { '0': 'read', '1': 'read_write' } as const };
    const connections = [connection(1, { owner_username: 'anna', is_shared: true }), connection(2)];
    const groups = [
      grants({ chain: ['dba', 'ops'], connection_privileges: [grant(0, 'read')] }),
      grants({ connection_privileges: [grant(1, 'read')] }),
    ];
    expect(server({ privileges, connections, groups }, 1)).toMatchObject({
      level: 'read_write',
      origins: [
        { kind: 'owner', level: 'read_write' },
        { kind: 'shared' },
        { kind: 'group', chain: ['dba'], wildcard: false, level: 'read' },
        { kind: 'group', chain: ['dba', 'ops'], wildcard: true, level: 'read' },
      ],
    });
    expect(server({ privileges, connections, groups }, 2)?.level).toBe('read');
    expect(server({ privileges, connections, groups }, 0)?.origins).toMatchObject([{ wildcard: false }]);
  });

  it('name the cluster or server group that a grant is on', () => {
    const privileges = { ...anna, connection_privileges: { '1': 'read' } as const };
    const on = { scope: 'cluster', scope_id: 7, name: 'orders', access_level: 'read' } as const;
    const groups = [grants({ scope_privileges: [{ ...on, connection_ids: [1, 2] }] })];
    const through = { scope: 'cluster', name: 'orders' };
    expect(server({ privileges, connections: [connection(1)], groups }, 1)?.origins).toEqual([
      { kind: 'group', chain: ['dba'], wildcard: false, through, level: 'read' },
    ]);
  });

  it('say so when the origin is not for the reader, and list what the reader cannot see', () => {
    const privileges = { ...anna, connection_privileges: { '9': 'read' } as const };
    expect(server({ privileges, groups: undefined }, 9)).toEqual({
      connection_id: 9,
      name: 'Server 9',
      level: 'read',
      held: true,
      origins: [{ kind: 'unnamed', level: 'read' }],
      cut: false,
    });
  });

  it.each([
    [undefined, 'read_write', false],
    [[], undefined, true],
    [[{ connection_id: 2, access_level: 'read' as const }], undefined, true],
    [[{ connection_id: 1, access_level: 'read' as const }], 'read', true],
    [[{ connection_id: 0, access_level: 'read_write' as const }], 'read_write', false],
    [
      [
        { connection_id: 0, access_level: 'read' as const },
        { connection_id: 1, access_level: 'read_write' as const },
      ],
      'read_write',
      false,
    ],
  ])('a scope of %j leaves %s', (connections, level, cut) => {
    const privileges = { ...anna, connection_privileges: { '1': 'read_write' } as const };
    const scope = { scoped: true, ...(connections && { connections }) };
    expect(server({ privileges, scope }, 1)).toMatchObject({ level, cut });
  });

  it('a scope never raises what the owner has', () => {
    const privileges = { ...anna, connection_privileges: { '1': 'read' } as const };
    const scope = { scoped: true, connections: [{ connection_id: 0, access_level: 'read_write' as const }] };
    expect(server({ privileges, scope }, 1)).toMatchObject({ level: 'read', cut: false });
    expect(server({ privileges, scope }, 2)).toMatchObject({ held: false, cut: false });
  });
});

describe('tools and permissions', () => {
  it('of a superuser are all, cut by the scope of a token', () => {
    const privileges: Privileges = {
      ...anna,
      is_superuser: true,
      mcp_privileges: ['*'],
      connection_privileges: { '0': 'read_write' },
      admin_permissions: ['*'],
    };
    const scope = { scoped: true, mcp_identifiers: ['query_metrics'], admin_permissions: [] };
    const access = accessOf(facts({ privileges, scope }));
    expect(access.mcp).toEqual([
      { name: 'query_metrics', held: true, origins: [{ kind: 'superuser' }], cut: false },
      { name: 'test_query', held: false, origins: [{ kind: 'superuser' }], cut: true },
    ]);
    expect(access.admin.every(({ held, cut }) => !held && cut)).toBe(true);
    expect(accessOf(facts({ privileges })).admin.every(({ held, cut }) => held && !cut)).toBe(true);
  });

  it('come from groups, their wildcards, or are open to everybody', () => {
    const privileges = { ...anna, mcp_privileges: ['query_metrics'], admin_permissions: ['manage_users'] };
    const groups = [
      grants({ mcp_privileges: [mcp('*')] }),
      grants({ chain: ['hr'], admin_permissions: ['manage_users'] }),
      grants({ chain: undefined, admin_permissions: ['manage_users'] }),
    ];
    const access = accessOf(facts({ privileges, groups }));
    expect(access.mcp[0]?.origins).toEqual([{ kind: 'group', chain: ['dba'], wildcard: true }]);
    expect(access.mcp[1]).toMatchObject({ held: true, origins: [{ kind: 'public' }, { kind: 'group' }] });
    const users = access.admin.find(({ name }) => name === 'manage_users');
    expect(users?.origins).toEqual([{ kind: 'group', chain: ['hr'], wildcard: false }]);
    expect(access.admin.filter(({ held }) => held)).toHaveLength(1);
  });
});
