// Shapes that several contracts of this room share: names of permissions, grants and the scope of a token.

import {
  boolean,
  integer,
  list,
  longId,
  MAX_ID,
  object,
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

export const ConnectionGrant = object(
  { connection_id: connectionOrAll(), access_level: AccessLevel },
  { title: 'ConnectionGrant' },
);
export const GroupConnectionGrant = object(
  {
    id: longId(),
    group_id: longId(),
    connection_id: connectionOrAll(),
    access_level: AccessLevel,
    created_at: timestamp(),
  },
  { title: 'GroupConnectionGrant' },
);
export const Scope = oneOf(['cluster', 'group'], { description: 'group is a group of clusters.' });
export const GroupScopeGrant = object(
  {
    scope: Scope,
    scope_id: longId(),
    name: text(),
    access_level: AccessLevel,
    connection_ids: list(longId()),
  },
  { title: 'GroupScopeGrant' },
);
export const MCPPrivilege = object(
  {
    id: integer({ format: 'int64', description: '-1 for *.' }),
    identifier: text(),
    item_type: oneOf(['tool', 'resource', 'prompt']),
    description: optional(text()),
    is_public: boolean(),
    created_at: timestamp(),
  },
  { title: 'MCPPrivilege' },
);

const scopeMembers = {
  scoped: boolean(),
  connections: optional(list(ConnectionGrant)),
  mcp_privileges: optional(list(integer({ format: 'int64' }))),
  mcp_identifiers: optional(list(text())),
  admin_permissions: optional(list(AdminPermission)),
};
export const TokenScopeSummary = object(scopeMembers, { title: 'TokenScopeSummary' });
export const TokenScope = object({ token_id: longId(), ...scopeMembers }, { title: 'TokenScope' });
