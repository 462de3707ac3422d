// What can run out on a server, as data: the column that says how much is used, by what it is told apart, and what limits it.
// Pure. Guards: a limit that nobody knows is null with its reason, and never a guess.
import { IDS_UNTIL_STOP } from '../../kernel/transaction-ids.ts';
import { probe as replicationSlots } from '../../probes/pg-replication-slots.ts';
import { probe as sequenceUsage } from '../../probes/pg-sequence-usage.ts';
import { probe as database } from '../../probes/pg-stat-database.ts';
import { probe as statementsInfo } from '../../probes/pg-stat-statements-info.ts';
import { probe as disk } from '../../probes/pg-sys-disk-info.ts';
import { probe as tablespace } from '../../probes/pg-tablespace.ts';
import { probe as wraparound } from '../../probes/pg-wraparound.ts';
import type { Probe } from '../../probes/types.ts';
import type { Group } from '../../store/read/doors/buckets.ts';

/** So often the dates of a server are found anew. */
export const RUNWAY_SECONDS = 3 * 3600;

export type RunwayKind =
  | 'disk'
  | 'tablespace'
  | 'transaction_ids'
  | 'multixact_ids'
  | 'sequence'
  | 'replication_slot'
  | 'connections'
  | 'statements';

export interface Volume {
  mount_point: string;
  free: number;
}

/** What is known of a server beside the days. */
export interface RunwayContext {
  usable_connections: number | null;
  data_directory: string | null;
  volumes: readonly Volume[];
  /** Directories of tablespaces that lie outside the data directory. */
  locations: ReadonlyMap<string, string>;
}

/** An entity as it was in the newest day. */
export interface RunwayEntity {
  group: Group;
  used: number;
  /** Of the columns of `beside`, in their order; null: unknown. */
  beside: readonly (number | null)[];
}

export interface Limit {
  limit: number | null;
  /** What it is, or why nobody knows it. */
  says: string;
}

export interface KindOf {
  readonly kind: RunwayKind;
  readonly probe: Probe;
  readonly column: string;
  /** Of a day: the newest value of it, or the highest. */
  readonly aggregate: 'last' | 'max';
  readonly group_by: readonly string[];
  /** Columns that the limit is made of. */
  readonly beside: readonly string[];
  readonly unit: 'bytes' | 'count' | 'percent';
  /** See kernel/trend.ts. */
  readonly fallsBack: boolean;
  /** Of many objects those that have a date, and otherwise the one that has used most. */
  readonly isWorstOnly: boolean;
  limitOf(entity: RunwayEntity, context: RunwayContext): Limit;
  heldBelow?(entity: RunwayEntity): number | undefined;
}

const isWithin = (path: string, mount: string) =>
  mount === '/' || path === mount || path.startsWith(mount.endsWith('/') ? mount : `${mount}/`);

/** The volume that a directory lies on: the innermost that is mounted above it. */
function volumeOf(path: string | null, volumes: readonly Volume[]): Volume | undefined {
  if (path === null) return undefined;
  const above = volumes.filter(({ mount_point }) => isWithin(path, mount_point));
  return above.toSorted((a, b) => b.mount_point.length - a.mount_point.length)[0];
}

function onVolume(used: number, path: string | null, { volumes }: RunwayContext): Limit {
  if (path === null)
    return { limit: null, says: 'The location is hidden; grant pg_read_all_settings to read it.' };
  if (volumes.length === 0) return { limit: null, says: 'The disks of its machine are not collected.' };
  const volume = volumeOf(path, volumes);
  if (!volume) return { limit: null, says: `The file system of ${path} is unknown.` };
  return { limit: used + volume.free, says: `What it has and what is free on ${volume.mount_point}` };
}

const ids = (kind: 'transaction_ids' | 'multixact_ids', column: string, freeze: string): KindOf => ({
  kind,
  probe: wraparound,
  column,
  aggregate: 'last',
  group_by: ['datname'],
  beside: [freeze],
  unit: 'count',
  fallsBack: true,
  isWorstOnly: true,
  limitOf: () => ({ limit: IDS_UNTIL_STOP, says: 'Where the server refuses commands that need another' }),
  heldBelow: ({ beside: [due] }) =>
    due === null || due === undefined ? undefined : Math.min(1.1 * due, 0.6 * IDS_UNTIL_STOP),
});

export const kindsOf: readonly KindOf[] = [
  {
    kind: 'disk',
    probe: disk,
    column: 'used_space',
    aggregate: 'last',
    group_by: ['mount_point'],
    beside: ['free_space'],
    unit: 'bytes',
    fallsBack: false,
    isWorstOnly: false,
    limitOf: ({ used, beside: [free] }) =>
      free === null || free === undefined
        ? { limit: null, says: 'Its free space is not known.' }
        : { limit: used + free, says: 'What programs may use of it' },
  },
  {
    kind: 'tablespace',
    probe: tablespace,
    column: 'tablespace_size_bytes',
    aggregate: 'last',
    group_by: ['spcname'],
    beside: [],
    unit: 'bytes',
    fallsBack: false,
    isWorstOnly: false,
    limitOf: ({ used, group }, context) =>
      onVolume(used, context.locations.get(String(group.spcname)) ?? context.data_directory, context),
  },
  ids('transaction_ids', 'xid_age', 'autovacuum_freeze_max_age'),
  ids('multixact_ids', 'mxid_age', 'autovacuum_multixact_freeze_max_age'),
  {
    kind: 'sequence',
    probe: sequenceUsage,
    column: 'exhausted_percent',
    aggregate: 'last',
    group_by: ['database_name', 'seqrelid'],
    beside: [],
    unit: 'percent',
    fallsBack: false,
    isWorstOnly: true,
    limitOf: () => ({ limit: 100, says: 'The end of the sequence or of the column that it feeds' }),
  },
  {
    kind: 'replication_slot',
    probe: replicationSlots,
    column: 'retained_bytes',
    aggregate: 'last',
    group_by: ['slot_name'],
    beside: ['safe_wal_size'],
    unit: 'bytes',
    fallsBack: true,
    isWorstOnly: false,
    limitOf: ({ used, beside: [safe] }, context) =>
      safe === null || safe === undefined
        ? onVolume(used, context.data_directory, context)
        : { limit: used + Math.max(0, safe), says: 'max_slot_wal_keep_size' },
  },
  {
    kind: 'connections',
    probe: database,
    column: 'numbackends',
    aggregate: 'max',
    group_by: [],
    beside: [],
    unit: 'count',
    fallsBack: true,
    isWorstOnly: false,
    limitOf: (_entity, { usable_connections }) => ({
      limit: usable_connections,
      says:
        usable_connections === null ? 'max_connections is not known.' : 'Connections that are not reserved',
    }),
  },
  {
    kind: 'statements',
    probe: statementsInfo,
    column: 'entries',
    aggregate: 'max',
    // It is one for the whole server, whichever database it was read in.
    group_by: ['database_name'],
    beside: ['max_entries'],
    unit: 'count',
    fallsBack: true,
    isWorstOnly: true,
    limitOf: ({ beside: [most] }) =>
      most === null || most === undefined
        ? { limit: null, says: 'pg_stat_statements.max is not known.' }
        : { limit: most, says: 'pg_stat_statements.max: then those called least are thrown away uncounted' },
  },
];
