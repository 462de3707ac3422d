// Grants to groups of users on a cluster or a group of clusters, with every server that belongs to it, now or later.
import { byId, DONE, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { AccessLevel, Scope } from './rbac.schemas.ts';

const operation = operationsOf({ tag: 'rbac', extra: true });
const access = { permission: 'manage_permissions' };
const SCOPES = '/api/v1/rbac/groups/{id}/privileges/scopes';

const scope = Scope;
const scopeId = (description: string) => s.integer({ minimum: 1, maximum: s.MAX_ID, description });

const ScopeGrantRequest = s.component('ScopeGrantRequest', {
  scope,
  scope_id: scopeId('Of the stored cluster or of the group of clusters.'),
  access_level: AccessLevel,
});
const Server = s.object({ connection_id: s.longId(), name: s.text() });
const ScopeAccess = s.component('ScopeAccess', {
  grants: s.list(
    s.object({
      group_id: s.longId(),
      group_name: s.text(),
      scope,
      scope_id: s.longId(),
      scope_name: s.text(),
      access_level: AccessLevel,
      user_count: s.integer({ minimum: 0, description: 'Users in the group and in the groups below it.' }),
      is_own: s.boolean({ description: 'The group was made by setUserScope and has nothing else.' }),
      users: s.list(s.object({ id: s.longId(), username: s.text() }), {
        description: 'Direct members of a group that setUserScope made, up to 100.',
      }),
    }),
  ),
  inheriting: s.list(Server, { description: 'Servers that inherit these grants.' }),
  waiting: s.list(Server, {
    description: 'Servers of the cluster that detection put there and that do not inherit yet.',
  }),
});

export const getScopeAccess = operation({
  id: 'getScopeAccess',
  route: 'GET /api/v1/rbac/scopes/{scope}/{scopeId}',
  summary: 'Access given on a cluster or a group of clusters',
  access: { any: [{ permission: 'manage_groups' }, { permission: 'manage_permissions' }] },
  params: s.object({ scope, scopeId: s.id() }),
  paramsExample: { scope: 'cluster', scopeId: 7 },
  faults: [404],
  success: ok(ScopeAccess, {
    grants: [
      {
        group_id: 3,
        group_name: 'dba',
        scope: 'cluster',
        scope_id: 7,
        scope_name: 'orders',
        access_level: 'read',
        user_count: 1,
        is_own: true,
        users: [{ id: 4, username: 'anna' }],
      },
    ],
    inheriting: [{ connection_id: 2, name: 'orders-1' }],
    waiting: [{ connection_id: 5, name: 'orders-3' }],
  }),
  notes: [
    'Of a cluster, the grants on its group of clusters as well. Only servers that the caller can see are listed.',
  ],
});

export const grantGroupScope = operation({
  id: 'grantGroupScope',
  route: `POST ${SCOPES}`,
  summary: 'Grant a cluster or a group of clusters to a group',
  access,
  ...byId(3),
  body: ScopeGrantRequest,
  bodyExample: { scope: 'cluster', scope_id: 7, access_level: 'read' },
  faults: [404],
  success: DONE,
  notes: [
    'Every server that belongs to it inherits the level, and ends inheriting when it leaves. Sets the level when the grant exists.',
    'A server that detection adds later inherits when its system identifier is that of a member; any other waits until the grant is set again or a user moves it there.',
    "More than the caller's own access to it, also to servers to come, 403. The default group 400.",
  ],
});

export const revokeGroupScope = operation({
  id: 'revokeGroupScope',
  route: `DELETE ${SCOPES}/{scope}/{scopeId}`,
  summary: 'Revoke a cluster or a group of clusters from a group',
  access,
  params: s.object({ id: s.id(), scope, scopeId: s.id() }),
  paramsExample: { id: 3, scope: 'cluster', scopeId: 7 },
  faults: [404],
  success: DONE,
  notes: ['404 when not granted.'],
});

const USER_SCOPE = '/api/v1/rbac/users/{id}/scopes/{scope}/{scopeId}';
const ofUser = { id: 4, scope: 'cluster', scopeId: 7 };
const UserScopeRequest = s.component('UserScopeRequest', { access_level: AccessLevel });
const UserScopeResponse = s.component('UserScopeResponse', {
  group_id: s.longId(),
  group_name: s.text({ description: 'The group that the user is a member of for this.' }),
});

export const setUserScope = operation({
  id: 'setUserScope',
  route: `PUT ${USER_SCOPE}`,
  summary: 'Give a user access to a cluster or a group of clusters',
  access,
  params: s.object({ id: s.id(), scope, scopeId: s.id() }),
  paramsExample: ofUser,
  body: UserScopeRequest,
  bodyExample: { access_level: 'read' },
  faults: [404],
  success: ok(UserScopeResponse, { group_id: 9, group_name: 'orders: read' }),
  notes: [
    'Needs manage_groups as well. The user becomes a member of a group that is made for this and has nothing else.',
    'Replaces the other level that was given in this way. Access by other groups stays.',
  ],
});

export const removeUserScope = operation({
  id: 'removeUserScope',
  route: `DELETE ${USER_SCOPE}`,
  summary: 'Take access to a cluster or a group of clusters from a user',
  access,
  params: s.object({ id: s.id(), scope, scopeId: s.id() }),
  paramsExample: ofUser,
  faults: [404],
  success: DONE,
  notes: [
    'Needs manage_groups as well. 404 where it was not given by setUserScope; access by other groups stays.',
  ],
});
