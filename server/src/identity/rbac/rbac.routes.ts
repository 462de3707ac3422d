// Operations of users, groups, grants and tokens, and the services behind them.
import { type Route, route } from '../../kernel/route.ts';
import type { Ctx } from '../access/principal.ts';
import type { Auth } from '../auth/auth.service.ts';
import * as grantsContract from './rbac-grants.contract.ts';
import * as grants from './rbac-grants.service.ts';
import * as groupsContract from './rbac-groups.contract.ts';
import * as groups from './rbac-groups.service.ts';
import * as scopesContract from './rbac-scopes.contract.ts';
import * as scopes from './rbac-scopes.service.ts';
import * as tokensContract from './rbac-tokens.contract.ts';
import * as tokens from './rbac-tokens.service.ts';
import * as usersContract from './rbac-users.contract.ts';
import * as users from './rbac-users.service.ts';

function userRoutes(auth: Auth): Route<Ctx>[] {
  return [
    route(usersContract.listUsers, (ctx) => users.listUsers(ctx)),
    route(usersContract.createUser, (ctx, { body }) => users.createUser(ctx, auth, body)),
    route(usersContract.updateUser, (ctx, { params, body }) =>
      users.updateUser(ctx, auth, { id: params.id, change: body }),
    ),
    route(usersContract.deleteUser, (ctx, { params }) => users.deleteUser(ctx, params.id)),
    route(usersContract.removeUserSecondFactor, (ctx, { params }) =>
      users.removeUserSecondFactor(ctx, params.id),
    ),
    route(usersContract.endUserSessions, (ctx, { params }) => users.endUserSessions(ctx, params.id)),
    route(usersContract.getUserPrivileges, (ctx, { params }) => users.getUserPrivileges(ctx, params.id)),
  ];
}

function groupRoutes(): Route<Ctx>[] {
  return [
    route(groupsContract.listGroups, (ctx) => groups.listGroups(ctx)),
    route(groupsContract.createGroup, (ctx, { body }) => groups.createGroup(ctx, body)),
    route(groupsContract.getGroup, (ctx, { params }) => groups.getGroup(ctx, params.id)),
    route(groupsContract.updateGroup, (ctx, { params, body }) => groups.updateGroup(ctx, params.id, body)),
    route(groupsContract.deleteGroup, (ctx, { params }) => groups.deleteGroup(ctx, params.id)),
    route(groupsContract.addGroupMember, (ctx, { params, body }) => groups.addMember(ctx, params.id, body)),
    route(groupsContract.removeGroupMember, (ctx, { params }) =>
      groups.removeMember(ctx, params.id, { kind: params.type, id: params.memberId }),
    ),
  ];
}

function mcpRoutes(): Route<Ctx>[] {
  return [
    route(grantsContract.listMcpPrivileges, () => grants.listMcpPrivileges()),
    route(grantsContract.getGroupEffectivePrivileges, (ctx, { params }) =>
      grants.getEffective(ctx, params.id),
    ),
    route(grantsContract.getGroupMcpPrivileges, (ctx, { params }) => grants.getMcp(ctx, params.id)),
    route(grantsContract.setGroupMcpPrivileges, (ctx, { params, body }) =>
      grants.setMcp(ctx, params.id, body.privileges),
    ),
    route(grantsContract.grantGroupMcpPrivilege, (ctx, { params, body }) =>
      grants.grantMcp(ctx, params.id, body.privilege),
    ),
    route(grantsContract.revokeGroupMcpPrivilege, (ctx, { params, query }) =>
      grants.revokeMcp(ctx, params.id, query.name),
    ),
  ];
}

function connectionRoutes(): Route<Ctx>[] {
  return [
    route(grantsContract.getGroupConnectionPrivileges, (ctx, { params }) =>
      grants.getConnections(ctx, params.id),
    ),
    route(grantsContract.setGroupConnectionPrivileges, (ctx, { params, body }) =>
      grants.setConnections(ctx, params.id, body),
    ),
    route(grantsContract.grantGroupConnection, (ctx, { params, body }) =>
      grants.grantConnection(ctx, params.id, body),
    ),
    route(grantsContract.revokeGroupConnection, (ctx, { params }) =>
      grants.revokeConnection(ctx, params.id, params.connId),
    ),
  ];
}

function scopeRoutes(): Route<Ctx>[] {
  return [
    route(scopesContract.getScopeAccess, (ctx, { params }) =>
      scopes.getScopeAccess(ctx, { scope: params.scope, scope_id: params.scopeId }),
    ),
    route(scopesContract.grantGroupScope, (ctx, { params, body }) => scopes.grantScope(ctx, params.id, body)),
    route(scopesContract.revokeGroupScope, (ctx, { params }) =>
      scopes.revokeScope(ctx, params.id, { scope: params.scope, scope_id: params.scopeId }),
    ),
    route(scopesContract.setUserScope, (ctx, { params: { id, scope, scopeId }, body }) =>
      scopes.setUserScope(ctx, { user_id: id, scope, scope_id: scopeId }, body.access_level),
    ),
    route(scopesContract.removeUserScope, (ctx, { params: { id, scope, scopeId } }) =>
      scopes.removeUserScope(ctx, { user_id: id, scope, scope_id: scopeId }),
    ),
  ];
}

function permissionRoutes(): Route<Ctx>[] {
  return [
    route(grantsContract.getGroupPermissions, (ctx, { params }) => grants.getPermissions(ctx, params.id)),
    route(grantsContract.setGroupPermissions, (ctx, { params, body }) =>
      grants.setPermissions(ctx, params.id, body.permissions),
    ),
    route(grantsContract.grantGroupPermission, (ctx, { params, body }) =>
      grants.grantPermission(ctx, params.id, body.permission),
    ),
    route(grantsContract.revokeGroupPermission, (ctx, { params }) =>
      grants.revokePermission(ctx, params.id, params.permission),
    ),
  ];
}

function tokenRoutes(auth: Auth): Route<Ctx>[] {
  return [
    route(tokensContract.listTokens, (ctx) => tokens.listTokens(ctx)),
    route(tokensContract.createToken, (ctx, { body }) => tokens.createToken(ctx, auth, body)),
    route(tokensContract.deleteToken, (ctx, { params }) => tokens.deleteToken(ctx, params.id)),
    route(tokensContract.getTokenScope, (ctx, { params }) => tokens.getScope(ctx, params.id)),
    route(tokensContract.setTokenScope, (ctx, { params, body }) => tokens.setScope(ctx, params.id, body)),
    route(tokensContract.clearTokenScope, (ctx, { params }) => tokens.clearScope(ctx, params.id)),
  ];
}

export function rbacRoutes(auth: Auth): Route<Ctx>[] {
  return [
    ...userRoutes(auth),
    ...groupRoutes(),
    ...mcpRoutes(),
    ...connectionRoutes(),
    ...scopeRoutes(),
    ...permissionRoutes(),
    ...tokenRoutes(auth),
  ];
}
