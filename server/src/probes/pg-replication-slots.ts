// Slots, lost ones included, with what each keeps on disk and what logical decoding did for it. Runs on standbys,
// whose position is what they have received and replayed.

import type { Compare } from './comparing.ts';
import type { CellOf } from './conditions.ts';
import type { Condition } from './metric-types.ts';
import { type Capabilities, defineProbe } from './types.ts';
import { counters, gauges, labels, notBelowZero, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_replication_slots';
const STATS = 'pg_catalog.pg_stat_replication_slots';

const slot = [
  { name: 'slot_name', type: 'text', kind: 'key', description: 'Name.' },
  ...labels([
    ['plugin', 'Output plugin of a logical slot.'],
    ['slot_type', 'physical or logical.'],
    ['database', 'Database of a logical slot.'],
  ]),
  { name: 'temporary', type: 'boolean', kind: 'label', description: 'Dropped at the end of its session.' },
  { name: 'active', type: 'boolean', kind: 'label', description: 'In use now.' },
  { name: 'active_pid', type: 'integer', kind: 'label', description: 'Process that uses it.' },
  ...labels([
    ['restart_lsn', 'WAL is kept from here; null for many a lost slot.'],
    ['confirmed_flush_lsn', 'The subscriber has everything up to here.'],
    ['wal_status', 'reserved, extended, unreserved or lost.'],
  ]),
  ...gauges('bytes', [['safe_wal_size', 'WAL that can still be written before the slot may be lost.']]),
  { name: 'two_phase', type: 'boolean', kind: 'label', description: 'Decodes prepared transactions.' },
  ...labels([['two_phase_at', 'Since where it decodes prepared transactions (18+).']]),
  ...times([['inactive_since', 'Since when it is inactive (17+).']]),
  { name: 'conflicting', type: 'boolean', kind: 'label', description: 'Invalidated by recovery (16+).' },
  ...labels([['invalidation_reason', 'Why it is lost (17+).']]),
  { name: 'failover', type: 'boolean', kind: 'label', description: 'Kept in step on standbys (17+).' },
  {
    name: 'synced',
    type: 'boolean',
    kind: 'label',
    description: 'Kept in step with that of a primary (17+); false once its standby was promoted.',
  },
  ...labels([['slotsync_skip_reason', 'Why it was not copied the last time (19+).']]),
] as const;

const stats = [
  ...counters('count', [
    ['spill_txns', 'Transactions spilled to disk.'],
    ['spill_count', 'Times that transactions were spilled.'],
  ]),
  ...counters('bytes', [['spill_bytes', 'Decoded data spilled to disk.']]),
  ...counters('count', [
    ['stream_txns', 'Transactions streamed while in progress.'],
    ['stream_count', 'Times that transactions were streamed.'],
  ]),
  ...counters('bytes', [['stream_bytes', 'Decoded data streamed while in progress.']]),
  ...counters('count', [
    ['mem_exceeded_count', 'Times that decoding took more than logical_decoding_work_mem (19+).'],
    ['total_txns', 'Transactions sent.'],
  ]),
  ...counters('bytes', [['total_bytes', 'Decoded data sent.']]),
  ...counters('count', [['slotsync_skip_count', 'Times it was not copied from the primary (19+).']]),
  ...times([
    ['slotsync_last_skip', 'When it was not copied last (19+).'],
    ['stats_reset', 'Last reset of these statistics.'],
  ]),
];

const known = ({ columns }: Capabilities, name: string) => columns.get(VIEW)?.has(name) === true;

const viewed = slot.filter(({ name }) => name !== 'synced');

/** The mark stays on the slots of a standby that was promoted, where nothing keeps them in step any more. */
const syncedOf = (capabilities: Capabilities) =>
  known(capabilities, 'synced') ? '(s.synced and pg_catalog.pg_is_in_recovery())' : 'null::boolean';

/** What nobody reads from and keeps WAL all the same; a lost slot keeps none. */
export const ABANDONED: readonly Condition[] = [
  { column: 'active', in: [false] },
  { column: 'wal_status', notIn: ['lost'] },
  { column: 'is_abandoned', notIn: [false] },
];

/** From here on an abandoned slot is worth waking a person for; the rule and the check judge by it. */
export const ABANDONED_WITH_MUCH: readonly Condition[] = [
  ...ABANDONED,
  { column: 'retained_bytes', least: 2 ** 30 },
];

/** Those of sessions go with them, and those copied from a primary are lost and at risk there. */
const OWN: readonly Condition[] = [
  { column: 'temporary', notIn: [true] },
  { column: 'synced', notIn: [true] },
];

/** A consumer that restarts leaves its slot alone for a moment, and a failover manager advances slots that nobody is in. */
const LEFT_ALONE_MS = 60_000;
const LEFT_ALONE = "interval '60 seconds'";

const hasMoved = (now: CellOf, before: CellOf): boolean =>
  ['active', 'restart_lsn', 'confirmed_flush_lsn'].some((column) => before(column) !== now(column));

/**
 * A slot that something advances is in use, although nobody is connected to it: it moves between two readings. Where the server
 * does not say since when nobody uses it, it has to hold still for as long from one reading to another.
 */
export const stillSlots: Compare = ({ rows, at }, before) => {
  const known = new Map(before?.map((row) => [row.slot_name, row]));
  return rows.map((row) => {
    if (row.active !== false) return row;
    const last = known.get(row.slot_name);
    const isStill =
      last !== undefined &&
      !hasMoved(
        (column) => row[column] ?? null,
        (column) => last[column] ?? null,
      );
    const seen = isStill ? Date.parse(String(last.still_since)) : at;
    const since = Number.isNaN(seen) ? at : seen;
    // That it moved is seen by the reading before alone; for how long nobody used it the server may know itself.
    const isLeft =
      at - since >= LEFT_ALONE_MS || ((row.inactive_since ?? null) !== null && (isStill || !last));
    return {
      ...row,
      still_since: new Date(since).toISOString(),
      is_abandoned: row.is_abandoned === true && isLeft,
    };
  });
};

/** The server invalidates a slot that was unused for idle_replication_slot_timeout (18+), which is off until a person sets it. */
export const ENDED_AS_CONFIGURED = 'idle_timeout';

export const probe = defineProbe({
  name: 'pg_replication_slots',
  description: 'Replication slots, lost ones too, and what they retain.',
  level: 'S',
  intervalSeconds: 300,
  guardSeconds: 600,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW, STATS],
  columns: [
    ...slot,
    { name: 'xmin', type: 'bigint', kind: 'label', description: 'Oldest transaction whose rows it keeps.' },
    { name: 'catalog_xmin', type: 'bigint', kind: 'label', description: 'The same for the catalogs.' },
    ...gauges('bytes', [
      [
        'retained_bytes',
        'WAL kept for it; null without a position to keep WAL from, as of a lost slot or one that reserves none.',
      ],
    ]),
    ...times([
      ['still_since', 'Since when it was seen to hold still, without a consumer; null while it has one.'],
    ]),
    {
      name: 'is_abandoned',
      type: 'boolean',
      kind: 'label',
      description:
        'It is inactive, does not advance and keeps WAL; not so for synchronized slots of a standby, which the server advances.',
    },
    ...stats,
  ],
  metrics: [
    {
      name: 'inactive',
      unit: '',
      description: '1 while the slot is inactive, does not advance and retains 1 GB of WAL or more.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'rows', where: ABANDONED_WITH_MUCH },
    },
    {
      name: 'max_retained_bytes',
      unit: 'bytes',
      description: 'WAL kept for the slot that keeps most.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'gauge', column: 'retained_bytes' },
    },
    {
      name: 'lost',
      unit: '',
      description:
        '1 when the server has invalidated the slot, unless idle_replication_slot_timeout ended it; one copied from a primary counts there.',
      combine: 'max',
      worse: 'more',
      value: {
        kind: 'rows',
        where: [
          ...OWN,
          { column: 'wal_status', in: ['lost'] },
          { column: 'invalidation_reason', notIn: [ENDED_AS_CONFIGURED] },
        ],
      },
    },
    {
      name: 'at_risk',
      unit: '',
      description: '1 while the next checkpoint may remove WAL that the slot needs.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'rows', where: [...OWN, { column: 'wal_status', in: ['unreserved'] }] },
    },
    {
      name: 'days_left',
      unit: 'days',
      description:
        'Until the WAL kept for the slot fills its disk, or is removed at max_slot_wal_keep_size, as it grows now.',
      combine: 'min',
      worse: 'less',
      value: { kind: 'days left', of: 'replication_slot' },
    },
  ],
  compare: stillSlots,
  // More than a server can have: checks hold their number against its limits.
  caps: { maxRows: 10_000, maxText: 1024, timeoutMs: 5000 },
  sql: (capabilities) => `with here as materialized (
  select
    case
      when pg_catalog.pg_is_in_recovery()
      then greatest(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn())
      else pg_catalog.pg_current_wal_lsn()
    end as lsn
)
select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, viewed)},
  ${syncedOf(capabilities)} as synced,
  s.xmin::text::bigint as xmin,
  s.catalog_xmin::text::bigint as catalog_xmin,
  case
    when s.wal_status is distinct from 'lost'
    then ${notBelowZero('pg_catalog.pg_wal_lsn_diff(h.lsn, s.restart_lsn)')}
  end::bigint as retained_bytes,
  not s.active
    and not s.temporary
    and s.wal_status is distinct from 'lost'
    and s.restart_lsn is not null
    and pg_catalog.pg_wal_lsn_diff(h.lsn, s.restart_lsn) > 0
    and ${syncedOf(capabilities)} is not true
    and ${known(capabilities, 'inactive_since') ? `s.inactive_since <= pg_catalog.clock_timestamp() - ${LEFT_ALONE}` : 'true'}
    as is_abandoned,
  null::timestamptz as still_since,
${viewColumns(capabilities, { view: STATS, alias: 't' }, stats)}
from ${VIEW} s
cross join here h
left join ${STATS} t on t.slot_name = s.slot_name`,
});
