// Who is signed in, and what they may do with connections.

import type { UserInfo } from '../../api/types.ts';
import { useOperation } from '../../api/use-operation.ts';
import type { PermissionName } from '../rbac/rights.ts';

export function useUser() {
  return useOperation('getUserInfo', {}, { staleMs: 60_000, everyMs: 60_000 });
}

/** Whether the user holds one of them. */
export function mayUse(user: UserInfo | undefined, ...permissions: readonly PermissionName[]): boolean {
  const held = user?.admin_permissions ?? [];
  if (user?.is_superuser === true || held.includes('*')) return true;
  return permissions.some((permission) => held.includes(permission));
}

export const mayManageConnections = (user: UserInfo | undefined): boolean =>
  mayUse(user, 'manage_connections');
