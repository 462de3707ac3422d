// Events of the metrics store and of the local spool.
import { error, info, warn } from './types.ts';

const DATASTORE =
  'Look at the datastore: disk space, locks, load. Nothing is lost while the spool has space.';
const UPKEEP = 'Look at `problems` or `err`, and run `matriarch doctor`. It is tried again.';
const REPORT = 'Report it as a bug with this line and the version.';

export const storeEvents = {
  'store.engine': info('How the store keeps metrics: plain PostgreSQL, Citus or TimescaleDB.'),
  'store.waiting': warn(
    'What was read cannot be written to the datastore. It waits in memory and spool.',
    DATASTORE,
  ),
  'store.back': info('What was read is written to the datastore again.'),
  'store.dropped': error(
    'Memory for what waits is full, so the oldest readings were given up.',
    'Look at the datastore, and at `spool.none` or `spool.trouble` before this line.',
  ),
  'store.left_behind': warn(
    'The process ended before everything was written or spooled. These readings are lost.',
    'Look at the datastore and at the disk of the spool.',
  ),
  'store.refused': error('The datastore refused the data of one reading. It is stored as failed.', REPORT),
  'store.fenced': warn(
    'Readings were refused because another collector has taken the server over.',
    'Nothing for a single one. If it repeats, look for machines that hang or clocks that jump.',
  ),
  'store.out_of_range': error(
    'Readings have a time for which no table can be made.',
    'Check the clocks of the collector and of the datastore.',
  ),
  'store.table_refused': error(
    'A table of metrics cannot be made or changed. Its probe is not stored.',
    'Look at `reason`, and check that the role of the datastore owns the schema `metrics`.',
  ),
  'store.tables_late': warn('New columns could not be added at the start. Upkeep adds them.', UPKEEP),
  'store.maintained': info('Upkeep made and removed partitions and rolled up.'),
  'store.maintenance_incomplete': warn(
    'Upkeep did a part of its work. `problems` says what is left.',
    UPKEEP,
  ),
  'store.maintenance_failed': warn('Upkeep failed. It is tried again within minutes.', UPKEEP),
  'store.compacted': info('Older metrics were packed.'),
  'store.compaction_incomplete': warn(
    'A part of the older metrics was packed. `problems` says what is left.',
    UPKEEP,
  ),
  'store.compaction_failed': warn('Packing of older metrics failed. It is tried again.', UPKEEP),
  'store.purged': info('Rows of deleted servers and old logs were removed.'),
  'store.purge_failed': warn('Rows of deleted servers could not be removed. It is tried again.', DATASTORE),
  'spool.none': error(
    'The spool cannot be written. What waits for the datastore is in memory alone.',
    'Give the user of Matriarch a data directory that it can write to, then restart.',
  ),
  'spool.trouble': error(
    'The disk of the spool refuses writes.',
    'Look at free space and rights of the data directory.',
  ),
  'spool.back': info('The disk of the spool takes writes again.'),
  'spool.dropped': error(
    'The spool was full, so its oldest readings were given up. Charts show a gap.',
    'Bring the datastore back. `collector.spool_bytes` allows a larger spool.',
  ),
  'spool.damaged': error(
    'A part of the spool cannot be read. Charts show a gap.',
    'Check the disk of the data directory.',
  ),
  'spool.unreadable': error(
    'A record of the spool cannot be understood. Charts show a gap.',
    'After a rollback this is expected. Else check the disk.',
  ),
  'spool.refused': error(
    'The spool did not take readings. They stay in memory until they are stored.',
    'Look at free space and rights of the data directory.',
  ),
  'spool.replay_waits': warn('What the spool holds cannot be stored yet. It is tried again.', DATASTORE),
  'spool.replay_failed': error(
    'Reading the spool failed. It is tried again.',
    'Check the disk of the data directory.',
  ),
  'spool.replayed': info('What the spool held was stored.'),
};
