// Shapes that several contracts of this room share: names of permissions, grants and the scope of a token.

import {
  boolean,
  component,
  integer,
  list,
  longId,
  MAX_ID,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { AdminPermission } from '../access/permissions.schemas.ts';

export { AdminPermission } from '../access/permissions.schemas.ts';

export const AccessLevel = oneOf(['read', 'read_write']);
/** A connection, or 0 for every connection. */
export const connectionOrAll = (description = '0 is every connection.') =>
  integer({ minimum: 0, maximum: MAX_ID, description });

const MOST_GRANTS = 1000;
export const many = { maxItems: MOST_GRANTS };

export const ConnectionGrant = component('ConnectionGrant', {
  connection_id: connectionOrAll(),
  access_level: AccessLevel,
});
export const GroupConnectionGrant = component('GroupConnectionGrant', {
  id: longId(),
  group_id: longId(),
  connection_id: connectionOrAll(),
  access_level: AccessLevel,
  created_at: timestamp(),
});
export const Scope = oneOf(['cluster', 'group'], { description: 'group is a group of clusters.' });
export const GroupScopeGrant = component('GroupScopeGrant', {
  scope: Scope,
  scope_id: longId(),
  name: text(),
  access_level: AccessLevel,
  connection_ids: list(longId()),
});
export const MCPPrivilege = component('MCPPrivilege', {
  id: integer({ format: 'int64', description: '-1 for *.' }),
  identifier: text(),
  item_type: oneOf(['tool', 'resource', 'prompt']),
  description: optional(text()),
  is_public: boolean(),
  created_at: timestamp(),
});

const scopeMembers = {
  scoped: boolean(),
  connections: optional(list(ConnectionGrant)),
  mcp_privileges: optional(list(integer({ format: 'int64' }))),
  mcp_identifiers: optional(list(text())),
  admin_permissions: optional(list(AdminPermission)),
};
export const TokenScopeSummary = component('TokenScopeSummary', scopeMembers);
export const TokenScope = component('TokenScope', { token_id: longId(), ...scopeMembers });
