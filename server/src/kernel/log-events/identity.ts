// Events of accounts, rights, the audit log and password sources. Who did what is in the audit log as well.
import { error, info, warn } from './types.ts';

const DATASTORE = 'Look at `err`; if the datastore is away, nothing else needs to be done.';

export const identityEvents = {
  'auth.signed_in': info('A user signed in.'),
  'auth.signed_out': info('A user signed out.'),
  'auth.ended_by_provider': info('A provider signed a user out (back-channel logout).'),
  'auth.session_ended': info('A user ended one of their own sessions.'),
  'auth.sessions_ended': info('An administrator ended the sessions of a user.'),
  'auth.login_failed': warn(
    'A sign-in was refused: wrong name, password or a disabled account.',
    'Nothing for a single one. Many from one address are guesses: block the address.',
  ),
  'auth.attempt_refused': warn(
    'An address or account has to wait before it may try to sign in again.',
    'Look at `address`. Behind a proxy, check that `api.trusted_proxies` names it.',
  ),
  'auth.link_refused': warn(
    'A sign-in link was unknown, used or too old.',
    'Make a new one: `matriarch user link <name>`.',
  ),
  'auth.link_created': info('A one-time sign-in link was made.'),
  'auth.password_change_refused': warn(
    'The current password given for a change was wrong.',
    'If the user did not do it, end their sessions and set a new password.',
  ),
  'auth.password_changed': info('A user changed their own password. Their other sessions ended.'),
  'auth.password_set': info('The password of a user was set by an administrator.'),
  'auth.user_created': info('A user was created.'),
  'auth.user_changed': info('A user was changed. `changed` names what.'),
  'auth.user_deleted': info('A user was deleted.'),
  'auth.token_created': info('An API token was created.'),
  'auth.token_revoked': info('An API token was revoked.'),
  'auth.token_scoped': info('The scope of an API token was changed.'),
  'auth.second_factor_set': info('A user set up a second factor.'),
  'auth.second_factor_removed': info('The second factor of a user was removed.'),
  'auth.second_factor_refused': warn(
    'The password or code given for a change of the second factor was wrong.',
    'If it repeats, ask the user. Check the clock of the machine when right codes are refused.',
  ),
  'auth.second_factor_paused': warn(
    'Too many codes of an account were wrong within an hour. Only recovery codes work for now.',
    'Ask the user. The password may be known to others: set a new one if they did not try.',
  ),
  'auth.second_factor_unreadable': error(
    'The key of a second factor cannot be decrypted.',
    'Bring back `secret.key`, or run `matriarch user second-factor <name> --remove`.',
  ),
  'auth.passkey_added': info('A user added a passkey.'),
  'auth.passkey_removed': info('A user removed a passkey.'),
  'auth.passkey_refused': warn(
    'The answer of a passkey could not be verified.',
    'Look at `err`. Check that `api.public_url` is the address that users open.',
  ),
  'auth.admin_created': info('The administrator that the settings name was created.'),
  'auth.admin_promoted': warn(
    'The account that MATRIARCH_ADMIN_USERNAME names was made an enabled superuser.',
    'Remove the setting if this was not meant.',
  ),
  'auth.admin_password_replaced': warn(
    'The password of the administrator was replaced by MATRIARCH_ADMIN_PASSWORD.',
    'Remove the setting if the password should be changed in the interface only.',
  ),
  'auth.admin_link_created': info('The start printed a one-time sign-in link for the administrator.'),
  'auth.clean_failed': warn('Old sessions or attempts could not be deleted. It is tried again.', DATASTORE),
  'auth.settle_failed': warn('The end of a sign-in attempt could not be written down.', DATASTORE),
  'auth.take_back_failed': warn('An attempt that failed by our fault counts against the account.', DATASTORE),
  'auth.provider_failed': warn(
    'A sign-in provider could not be reached or gave an answer that was refused.',
    'Look at `reason`, and at the table of docs/sign-in.md.',
  ),
  'auth.proxy_header_ignored': warn(
    'A request from an address outside `auth.proxy.addresses` had the header with the user name. It was ignored. Written once for each address.',
    'If `address` is your proxy, add it. Otherwise let clients reach the port through the proxy only.',
  ),
  'auth.last_superuser_kept': warn(
    'The claims of a provider would take the rights of the last superuser. They were kept.',
    'Make another superuser, or correct the claims.',
  ),
  'auth.mapped_group_missing': warn(
    'A claim is mapped to a group that does not exist.',
    'Create the group, or correct `group_map` of the provider.',
  ),
  'access.token_uses_lost': warn('When tokens were last used could not be written down.', DATASTORE),
  'audit.head': info('The newest row of the audit log and its hash. Keep it outside to prove the chain.'),
  'audit.pruned': info('Rows of the audit log beyond their retention were deleted.'),
  'audit.keeping_failed': warn('The hourly upkeep of the audit log failed. It is tried again.', DATASTORE),
  'audit.refusals_wait': warn('Counted refusals could not be written to the audit log yet.', DATASTORE),
  'rbac.group_create': info('A group was created.'),
  'rbac.group_change': info('A group was renamed or described anew.'),
  'rbac.group_delete': info('A group was deleted.'),
  'rbac.group_add_member': info('A user or group became a member of a group.'),
  'rbac.group_remove_member': info('A user or group left a group.'),
  'rbac.group_grant': info('A group was granted a right.'),
  'rbac.group_revoke': info('A right of a group was revoked.'),
  'rbac.passed_on': info('The connections of a deleted user passed to the administrator who deleted it.'),
  'password_sources.failed': warn(
    'A password source gave no password. Connections that use it cannot open new sessions.',
    'Look at `err` and `stderr`, then at the file, variable or command of that source.',
  ),
  'password_sources.not_noted': warn(
    'When a source last gave a password could not be written down for a connection.',
    DATASTORE,
  ),
};
