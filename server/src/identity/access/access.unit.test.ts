import { describe, expect, it } from 'vitest';
import type { ConnectionAccess } from './access.queries.ts';
import { effectiveMcpPrivileges, effectivePermissions, isAllowed } from './access.service.ts';
import { MCP_PRIVILEGES, mcpPrivilege } from './mcp-privileges.ts';
import { ADMIN_PERMISSIONS } from './permissions.ts';
import type { Principal } from './principal.ts';

const person = (admin_permissions: string[]): Principal => ({
  user_id: 1,
  username: 'a',
  is_superuser: false,
  admin_permissions,
  via: { kind: 'session', id: 1 },
  scope: undefined,
});

describe('admin permissions', () => {
  it.each([
    [['*'], undefined, ['*']],
    [['*'], {}, ['*']],
    [['*'], { admin: ['*'] }, ['*']],
    [['*'], { admin: [] }, []],
    [['*'], { admin: ['manage_users', 'no_such'] }, ['manage_users']],
    [['manage_users'], { admin: ['*'] }, ['manage_users']],
    [['manage_users'], { admin: ['manage_groups'] }, []],
    [[], { admin: ['*'] }, []],
  ])('%j under %j are %j', (held, scope, expected) => {
    expect(effectivePermissions(held, scope)).toEqual(expected);
  });

  it('of a scope that lists all but * are not everything', () => {
    expect(effectivePermissions(['*'], { admin: ADMIN_PERMISSIONS })).not.toContain('*');
  });
});

describe('MCP privileges', () => {
  const open = ['delete_memory', 'recall_memories', 'store_memory', 'test_query'];
  it.each([
    [['*'], undefined, ['*']],
    [['*'], { mcp: ['*'] }, ['*']],
    [['*'], { mcp: ['count_rows', 'gone'] }, ['count_rows']],
    [['count_rows', 'gone'], undefined, ['count_rows', ...open]],
    [['count_rows'], { mcp: ['test_query', 'query_database'] }, ['test_query']],
    [[], { mcp: [] }, []],
    [[], { admin: [] }, open],
  ])('%j under %j are %j', (held, scope, expected) => {
    expect(effectiveMcpPrivileges(held, scope)).toEqual(expected);
  });

  it('are told apart by id and by identifier', () => {
    expect(new Set(MCP_PRIVILEGES.map(({ id }) => id)).size).toBe(MCP_PRIVILEGES.length);
    for (const privilege of MCP_PRIVILEGES) expect(mcpPrivilege(privilege.identifier)).toBe(privilege);
    expect(mcpPrivilege('*')?.id).toBe(-1);
    expect(mcpPrivilege('no_such')).toBeUndefined();
  });
});

describe('manage', () => {
  const access = (owned: boolean, level: 0 | 1 | 2): ConnectionAccess => ({ found: true, owned, level });
  it.each([
    ['the owner', person([]), access(true, 2), true],
    ['the owner by a token for reading', person([]), access(true, 1), false],
    ['read_write without ownership', person([]), access(false, 2), false],
    ['the permission with any access', person(['manage_connections']), access(false, 1), true],
    ['the permission without access', person(['manage_connections']), access(false, 0), false],
    ['another permission', person(['manage_users']), access(false, 2), false],
    ['everything', person(['*']), access(false, 2), true],
  ])('%s', (...[, principal, found, expected]) => {
    expect(isAllowed(principal, found, 'manage')).toBe(expected);
  });
});
