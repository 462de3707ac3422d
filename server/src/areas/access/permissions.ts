// The admin permissions that exist; nothing else can be granted or asked for.
import type { Principal } from './principal.ts';

export const ADMIN_PERMISSIONS = [
  'manage_connections',
  'manage_groups',
  'manage_permissions',
  'manage_users',
  'manage_token_scopes',
  'manage_blackouts',
  'manage_probes',
  'manage_alert_rules',
  'manage_notification_channels',
  'store_system_memory',
] as const;

export type AdminPermission = (typeof ADMIN_PERMISSIONS)[number];

export function hasPermission(principal: Principal, permission: string): boolean {
  return principal.admin_permissions.includes('*') || principal.admin_permissions.includes(permission);
}
