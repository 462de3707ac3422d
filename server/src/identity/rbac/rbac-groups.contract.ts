// Groups and their members: users and other groups. A member has all that the groups above it were granted.
import { byId, created, DONE, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { AdminPermission, GroupConnectionGrant, GroupScopeGrant, MCPPrivilege } from './rbac.schemas.ts';

const operation = operationsOf({ tag: 'rbac' });
const paramsExample = { id: 3 };
const manage = { permission: 'manage_groups' };
const look = { any: [{ permission: 'manage_groups' }, { permission: 'manage_permissions' }] };
const created_at = '2026-11-20T10:00:00.000Z';
const group = {
  id: 3,
  name: 'dba',
  description: 'Those on call',
  created_at,
  requires_second_factor: false,
};

const name = s.displayName();
const requires_second_factor = s.ours(
  s.boolean({
    description:
      'True: its members, those of groups below it included, must set up a second factor before anything else. Tokens and sessions of a provider are not concerned.',
  }),
);
const members = {
  id: s.longId(),
  name: s.text(),
  description: s.optional(s.text()),
  created_at: s.timestamp(),
  requires_second_factor,
};
const RBACGroup = s.component('RBACGroup', members);
const RBACGroupListItem = s.component('RBACGroupListItem', {
  ...members,
  member_count: s.integer(),
  member_of: s.ours(s.list(s.text(), { description: 'The groups it is a direct member of.' })),
});
const RBACGroupList = s.component('RBACGroupList', { groups: s.list(RBACGroupListItem) });
const RBACGroupDetail = s.component('RBACGroupDetail', {
  ...members,
  user_members: s.list(s.text()),
  group_members: s.list(s.text()),
  mcp_privileges: s.list(MCPPrivilege),
  connection_privileges: s.list(GroupConnectionGrant),
  scope_privileges: s.ours(
    s.list(GroupScopeGrant, {
      description: 'Clusters and groups of clusters that the caller can see, with the servers that inherit.',
    }),
  ),
  admin_permissions: s.list(AdminPermission),
});
const GroupCreateRequest = s.component('GroupCreateRequest', {
  name,
  description: s.optional(s.text({ maxLength: 4000 })),
  requires_second_factor: s.optional(requires_second_factor),
});
const GroupCreateResponse = s.component('GroupCreateResponse', { id: s.longId(), name: s.text() });
/** The text with minLength 0 is emptied by an empty text. */
const GroupUpdateRequest = s.component('GroupUpdateRequest', {
  name: s.optional(name),
  description: s.optional(s.text({ minLength: 0, maxLength: 4000 })),
  requires_second_factor: s.optional(requires_second_factor),
});
const GroupMemberRequest = s.component('GroupMemberRequest', {
  user_id: s.optional(s.longId()),
  group_id: s.optional(s.longId()),
});

export const listGroups = operation({
  id: 'listGroups',
  route: 'GET /api/v1/rbac/groups',
  summary: 'List groups',
  access: look,
  success: ok(RBACGroupList, { groups: [{ ...group, member_count: 4, member_of: ['operations'] }] }),
  notes: ['member_count counts direct members, users and groups. Ordered by name.'],
});

export const createGroup = operation({
  id: 'createGroup',
  route: 'POST /api/v1/rbac/groups',
  summary: 'Create a group',
  access: manage,
  body: GroupCreateRequest,
  bodyExample: { name: 'dba', description: 'Those on call' },
  faults: [409],
  success: created(GroupCreateResponse, { id: 3, name: 'dba' }),
  notes: ['409 when the name is taken, in whatever case.'],
});

export const getGroup = operation({
  id: 'getGroup',
  route: 'GET /api/v1/rbac/groups/{id}',
  summary: 'Get a group',
  access: look,
  ...byId(3),
  faults: [404],
  success: ok(RBACGroupDetail, {
    ...group,
    user_members: ['anna'],
    group_members: ['interns'],
    mcp_privileges: [
      {
        id: -1,
        identifier: '*',
        item_type: 'tool',
        description: 'Every tool and resource, those to come too',
        is_public: false,
        created_at,
      },
    ],
    connection_privileges: [{ id: 1, group_id: 3, connection_id: 2, access_level: 'read', created_at }],
    scope_privileges: [
      { scope: 'cluster', scope_id: 7, name: 'orders', access_level: 'read', connection_ids: [4, 5] },
    ],
    admin_permissions: ['manage_blackouts'],
  }),
  notes: [
    'Members and grants of the group itself, not inherited ones. Arrays are always present.',
    'A wildcard MCP grant is the entry with id -1 and identifier *.',
  ],
});

export const updateGroup = operation({
  id: 'updateGroup',
  route: 'PUT /api/v1/rbac/groups/{id}',
  summary: 'Update a group',
  access: manage,
  ...byId(3),
  body: GroupUpdateRequest,
  bodyExample: { description: 'Those on call in Europe' },
  faults: [404, 409],
  success: ok(RBACGroup, group),
  notes: [
    'Partial, at least one member; an empty description clears it. 409 when the name is taken, in whatever case.',
    '403 for ending the second factor of a group that holds more than the caller.',
  ],
});

export const deleteGroup = operation({
  id: 'deleteGroup',
  route: 'DELETE /api/v1/rbac/groups/{id}',
  summary: 'Delete a group',
  access: manage,
  ...byId(3),
  faults: [404],
  success: DONE,
  notes: ['Memberships and grants of the group go with it.'],
});

export const addGroupMember = operation({
  id: 'addGroupMember',
  route: 'POST /api/v1/rbac/groups/{id}/members',
  summary: 'Add a group member',
  access: manage,
  ...byId(3),
  body: GroupMemberRequest,
  bodyExample: { user_id: 7 },
  faults: [404, 409],
  success: DONE,
  notes: [
    'Exactly one of user_id and group_id. 409 for a member already there or a circle of groups; 403 when the group holds more than the caller.',
  ],
});

export const removeGroupMember = operation({
  id: 'removeGroupMember',
  route: 'DELETE /api/v1/rbac/groups/{id}/members/{type}/{memberId}',
  summary: 'Remove a group member',
  access: manage,
  params: s.object({ id: s.id(), type: s.oneOf(['user', 'group']), memberId: s.id() }),
  paramsExample: { ...paramsExample, type: 'user', memberId: 7 },
  faults: [404],
  success: DONE,
  notes: ['404 when it is not a direct member.'],
});
