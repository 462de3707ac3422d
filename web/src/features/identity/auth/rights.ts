// Every admin permission and level of access in words.
/** In the order they are shown. */
const WORDS = {
  manage_connections: 'Add servers, change those visible, and arrange clusters and groups of servers',
  manage_groups: 'Make groups of users and change who is in them',
  manage_permissions: 'Give groups access to servers and to MCP tools',
  manage_users: 'Make, change and delete users',
  manage_token_scopes: 'Make and revoke API tokens, and limit what they may do',
  manage_blackouts: 'Plan silences',
  manage_probes: 'Change what is collected, how often, and how long it is kept',
  manage_alert_rules: 'Change alert rules and their thresholds',
  manage_notification_channels: 'Change where alerts are sent',
  store_system_memory: 'Store memories that all users read',
  view_audit: 'Read the audit log',
  read_logs: 'Read texts in the logs of servers',
  send_logs: 'Send logs of servers by OTLP',
} as const;

export type PermissionName = keyof typeof WORDS;

function isPermission(name: string): name is PermissionName {
  return Object.hasOwn(WORDS, name);
}

export const PERMISSION_NAMES: readonly PermissionName[] = Object.keys(WORDS).filter(isPermission);

/** Of these names, the permissions and the grant of all of them. */
export function asPermissions(names: readonly string[]): (PermissionName | '*')[] {
  return names.flatMap((name) => (name === '*' || isPermission(name) ? [name] : []));
}

/** What a permission allows; nothing for one that this interface does not know. */
export function permissionWords(name: string): string {
  if (name === '*') return 'Every admin permission, those to come too';
  return isPermission(name) ? WORDS[name] : '';
}

export const LEVEL_WORDS = { read: 'Read', read_write: 'Read and write' } as const;
export type Level = keyof typeof LEVEL_WORDS;

export function isLevel(text: string): text is Level {
  return Object.hasOwn(LEVEL_WORDS, text);
}

/** The grant of this connection is one of every connection, those to come too. */
export const EVERY_CONNECTION = 0;
