// Who is signed in, and what they may do with connections.

import type { UserInfo } from '../../api/types.ts';
import { useOperation } from '../../api/use-operation.ts';

export function useUser() {
  return useOperation('getUserInfo', {}, { staleMs: 60_000, everyMs: 60_000 });
}

export function mayManageConnections(user: UserInfo | undefined): boolean {
  const permissions = user?.admin_permissions ?? [];
  return (
    user?.is_superuser === true || permissions.includes('*') || permissions.includes('manage_connections')
  );
}
