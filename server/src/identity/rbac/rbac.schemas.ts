// Shapes that several contracts of this room share: names of permissions, grants and the scope of a token.

import * as s from '../../kernel/schema.ts';
import { AdminPermission } from '../access/permissions.schemas.ts';

export { AdminPermission } from '../access/permissions.schemas.ts';

export const AccessLevel = s.oneOf(['read', 'read_write']);
/** A connection, or 0 for every connection. */
export const connectionOrAll = (description = '0 is every connection.') =>
  s.integer({ minimum: 0, maximum: s.MAX_ID, description });

const MOST_GRANTS = 1000;
export const many = { maxItems: MOST_GRANTS };

export const ConnectionGrant = s.component('ConnectionGrant', {
  connection_id: connectionOrAll(),
  access_level: AccessLevel,
});
export const GroupConnectionGrant = s.component('GroupConnectionGrant', {
  id: s.longId(),
  group_id: s.longId(),
  connection_id: connectionOrAll(),
  access_level: AccessLevel,
  created_at: s.timestamp(),
});
export const Scope = s.oneOf(['cluster', 'group'], { description: 'group is a group of clusters.' });
export const GroupScopeGrant = s.component('GroupScopeGrant', {
  scope: Scope,
  scope_id: s.longId(),
  name: s.text(),
  access_level: AccessLevel,
  connection_ids: s.list(s.longId()),
});
export const MCPPrivilege = s.component('MCPPrivilege', {
  id: s.integer({ format: 'int64', description: '-1 for *.' }),
  identifier: s.text(),
  item_type: s.oneOf(['tool', 'resource', 'prompt']),
  description: s.optional(s.text()),
  is_public: s.boolean(),
  created_at: s.timestamp(),
});

const scopeMembers = {
  scoped: s.boolean(),
  connections: s.optional(s.list(ConnectionGrant)),
  mcp_privileges: s.optional(s.list(s.integer({ format: 'int64' }))),
  mcp_identifiers: s.optional(s.list(s.text())),
  admin_permissions: s.optional(s.list(AdminPermission)),
};
export const TokenScopeSummary = s.component('TokenScopeSummary', scopeMembers);
export const TokenScope = s.component('TokenScope', { token_id: s.longId(), ...scopeMembers });
