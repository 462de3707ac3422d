// The admin permissions that exist, and those of stored names that this version knows.
import { ADMIN_PERMISSIONS } from './permissions.schemas.ts';
import type { Principal } from './principal.ts';

export { ADMIN_PERMISSIONS } from './permissions.schemas.ts';

export type AdminPermission = (typeof ADMIN_PERMISSIONS)[number];
export type GrantedPermission = AdminPermission | '*';

const KNOWN: ReadonlyMap<string, GrantedPermission> = new Map(
  [...ADMIN_PERMISSIONS, '*' as const].map((name) => [name, name]),
);

/** Stored names as permissions; one that this version does not know has no effect and is left out. */
export function knownPermissions(names: readonly string[]): GrantedPermission[] {
  return names.flatMap((name) => KNOWN.get(name) ?? []);
}

export function hasPermission(principal: Principal, permission: string): boolean {
  return principal.admin_permissions.includes('*') || principal.admin_permissions.includes(permission);
}
