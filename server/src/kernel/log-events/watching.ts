// Events of connections, clusters, alerts, notifications, findings and reports.
import { error, info, warn } from './types.ts';

const TRIED_AGAIN = 'Look at `err`; often the datastore is slow or away. It is tried again.';
const REPORT = 'Report it as a bug with this line and the version.';

export const watchingEvents = {
  'connections.created': info('A connection was created.'),
  'connections.changed': info('A connection was changed.'),
  'connections.deleted': info('A connection was deleted.'),
  'connections.password_used': info('The password of a connection was used for a live call.'),
  'connections.passwords_bound': info(
    'Stored passwords of an older version were bound to their destinations.',
  ),
  'connections.password_not_bound': warn(
    'The stored password of a connection cannot be decrypted.',
    'Bring back the right `secret.key`, or enter the password again.',
  ),
  'connections.ledger_failed': warn('A statement could not be written to the statement ledger.', TRIED_AGAIN),
  'clusters.created': info('A cluster was created by hand.'),
  'clusters.changed': info('A cluster was renamed or moved to another group.'),
  'clusters.dismissed': info('A cluster was dismissed.'),
  'clusters.deleted': info('A cluster was deleted.'),
  'clusters.server_set': info('A server was put into a cluster by hand.'),
  'clusters.relationships_set': info('Relationships of a server were set by hand.'),
  'cluster_groups.created': info('A group of clusters was created.'),
  'cluster_groups.changed': info('A group of clusters was changed.'),
  'cluster_groups.deleted': info('A group of clusters was deleted.'),
  'topology.changed': info('Servers were found in other clusters than before.'),
  'topology.cluster_moved': info('A cluster goes on under the identity of another one.'),
  'topology.failed': warn('Finding clusters failed.', TRIED_AGAIN),
  'alerter.changed': info('Alerts were raised or cleared.'),
  'alerter.failed': warn('A round of judging alerts failed.', 'Run `matriarch doctor`; look at `err`.'),
  'alerter.rules_failed': warn(
    'Rules could not be judged because their readings could not be read. Others were judged.',
    'Run `matriarch doctor`; look at `err`.',
  ),
  'alerter.same_servers_failed': warn(
    'Which connections lead to the same server could not be read. What was known before is used.',
    TRIED_AGAIN,
  ),
  'alerter.anomalies_failed': warn(
    'Unusual values of one probe could not be judged.',
    'Run `matriarch doctor`; look at `err`.',
  ),
  'alerter.baselines_failed': warn('The usual values of a server could not be computed.', TRIED_AGAIN),
  'alerter.turn_lost': info(
    'The session of the process that judges alerts ended. It or another one goes on.',
  ),
  'blackouts.started': info('A blackout of a schedule began.'),
  'blackouts.forgotten': info('Old blackouts were deleted.'),
  'blackouts.failed': warn('Blackouts of schedules could not be begun.', TRIED_AGAIN),
  'self_watch.failed': warn('Whether background work goes on could not be judged.', TRIED_AGAIN),
  'heartbeat.failed': warn(
    'The call to `heartbeat.url` or `heartbeat.fail_url` failed. Written once until it succeeds.',
    'Look at `reason`. A private address needs `channels.allow_private_networks`.',
  ),
  'heartbeat.succeeded': info('Calls of the heartbeat succeed again.'),
  'channels.created': info('A channel was created.'),
  'channels.changed': info('A channel or its recipients were changed.'),
  'channels.deleted': info('A channel was deleted.'),
  'channels.tested': info('A test message was sent to a channel, or failed.'),
  'notifications.delivered': info('Notifications were delivered.'),
  'notifications.failed': warn(
    'A delivery failed. It is tried again for a day, later each time.',
    'Look at `reason`, and send a test from the page of the channel.',
  ),
  'notifications.left': warn(
    'A notification was left by this process, as its time was over. It is tried again.',
    'If it repeats, look whether the other side answers slowly.',
  ),
  'notifications.skipped': warn('A notification needed no delivery. `reason` says why.', 'Nothing.'),
  'notifications.dead': warn(
    'A notification was given up after a day, or because the other side refuses it for good.',
    'Fix the channel, then run `matriarch notifications resend`.',
  ),
  'notifications.not_written': warn(
    'What came of a delivery could not be written down. It may be sent twice.',
    TRIED_AGAIN,
  ),
  'notifications.round_failed': warn('Looking for notifications to deliver failed.', TRIED_AGAIN),
  'notifications.held': warn(
    'This datastore was restored from a backup, so nothing is sent.',
    'When the original is stopped for good: `matriarch notifications release`.',
  ),
  'pagerduty.received': info('PagerDuty sent an event of an incident.'),
  'findings.changed': info('Findings were written or resolved.'),
  'findings.check_failed': error(
    'A check ended by a fault inside Matriarch. Its findings stay as they were.',
    REPORT,
  ),
  'findings.failed': warn('A round of findings failed.', 'Run `matriarch doctor`; look at `err`.'),
  'reports.queued': info('Scheduled reports were queued.'),
  'reports.failed': warn('Scheduled reports could not be queued.', TRIED_AGAIN),
};
