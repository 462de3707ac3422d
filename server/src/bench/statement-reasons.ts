// Why each statement is needed that the program sends while nothing happens, by the name in its text.

const OF_PARTS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^probe\.(\w+)\.texts$/, 'Texts of statements that are seen for the first time.'],
  [/^probe\./, 'The probe of this name, at its interval; what it reads stands in `server/catalog.md`.'],
  [/^copy metrics\."(\w+)"/, 'Writes what the probe of this table has read.'],
  [/^(begin|commit)$/, 'What was read together is written in one transaction.'],
  [/^set local/, 'Ends a transaction whose process fell asleep, so that its locks can go to another.'],
  [
    /^topology\.(clusters|stored|facts|nodes|labels|relationships|save_nodes)$/,
    'A round of detection of clusters, where something is different than before.',
  ],
];

const REASONS: Readonly<Record<string, string>> = {
  'collector.beat':
    'Keeps the leases of this collector, and finds connections that were added, changed or left by another.',
  'store.others': 'Finds other collectors of this datastore that died; every 6 s while there are none.',
  'store.begin': 'Begins the transaction of a batch that is written once and only once.',
  'store.open_batch':
    'Gives the batch its number, and says which leases still hold, so that a late writer writes nothing.',
  'store.flush': 'Writes the newest rows of each probe and how its runs went.',
  'store.objects': 'Gives ids to tables, indexes and statements that are seen for the first time.',
  'store.rosters': 'Closes the history of databases that no longer exist.',
  'store.write_runs': 'Keeps for each probe how often it ran and failed.',
  'collector.write_costs': 'Keeps what watching costs on each server.',
  'collector.known_texts': 'Asks which texts of statements are kept already.',
  'collector.keep_texts': 'Keeps texts of statements that are new.',
  'topology.digest': 'Tells whether anything is different by which clusters are detected.',
  'topology.note_receivers': 'Notes since when a standby has been without a WAL receiver.',
  'jobs.claim': 'Sees whether packing, maintenance or detection is due and nobody else does it.',
  'jobs.finish': 'Ends such a job.',
  'store.open_hours': 'Packing, every ten minutes: hours of a probe that are over and not packed.',
  'store.open_days': 'Packing, every ten minutes: days of rollups that are over and not packed.',
  'store.tier_tables': 'Packing: which tables of packed hours and rollups are registered.',
  'store.tier_columns': 'Packing: which columns these tables have.',
  'store.partitions': 'Packing: partitions that may be empty or beyond their retention.',
  'store.filled_until': 'Packing: notes how far each probe is packed and rolled up.',
  'store.note_intervals': 'Packing: notes intervals of probes that were changed.',
  'store.interval_changes': 'Packing: how often each probe ran in the hours to be packed.',
  'store.retention_classes': 'Packing: for how long each connection keeps what.',
  'store.known_columns': 'Packing: whether the tables are as the probes declare them.',
  'store.large_days':
    'Packing: databases with so much in the day that is not over that what there is of it is packed every hour.',
  'store.registered': 'Packing: which tables are registered.',
  'store.now': 'Packing: the time of the datastore, by which hours are over.',
  'store.purgeable': 'Finds connections that were deleted and still have data.',
  'store.forget_queries': 'Removes texts of statements that no server has named for long.',
  'collector.ping': 'First in each round trip: that the server lives, its role and when it was started.',
  'collector.timeout': 'Limits how long the statements after it may run.',
  'collector.role_hint': 'Changes when the part of the server in replication does.',
  'collector.databases': 'Which databases there are to be visited.',
  'collector.capabilities':
    'At the first visit, every ten minutes, and for what is missing: extensions, and what our role may read.',
  'target.session': 'Once a session: read only, time limits, name of the application.',
  'requirements.read': 'Every ten minutes: why a probe cannot run, with what mends it.',
  'hosts.local.claim': 'Whether the server runs on the same machine, so that its host can be read.',
  'hosts.server_version.read': 'The version by which the host of the server is described.',
  'hosts.system_stats.find': 'Whether the extension system_stats can tell of the host.',
  'hosts.sql_files.find': 'Whether files of the host can be read by SQL.',
};

/** One sentence; undefined: nobody has said it yet. */
export const reasonOf = (name: string): string | undefined =>
  REASONS[name] ?? OF_PARTS.find(([pattern]) => pattern.test(name))?.[1];

export const REASONED = Object.keys(REASONS);
