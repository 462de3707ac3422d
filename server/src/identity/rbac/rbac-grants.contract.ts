// What groups are granted: connections, MCP privileges and admin permissions; one by one, or the whole set replaced.
// Nobody grants what they do not have.
import { byId, DONE, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { AdminPermission, ConnectionGrant, connectionOrAll, MCPPrivilege, many } from './rbac.schemas.ts';

const tag = 'rbac';
const paramsExample = { id: 3 };
const access = { permission: 'manage_permissions' };
const superuser = { superuser: true } as const;
const common = { tag, ...byId(paramsExample.id), faults: [404] as const };

const MCP = '/api/v1/rbac/groups/{id}/privileges/mcp';
const CONNECTIONS = '/api/v1/rbac/groups/{id}/privileges/connections';
const PERMISSIONS = '/api/v1/rbac/groups/{id}/permissions';

const GroupEffectivePrivileges = s.component('GroupEffectivePrivileges', {
  group_name: s.text(),
  mcp_privileges: s.list(s.text()),
  connection_privileges: s.list(ConnectionGrant),
  admin_permissions: s.list(AdminPermission),
});
const identifier = s.text({ minLength: 1, maxLength: 255, description: 'An identifier, or * for all.' });
const GroupMCPPrivileges = s.component('GroupMCPPrivileges', {
  group_id: s.longId(),
  privileges: s.list(s.text()),
});
const GroupMCPPrivilegesRequest = s.component('GroupMCPPrivilegesRequest', {
  privileges: s.list(identifier, many),
});
const MCPPrivilegeGrantRequest = s.component('MCPPrivilegeGrantRequest', { privilege: identifier });
const GroupConnectionPrivileges = s.component('GroupConnectionPrivileges', {
  group_id: s.longId(),
  connections: s.list(ConnectionGrant),
});
const GroupConnectionPrivilegesRequest = s.component('GroupConnectionPrivilegesRequest', {
  connections: s.list(ConnectionGrant, many),
});
const GroupPermissions = s.component('GroupPermissions', {
  group_id: s.longId(),
  permissions: s.list(AdminPermission),
});
const GroupPermissionsRequest = s.component('GroupPermissionsRequest', {
  permissions: s.list(AdminPermission, many),
});
const PermissionGrantRequest = s.component('PermissionGrantRequest', { permission: AdminPermission });

const mcpExample = { group_id: 3, privileges: ['list_probes', 'query_metrics'] };
const connectionsExample = { group_id: 3, connections: [{ connection_id: 2, access_level: 'read' }] };
const permissionsExample = { group_id: 3, permissions: ['manage_blackouts'] };

export const getGroupEffectivePrivileges = operation({
  ...common,
  id: 'getGroupEffectivePrivileges',
  route: 'GET /api/v1/rbac/groups/{id}/effective-privileges',
  summary: 'Group effective privileges',
  access,
  success: ok(GroupEffectivePrivileges, {
    group_name: 'dba',
    mcp_privileges: ['list_probes', 'query_metrics'],
    connection_privileges: [{ connection_id: 0, access_level: 'read' }],
    admin_permissions: ['manage_blackouts'],
  }),
  notes: ['Includes what the group inherits from the groups it belongs to.'],
});

export const getGroupMcpPrivileges = operation({
  ...common,
  id: 'getGroupMcpPrivileges',
  route: `GET ${MCP}`,
  summary: 'Group MCP tool privileges',
  access,
  success: ok(GroupMCPPrivileges, mcpExample),
  notes: ['The group\'s own identifiers, sorted; ["*"] for the wildcard.'],
});

export const setGroupMcpPrivileges = operation({
  ...common,
  id: 'setGroupMcpPrivileges',
  route: `PUT ${MCP}`,
  summary: 'Set group MCP tool privileges',
  access,
  body: GroupMCPPrivilegesRequest,
  bodyExample: { privileges: ['list_probes', 'query_metrics'] },
  success: ok(GroupMCPPrivileges, mcpExample),
  notes: [
    'Replaces the whole set in one transaction and answers as GET. [] removes all.',
    'Unknown identifier 400; one the caller lacks 403.',
  ],
});

export const grantGroupMcpPrivilege = operation({
  ...common,
  id: 'grantGroupMcpPrivilege',
  route: `POST ${MCP}`,
  summary: 'Grant one MCP privilege to a group',
  access,
  body: MCPPrivilegeGrantRequest,
  bodyExample: { privilege: 'query_metrics' },
  extra: true,
  success: DONE,
  notes: ['privilege is an identifier or *. Idempotent.'],
});

export const revokeGroupMcpPrivilege = operation({
  ...common,
  id: 'revokeGroupMcpPrivilege',
  route: `DELETE ${MCP}`,
  summary: 'Revoke one MCP privilege from a group',
  access,
  paramsExample: { ...paramsExample, name: 'query_metrics' },
  query: s.object({ name: identifier }),
  extra: true,
  success: DONE,
  notes: ['name is an identifier or *; * removes only the wildcard. 404 when not granted.'],
});

export const getGroupConnectionPrivileges = operation({
  ...common,
  id: 'getGroupConnectionPrivileges',
  route: `GET ${CONNECTIONS}`,
  summary: 'Group connection privileges',
  access,
  success: ok(GroupConnectionPrivileges, connectionsExample),
  notes: ["The group's own grants ordered by connection_id; 0 means every connection."],
});

export const setGroupConnectionPrivileges = operation({
  ...common,
  id: 'setGroupConnectionPrivileges',
  route: `PUT ${CONNECTIONS}`,
  summary: 'Set group connection privileges',
  access,
  body: GroupConnectionPrivilegesRequest,
  bodyExample: { connections: [{ connection_id: 2, access_level: 'read' }] },
  success: ok(GroupConnectionPrivileges, connectionsExample),
  notes: [
    'Replaces the whole set in one transaction and answers as GET. [] removes all.',
    "A repeated connection_id 400, an unknown one 404, more than the caller's own access 403.",
  ],
});

export const grantGroupConnection = operation({
  ...common,
  id: 'grantGroupConnection',
  route: `POST ${CONNECTIONS}`,
  summary: 'Grant one connection to a group',
  access,
  body: ConnectionGrant,
  bodyExample: { connection_id: 2, access_level: 'read' },
  extra: true,
  success: DONE,
  notes: [
    'connection_id 0 means every connection and leaves specific grants in place. Sets the level when the grant exists.',
  ],
});

export const revokeGroupConnection = operation({
  ...common,
  id: 'revokeGroupConnection',
  route: `DELETE ${CONNECTIONS}/{connId}`,
  summary: 'Revoke one connection from a group',
  access,
  params: s.object({ id: s.id(), connId: connectionOrAll() }),
  paramsExample: { ...paramsExample, connId: 2 },
  extra: true,
  success: DONE,
  notes: ['connId 0 removes only the wildcard. 404 when not granted.'],
});

export const getGroupPermissions = operation({
  ...common,
  id: 'getGroupPermissions',
  route: `GET ${PERMISSIONS}`,
  summary: 'Group admin permissions',
  access: superuser,
  success: ok(GroupPermissions, permissionsExample),
});

export const setGroupPermissions = operation({
  ...common,
  id: 'setGroupPermissions',
  route: `PUT ${PERMISSIONS}`,
  summary: 'Set group admin permissions',
  access: superuser,
  body: GroupPermissionsRequest,
  bodyExample: { permissions: ['manage_blackouts'] },
  success: ok(GroupPermissions, permissionsExample),
  notes: ['Replaces the whole set in one transaction and answers as GET. [] removes all.'],
});

export const grantGroupPermission = operation({
  ...common,
  id: 'grantGroupPermission',
  route: `POST ${PERMISSIONS}`,
  summary: 'Grant one admin permission to a group',
  access: superuser,
  body: PermissionGrantRequest,
  bodyExample: { permission: 'manage_blackouts' },
  extra: true,
  success: DONE,
  notes: ['Idempotent.'],
});

export const revokeGroupPermission = operation({
  ...common,
  id: 'revokeGroupPermission',
  route: `DELETE ${PERMISSIONS}/{permission}`,
  summary: 'Revoke one admin permission from a group',
  access: superuser,
  params: s.object({ id: s.id(), permission: AdminPermission }),
  paramsExample: { ...paramsExample, permission: 'manage_blackouts' },
  extra: true,
  success: DONE,
  notes: ['404 when not granted.'],
});

export const listMcpPrivileges = operation({
  id: 'listMcpPrivileges',
  route: 'GET /api/v1/rbac/privileges/mcp',
  tag,
  summary: 'List all MCP privilege identifiers',
  access: { any: [{ permission: 'manage_permissions' }, { permission: 'manage_token_scopes' }] },
  success: ok(s.list(MCPPrivilege), [
    {
      id: 4,
      identifier: 'count_rows',
      item_type: 'tool',
      description: 'Count the rows of a table',
      is_public: false,
      created_at: '2026-11-20T00:00:00.000Z',
    },
  ]),
  notes: ['Ordered by identifier, without the wildcard.'],
});
