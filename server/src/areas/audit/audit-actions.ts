// What is written into the audit log: every action has its line here, and only these can be recorded.
export const AUDIT_ACTIONS = {
  'session.create': 'somebody signed in, or tried to',
  'session.delete': 'somebody signed out',
  'access.check': 'a request was refused: no right to do it, or a token or session that is not valid',
  'user.create': 'a user or service account was made',
  'user.change': 'a user was renamed, described, enabled, disabled, promoted or demoted',
  'user.delete': 'a user was deleted',
  'user.set_password': 'a password was set; all sessions it had opened ended',
  'user.create_link': 'a link for signing in once was made',
  'group.create': 'a group was made',
  'group.change': 'a group was renamed or described',
  'group.delete': 'a group was deleted, with everything it granted',
  'group.add_member': 'a user or group became a member',
  'group.remove_member': 'a user or group is a member no more',
  'group.grant': 'a group was given a connection, a permission or an MCP privilege',
  'group.revoke': 'a group lost a connection, a permission or an MCP privilege',
  'token.create': 'an API token was made',
  'token.change': 'an API token was renamed or described',
  'token.delete': 'an API token was revoked',
  'token.set_scope': 'the scope of an API token was set or cleared',
  'connection.create': 'a connection was made',
  'connection.change': 'a connection was changed',
  'connection.delete': 'a connection was deleted',
  'connection.test': 'a connection was tried',
  'secret.use': 'a stored password was decrypted and used',
  'sql.run': 'somebody ran a statement on a monitored server',
  'settings.load': 'a process started with these settings',
  'settings.change': 'a setting was changed',
  'audit.prune': 'rows of the audit log that were older than its retention were removed',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export const AUDIT_OUTCOMES = ['ok', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];
