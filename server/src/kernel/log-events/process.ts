// Events of the process and of its sessions on the datastore.
import { error, info, warn } from './types.ts';

const REPORT = 'Report it as a bug with this line and the version. Look through it before you send it.';

export const processEvents = {
  'app.started': info('All parts of this process run. The line has its roles and its address.'),
  'cli.failed': error('A command ended because of a fault inside Matriarch.', REPORT),
  'checkup.check_failed': error('A check of `checkup` ended because of a fault inside Matriarch.', REPORT),
  'settings.reread': info(
    'SIGHUP was received and the settings were read again.',
    'Restart the process when `needs_restart` names a setting.',
  ),
  'settings.not_reread': error(
    'SIGHUP was received, but the settings have a mistake. The process goes on with the old ones.',
    'Correct what `reason` says, then send SIGHUP again.',
  ),
  'service.not_notified': warn(
    'systemd could not be notified that this process runs, so a watchdog would end it. Repeats in a row are not logged.',
    'Look at `err`: the program `systemd-notify` has to be in `/usr/bin`, and the unit needs `NotifyAccess=all`.',
  ),
  'stop.failed': error('A part did not stop cleanly. The process ends all the same.', REPORT),
  'stop.timeout': error(
    'A part did not stop in time and was left. The process ends all the same.',
    'Look whether the datastore answered at that time. Report it as a bug if it did.',
  ),
  'health.listening': info('A process without the role `api` answers health and metrics at this address.'),
  'health.port_taken': warn(
    'The port for health and metrics is taken, so any free port is used.',
    'Give each process of a machine a `--port` of its own.',
  ),
  'health.failed': error(
    'A request for health or metrics failed because of a fault inside Matriarch.',
    REPORT,
  ),
  'http.request': info(
    'A request was answered. Written while `log_requests` is on, and always for status 500 and above.',
  ),
  'http.failed': error(
    'A request was answered 500 or above. `err` is the cause.',
    'Look at `err`. Statuses 502 and 503 come from the datastore or a provider; report a 500 as a bug.',
  ),
  'http.stream_failed': error('A stream of events ended early. `err` is the cause.', 'As for `http.failed`.'),
  'datastore.migrated': info('A migration was applied to the datastore.'),
  'datastore.connection_lost': warn(
    'The datastore ended an idle session. The next statement opens a new one.',
    'Nothing after a restart of the datastore. If it repeats, look for a firewall or pooler that ends idle sessions.',
  ),
  'datastore.session_silent': warn(
    'A session lost its statement: the datastore is idle while Matriarch waits. The session was replaced.',
    'If it repeats, look for a proxy, pooler or firewall that drops packets between the two.',
  ),
  'datastore.silent': error(
    'The datastore does not answer. Requests get 503, and collectors keep what they read in their spool.',
    'Look at the datastore, its machine and the network. Nothing is lost while the spool has space.',
  ),
  'datastore.answers': info('The datastore answers again after `datastore.silent`.'),
  'embedded.started': info('The embedded PostgreSQL was started.'),
  'embedded.ended': warn(
    'The embedded PostgreSQL ended by itself and is started again.',
    'Look for the reason in `postgres.log` of the data directory: often memory or a full disk.',
  ),
  'embedded.restarted': info('The embedded PostgreSQL runs again after `embedded.ended`.'),
  'embedded.given_up': error(
    'The embedded PostgreSQL ended too often within ten minutes. The process ends.',
    'Remove the cause that `postgres.log` of the data directory names, then start Matriarch again.',
  ),
};
