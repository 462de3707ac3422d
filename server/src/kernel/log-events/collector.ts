// Events of the collector and of what it reads of monitored servers.
import { error, info, type LogEvent, warn } from './types.ts';

const DATASTORE = 'Look at the datastore. It is tried again.';
const REPORT = 'Report it as a bug with this line and the version.';

/** The first failure in a row is a warning. */
const unreachable: LogEvent<'warn' | 'debug'> = {
  levels: ['warn', 'debug'],
  meaning:
    'A monitored server cannot be reached. `step` says how far the connection came. Repeats are at debug.',
  action: 'Run `matriarch doctor <connection>`: it says what is wrong and how to fix it.',
};

export const collectorEvents = {
  'collector.connected': info('The collector has a session on a monitored server.'),
  'collector.unreachable': unreachable,
  'collector.unexpected': error(
    'Reading a server ended by a fault inside Matriarch. It is begun again.',
    REPORT,
  ),
  'collector.texts_refused': warn(
    'A server refused to give texts of statements. They are asked for again, later each time.',
    'Look at `err`: often a missing right or a statement timeout.',
  ),
  'collector.texts_waiting': warn('The datastore was too slow for texts of statements.', DATASTORE),
  'collector.logs_failed': warn(
    'Reading the log of a server failed. It goes on at the same place.',
    'Look at `err`, and at the tab Logs of the server.',
  ),
  'logs.block_unreadable': warn(
    'A block of lines of a log cannot be read. Searches answer without its lines.',
    'With `version`, a newer Matriarch has written it: use one version. Else check the disk of the datastore.',
  ),
  'collector.plans_failed': warn(
    'Plans of statements could not be stored. They are read again at the next reading.',
    DATASTORE,
  ),
  'syslog.listening': info('Logs of servers are taken by syslog at these addresses.'),
  'syslog.dropped': warn(
    'Messages of syslog were not taken since the last such line. `refused`: their address is in no entry of syslog.senders. `unassigned`: the connection of the entry does not exist, is not monitored, or its name is not unique. `unreadable`: they are no syslog. `read_elsewhere`: files of that log are read, or it comes by OTLP. `too_many`: more came than can be stored. `overrun`: datagrams of UDP that the kernel of this machine threw away, because they came faster than they were read.',
    'Look at syslog.senders, at what sends, and at the tab Logs of the server. For `overrun`, send by TCP or raise net.core.rmem_max.',
  ),
  'syslog.store_failed': warn('What came by syslog could not be stored. It is tried again.', DATASTORE),
  'syslog.socket_failed': warn(
    'A socket of syslog failed.',
    'Look at `err`. If no messages come any more, restart Matriarch.',
  ),
  'collector.host_failed': warn(
    'Reading facts of a host failed.',
    'Look at `err`, and at the coverage of the server.',
  ),
  'collector.slowed': info('Reading a server exceeded its budget. Expensive probes run less often.'),
  'collector.quickened': info('Reading a server is cheaper again. Probes run more often.'),
  'collector.clock_differs': warn(
    'The clocks of this machine and of the datastore differ. The clock of the datastore decides.',
    'Set the clocks of both machines by NTP.',
  ),
  'collector.datastore_away': warn(
    'The datastore does not answer the collector. Reading goes on into the spool.',
    'Look at the datastore.',
  ),
  'collector.datastore_back': info('The datastore answers the collector again.'),
  'collector.costs_waiting': warn('The cost of reading could not be written down yet.', DATASTORE),
  'collector.presence_lost': info(
    'The session that shows that this collector lives ended. It is opened again.',
  ),
  'collector.others_died': warn(
    'Another collector died. Its servers are taken over.',
    'Look at the log of that process.',
  ),
  'collector.frozen_ended': warn(
    'Sessions of a collector that hung were ended, so that its servers can be taken over.',
    'Look why that process or its machine hung.',
  ),
};
