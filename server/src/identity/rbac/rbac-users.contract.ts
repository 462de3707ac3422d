// Users and service accounts, and what each may do in the end. Nobody changes somebody who may do more than they may
// themselves.
import { byId, created, DONE, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { MessageResponse } from '../auth/auth.contract.ts';

const operation = operationsOf({ tag: 'rbac' });
const access = { permission: 'manage_users' };

const RBACUser = s.component('RBACUser', {
  id: s.longId(),
  username: s.text(),
  display_name: s.text(),
  email: s.text(),
  enabled: s.boolean(),
  is_superuser: s.boolean(),
  is_service_account: s.boolean(),
  annotation: s.optional(s.text()),
  has_second_factor: s.ours(
    s.boolean({ description: 'Whether signing in with the password takes a code, too.' }),
  ),
  groups: s.ours(s.list(s.text(), { description: 'Those the user is a direct member of.' })),
});
const RBACUserList = s.component('RBACUserList', { users: s.list(RBACUser) });
const UserCreateRequest = s.component('UserCreateRequest', {
  username: s.text({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9][A-Za-z0-9_.@-]*$' }),
  password: s.optional(
    s.text({ maxLength: 128, description: '12 to 128 characters, not a common password.' }),
  ),
  display_name: s.optional(s.displayName({ minLength: 0 })),
  email: s.optional(s.text({ maxLength: 255 })),
  annotation: s.optional(s.text({ maxLength: 4000 })),
  enabled: s.optional(s.boolean({ default: true })),
  is_superuser: s.optional(s.boolean({ default: false })),
  is_service_account: s.optional(s.boolean({ default: false })),
});
const UserCreated = s.component('UserCreated', { message: s.text(), id: s.longId(), username: s.text() });
/** Texts with minLength 0 are emptied by an empty text. */
const UserUpdateRequest = s.component('UserUpdateRequest', {
  password: s.optional(s.text({ maxLength: 128, description: 'Ends all sessions of the user.' })),
  display_name: s.optional(s.displayName({ minLength: 0 })),
  email: s.optional(s.text({ minLength: 0, maxLength: 255 })),
  annotation: s.optional(s.text({ minLength: 0, maxLength: 4000 })),
  enabled: s.optional(s.boolean({ description: 'false ends all sessions and stops the tokens.' })),
  is_superuser: s.optional(s.boolean()),
});
const UserPrivileges = s.component('UserPrivileges', {
  username: s.text(),
  is_superuser: s.boolean(),
  groups: s.list(s.text()),
  mcp_privileges: s.list(s.text()),
  connection_privileges: s.record(s.oneOf(['read', 'read_write'])),
  admin_permissions: s.list(s.text()),
});

export const listUsers = operation({
  id: 'listUsers',
  route: 'GET /api/v1/rbac/users',
  summary: 'List users',
  access,
  success: ok(RBACUserList, {
    users: [
      {
        id: 7,
        username: 'anna',
        display_name: 'Anna Berg',
        email: 'anna@example.com',
        enabled: true,
        is_superuser: false,
        is_service_account: false,
        annotation: 'On call in November',
        has_second_factor: true,
        groups: ['dba'],
      },
    ],
  }),
  notes: ['Ordered by user name.'],
});

export const createUser = operation({
  id: 'createUser',
  route: 'POST /api/v1/rbac/users',
  summary: 'Create a user',
  access,
  body: UserCreateRequest,
  bodyExample: { username: 'anna', password: 'staple giraffe orbit', display_name: 'Anna Berg' },
  faults: [409],
  success: created(UserCreated, { message: 'User anna created.', id: 7, username: 'anna' }),
  notes: [
    'password is required unless is_service_account is true; then it must be absent or empty.',
    'Only a superuser may set is_superuser (403). 409 when the name is taken, in whatever case.',
  ],
});

export const updateUser = operation({
  id: 'updateUser',
  route: 'PUT /api/v1/rbac/users/{id}',
  summary: 'Update a user',
  access,
  ...byId(7),
  body: UserUpdateRequest,
  bodyExample: { display_name: 'Anna Berg-Sand', annotation: '' },
  faults: [404, 409],
  success: ok(MessageResponse, { message: 'User anna updated.' }),
  notes: [
    'Partial: absent members stay; an empty display_name, email or annotation clears it.',
    'A new password or enabled:false ends all sessions of the user. Only a superuser may change is_superuser.',
    '403 for a user who may do more than the caller.',
    '409 when the last enabled superuser would be lost, for disabling oneself, and for a password of a service account.',
  ],
});

export const deleteUser = operation({
  id: 'deleteUser',
  route: 'DELETE /api/v1/rbac/users/{id}',
  summary: 'Delete a user',
  access,
  ...byId(7),
  faults: [404, 409],
  success: DONE,
  notes: [
    'Ends sessions, deletes tokens, memberships, conversations, own memories and saved searches.',
    'Connections and cluster groups of the user pass to the caller; one whose name the caller uses already gets the old owner in brackets.',
    '403 for a user who may do more than the caller. 409 for the last enabled superuser and for oneself.',
  ],
});

export const removeUserSecondFactor = operation({
  id: 'removeUserSecondFactor',
  route: 'DELETE /api/v1/rbac/users/{id}/second-factor',
  summary: 'Remove the second factor of a user',
  access,
  ...byId(7),
  faults: [404, 409],
  extra: true,
  success: DONE,
  notes: [
    'Ends all sessions of the user. 409 where no second factor is set up, and for the own one, which needs password and code.',
    '403 for a user who may do more than the caller.',
  ],
});

export const endUserSessions = operation({
  id: 'endUserSessions',
  route: 'DELETE /api/v1/rbac/users/{id}/sessions',
  summary: 'End all sessions of a user',
  access,
  ...byId(7),
  faults: [404],
  extra: true,
  success: ok(MessageResponse, { message: 'Ended 2 sessions.' }),
  notes: [
    'Takes effect at once, in every process; one-time links of the user end too. API tokens stay. Of the own user the session that asks stays.',
    '403 for a user who may do more than the caller.',
  ],
});

export const getUserPrivileges = operation({
  id: 'getUserPrivileges',
  route: 'GET /api/v1/rbac/users/{id}/privileges',
  summary: 'Effective privileges of a user',
  access: { any: [{ permission: 'manage_users' }, { self: 'id' }] },
  ...byId(7),
  faults: [404],
  success: ok(UserPrivileges, {
    username: 'anna',
    is_superuser: false,
    groups: ['dba', 'europe'],
    mcp_privileges: ['list_probes', 'query_database'],
    connection_privileges: { '0': 'read', '2': 'read_write' },
    admin_permissions: ['manage_blackouts'],
  }),
  notes: [
    'connection_privileges is keyed by connection id as text, "0" means every connection; owned and shared ones are included.',
    'A superuser has mcp_privileges ["*"], {"0":"read_write"} and admin_permissions ["*"].',
    'groups are those the user is in, directly or through other groups. Public MCP privileges need no grant and are not listed.',
  ],
});
