// A user as they stand now, for what the program does in their name while they are away. Guards: whoever is disabled is nobody, and
// whoever lost a right does nothing by it.
import type { Db } from '../../kernel/db.ts';
import { effectivePermissions } from './access.service.ts';
import type { Principal } from './principal.ts';
import { findHeld, findUser } from './rights.queries.ts';

/** Undefined: deleted or disabled. */
export async function findPrincipal(db: Db, userId: number): Promise<Principal | undefined> {
  const user = await findUser(db, userId);
  if (!user) return undefined;
  const { is_superuser, admin_permissions } = await findHeld(db, { kind: 'user', id: userId });
  return {
    user_id: userId,
    username: user.username,
    is_superuser,
    admin_permissions: effectivePermissions(is_superuser ? ['*'] : admin_permissions, undefined),
    via: { kind: 'system', id: 0 },
    scope: undefined,
    all_connections: is_superuser,
  };
}
