// API tokens and their scopes. A scope is a ceiling over what the owner may do; nobody makes a token that may do more
// than they may themselves.
import { byId, created, DONE, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { AdminPermission, ConnectionGrant, many, TokenScope, TokenScopeSummary } from './rbac.schemas.ts';

const operation = operationsOf({ tag: 'rbac' });
const access = { permission: 'manage_token_scopes' };

const RBACToken = s.component('RBACToken', {
  id: s.longId(),
  name: s.text(),
  token_prefix: s.text(),
  user_id: s.longId(),
  username: s.text(),
  is_service_account: s.boolean(),
  is_superuser: s.boolean(),
  created_at: s.ours(s.timestamp()),
  expires_at: s.nullable(s.timestamp()),
  last_used_at: s.ours(s.nullable(s.timestamp({ description: 'About when; null when never.' }))),
  scope: s.optional(TokenScopeSummary),
});
const RBACTokenList = s.component('RBACTokenList', { tokens: s.list(RBACToken) });
const TokenCreateRequest = s.component('TokenCreateRequest', {
  owner_username: s.text({ minLength: 1 }),
  annotation: s.optional(
    s.displayName({ minLength: 0, maxLength: 4000, description: 'The name of the token.' }),
  ),
  expires_in: s.optional(
    s.nullable(
      s.text({
        pattern: '^(never|[1-9][0-9]*[hdwmy])?$',
        description: '<n>h, d, w, m (30 days) or y (365 days), at most 10y.',
      }),
    ),
  ),
});
const TokenCreateResponse = s.component('TokenCreateResponse', {
  token: s.text(),
  id: s.longId(),
  owner: s.text(),
  annotation: s.text(),
  expires_at: s.nullable(s.timestamp()),
  message: s.text(),
});
const TokenScopeRequest = s.component('TokenScopeRequest', {
  connections: s.optional(s.nullable(s.list(ConnectionGrant, many))),
  mcp_privileges: s.optional(s.nullable(s.list(s.text({ minLength: 1, maxLength: 255 }), many))),
  admin_permissions: s.optional(s.nullable(s.list(AdminPermission, many))),
});

export const listTokens = operation({
  id: 'listTokens',
  route: 'GET /api/v1/rbac/tokens',
  summary: 'List API tokens',
  access,
  success: ok(RBACTokenList, {
    tokens: [
      {
        id: 5,
        name: 'backup job',
        token_prefix: '9f86d081884c',
        user_id: 7,
        username: 'anna',
        is_service_account: false,
        is_superuser: false,
        created_at: '2026-11-20T10:00:00.000Z',
        expires_at: null,
        last_used_at: null,
        scope: { scoped: false },
      },
    ],
  }),
  notes: [
    'token_prefix is the first 12 hexadecimal characters of the SHA-256 of the token, never part of the token. name is the annotation.',
  ],
});

export const createToken = operation({
  id: 'createToken',
  isSecret: true,
  route: 'POST /api/v1/rbac/tokens',
  summary: 'Create an API token',
  access,
  body: TokenCreateRequest,
  bodyExample: { owner_username: 'anna', annotation: 'backup job', expires_in: '30d' },
  faults: [404],
  success: created(TokenCreateResponse, {
    token: 'mat_2Zx0…',
    id: 5,
    owner: 'anna',
    annotation: 'backup job',
    expires_at: '2026-12-20T10:00:00.000Z',
    message: 'Copy the token now; it is not shown again.',
  }),
  notes: [
    'The token is shown once, in this reply.',
    'never, empty or null for no expiry; where the setting auth.max_token_lifetime is set, the token then lasts that long. More is 400.',
    '403 for an owner who holds more than the caller.',
  ],
});

export const deleteToken = operation({
  id: 'deleteToken',
  route: 'DELETE /api/v1/rbac/tokens/{id}',
  summary: 'Delete an API token',
  access,
  ...byId(5),
  faults: [404],
  success: DONE,
  notes: ['Takes effect at once.'],
});

export const getTokenScope = operation({
  id: 'getTokenScope',
  route: 'GET /api/v1/rbac/tokens/{id}/scope',
  summary: 'Get a token scope',
  access,
  ...byId(5),
  faults: [404],
  success: ok(TokenScope, {
    token_id: 5,
    scoped: true,
    connections: [{ connection_id: 2, access_level: 'read' }],
    mcp_privileges: [8],
    mcp_identifiers: ['query_metrics'],
    admin_permissions: [],
  }),
  notes: [
    'Unscoped: only token_id and scoped:false. An absent list means that dimension is unrestricted; an empty list means nothing is allowed in it.',
    'mcp_privileges holds privilege ids (-1 for *), mcp_identifiers the same as identifiers.',
  ],
});

export const setTokenScope = operation({
  id: 'setTokenScope',
  route: 'PUT /api/v1/rbac/tokens/{id}/scope',
  summary: 'Set a token scope',
  access,
  ...byId(5),
  body: TokenScopeRequest,
  bodyExample: { connections: [{ connection_id: 0, access_level: 'read' }], admin_permissions: [] },
  faults: [404],
  success: DONE,
  notes: [
    'Replaces the whole scope; at least one list must be present. mcp_privileges takes identifiers or *. Absent or null = unrestricted, [] = nothing.',
    "Entries beyond the owner's rights have no effect. Unknown connections or identifiers are 400. 403 when the token would hold more than the caller.",
  ],
});

export const clearTokenScope = operation({
  id: 'clearTokenScope',
  route: 'DELETE /api/v1/rbac/tokens/{id}/scope',
  summary: 'Clear a token scope',
  access,
  ...byId(5),
  faults: [404],
  success: DONE,
  notes: ["The token then has its owner's full access; refused with 403 when that exceeds the caller's."],
});
