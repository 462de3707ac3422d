// The admin permissions that exist, as names and as a shape; nothing else can be granted or asked for.
import * as s from '../../kernel/schema.ts';

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
  // Ours, beyond the specification: reading the audit log, and reading and sending logs of servers.
  'view_audit',
  'read_logs',
  'send_logs',
] as const;

/** One of them, or `*` for all. */
export const AdminPermission = s.oneOf([...ADMIN_PERMISSIONS, '*'] as const, {
  title: 'AdminPermission',
  extra: ['view_audit', 'read_logs', 'send_logs'],
  description:
    'An admin permission, or `*` for all. Additions of ours: `view_audit` for the audit log, `read_logs` for the texts of logs of servers, `send_logs` for sending logs.',
});
