// Who is signed in, and what they may do with connections.

import { createContext, use } from 'react';
import type { UserInfo } from '../../../api/types.ts';
import { useOperation } from '../../../api/use-operation.ts';
import type { PermissionName } from './rights.ts';

/** Whose page it is: stays while the session has ended, so that no form goes away with what was typed. */
export const PageUser = createContext<UserInfo | undefined>(undefined);

/** What the server says now. */
export function useSession() {
  return useOperation('getUserInfo', {}, { staleMs: 60_000, everyMs: 60_000 });
}

export function useUser(): { data: UserInfo | undefined } {
  const session = useSession();
  const pageUser = use(PageUser);
  return { data: pageUser ?? session.data };
}

/** Whether the user holds one of them. */
export function mayUse(user: UserInfo | undefined, ...permissions: readonly PermissionName[]): boolean {
  const held = user?.admin_permissions ?? [];
  if (user?.is_superuser === true || held.includes('*')) return true;
  return permissions.some((permission) => held.includes(permission));
}

export const mayManageConnections = (user: UserInfo | undefined): boolean =>
  mayUse(user, 'manage_connections');
