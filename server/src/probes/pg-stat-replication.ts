// Replication seen from both ends: a row for each sender (role primary, on cascading standbys too), and on a standby
// one for its receiver (role standby, pid 0 while there is none). Guards: lag is against the position of now, so a
// sender that stalls is seen; what nothing reports is null, never 0; connection strings are never read.
import type { Condition } from './metric-types.ts';
import { defineProbe } from './types.ts';
import { flags, labels, notBelowZero, times } from './view-columns.ts';

/** A client that only receives, as pg_receivewal, replays nothing: it is as far as what it has flushed, else written. */
const REACHED = 'coalesce(s.replay_lsn, s.flush_lsn, s.write_lsn)';

const seconds = (name: string) => `extract(epoch from s.${name})::double precision`;

const receiver = [
  { name: 'receiver_pid', type: 'integer', kind: 'label', description: 'Process of the receiver.' },
  ...labels([
    ['receiver_status', 'connecting (19+), streaming, waiting, …'],
    ['receive_start_lsn', 'Where receiving began.'],
  ]),
  { name: 'receive_start_tli', type: 'integer', kind: 'label', description: 'Timeline on which it began.' },
  ...labels([
    ['written_lsn', 'Written by the receiver.'],
    ['receiver_flushed_lsn', 'Flushed by the receiver.'],
  ]),
  { name: 'received_tli', type: 'integer', kind: 'label', description: 'Timeline of what was flushed.' },
  ...times([
    ['last_msg_send_time', 'When the sender sent its last message.'],
    ['last_msg_receipt_time', 'When that arrived.'],
  ]),
  ...labels([['latest_end_lsn', 'Last position reported to the sender.']]),
  ...times([['latest_end_time', 'When that was reported.']]),
  ...labels([
    ['receiver_slot_name', 'Slot that the receiver uses.'],
    ['sender_host', 'Server it streams from.'],
  ]),
  { name: 'sender_port', type: 'integer', kind: 'label', description: 'Port it streams from.' },
  ...labels([['replay_pause_state', 'not paused, pause requested or paused.']]),
] as const;

const nulls = receiver.map(({ name, type }) => `  null::${type} as ${name}`).join(',\n');

/**
 * Of the WAL receiver `r`: whether WAL reaches it. One that is connecting (19+) has not reached its server; one that waits was told that
 * there is no more WAL on its timeline, for good where the upstream server took another before the standby did.
 */
export const IS_STREAMING = "(r.status in ('connecting', 'waiting')) is not true";

/** The rules and the checks judge by these. */
export const DISCONNECTED: readonly Condition[] = [
  { column: 'role', in: ['standby'] },
  { column: 'pid', in: [0] },
  { column: 'is_disconnected', notIn: [false] },
];
const LATE: readonly Condition[] = [
  { column: 'role', in: ['standby'] },
  { column: 'is_on_time', notIn: [true] },
];

/** Of a row `d`: its delay in seconds, and the age of what was replayed last or, before that, of the server's start. */
const ON_TIME = `d.delay > 0 and (
    d.age <= d.delay + 60
    or exists (
      select
      from pg_catalog.pg_stat_activity a
      where a.backend_type = 'startup' and a.wait_event = 'RecoveryApplyDelay'
    )
  )`;

export const probe = defineProbe({
  name: 'pg_stat_replication',
  description: 'Senders to standbys and subscribers, and the receiver of a standby.',
  level: 'S',
  intervalSeconds: 30,
  guardSeconds: 60,
  retentionDays: 7,
  keeps: 'samples',
  hidden: { without: 'pg_read_all_stats', column: 'state' },
  columns: [
    { name: 'role', type: 'text', kind: 'key', description: 'primary: a sender; standby: the receiver.' },
    {
      name: 'pid',
      type: 'integer',
      kind: 'key',
      description: 'Process; 0 on a standby without a connected receiver.',
    },
    { name: 'usesysid', type: 'bigint', kind: 'label', description: 'Object id of the role.' },
    ...labels([
      ['usename', 'Role.'],
      ['application_name', 'What the other end calls itself.'],
      ['client_addr', 'Its address; null for a socket.'],
      ['client_hostname', 'Its name, with log_hostname.'],
    ]),
    { name: 'client_port', type: 'integer', kind: 'label', description: 'Its TCP port; -1 a socket.' },
    ...times([['backend_start', 'When it connected.']]),
    {
      name: 'backend_xmin',
      type: 'bigint',
      kind: 'label',
      description: "The standby's horizon, with hot_standby_feedback.",
    },
    ...labels([
      ['state', 'startup, catchup, streaming, backup, stopping.'],
      ['sent_lsn', 'Sent so far.'],
      ['write_lsn', 'Written there.'],
      ['flush_lsn', 'Flushed there.'],
      ['replay_lsn', 'Replayed there; in a row of role standby, here.'],
    ]),
    ...(['write_lag', 'flush_lag', 'replay_lag'] as const).map(
      (name) =>
        ({
          name,
          type: 'double precision',
          kind: 'gauge',
          unit: 'seconds',
          description:
            'Time until recent WAL was confirmed; of role standby, age of what was replayed last: without a receiver by its own clock, as if that of the primary were the same. Null where unknown, as without a stream.',
        }) as const,
    ),
    {
      name: 'lag_bytes',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      combine: 'max',
      description:
        'From the current position to what is replayed, else flushed, else written. On a standby null while neither a stream nor received WAL tells how far the primary is.',
    },
    {
      name: 'behind_peers_bytes',
      type: 'bigint',
      kind: 'gauge',
      unit: 'bytes',
      combine: 'max',
      description:
        'From what the most advanced standby has replayed to what this one has; null without another, and of a logical sender.',
    },
    { name: 'sync_priority', type: 'integer', kind: 'label', description: 'Rank as a synchronous standby.' },
    ...labels([['sync_state', 'async, potential, sync, quorum.']]),
    ...times([['reply_time', 'When it last replied.']]),
    ...receiver,
    ...flags([
      [
        'is_disconnected',
        'Of role standby: it receives from no server although it should; not so while it lives on archived WAL, or waits on purpose.',
      ],
      ['is_on_time', 'Of role standby: what it has not replayed yet waits for recovery_min_apply_delay.'],
    ]),
  ],
  metrics: [
    {
      name: 'standby_disconnected',
      unit: '',
      description: '1 while a standby that should stream receives from no server.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'rows', where: DISCONNECTED },
    },
    {
      name: 'replay_age_seconds',
      unit: 'seconds',
      description:
        'Age of what a standby has replayed last, while there is more to replay that does not wait for recovery_min_apply_delay.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'gauge', column: 'replay_lag', where: LATE },
    },
  ],
  // More than a server can have: checks hold their number against its limits.
  caps: { maxRows: 10_000, maxText: 1024, timeoutMs: 5000 },
  sql: () => `with here as materialized (
  select
    pg_catalog.pg_is_in_recovery() as in_recovery,
    case
      when pg_catalog.pg_is_in_recovery()
      then greatest(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn())
      else pg_catalog.pg_current_wal_lsn()
    end as lsn,
    case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_receive_lsn() end as received,
    case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn() end as replayed,
    case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_xact_replay_timestamp() end as replayed_at
), receiver as materialized (
  -- Since 19 one is there before it has reached its server, and while that does not answer.
  select
    r.*,
    ${IS_STREAMING} as is_connected,
    -- Messages say when they were sent by the clock of the sender, and when they came by the one here. Less may be the way.
    case
      when pg_catalog.abs(extract(epoch from r.last_msg_receipt_time - r.last_msg_send_time)) >= 30
      then r.last_msg_receipt_time - r.last_msg_send_time
    end as clock_ahead
  from pg_catalog.pg_stat_wal_receiver r
), target as materialized (
  select
    case
      when r.is_connected then greatest(h.received, h.replayed, r.latest_end_lsn)
      when h.received > h.replayed then h.received
    end as lsn,
    extract(epoch from coalesce(pg_catalog.clock_timestamp() - r.clock_ahead, pg_catalog.clock_timestamp()) - h.replayed_at) as age
  from here h
  left join receiver r on true
)
select
  'primary' as role,
  s.pid,
  s.usesysid::bigint as usesysid,
  s.usename::text as usename,
  s.application_name,
  pg_catalog.host(s.client_addr) as client_addr,
  s.client_hostname,
  s.client_port,
  s.backend_start,
  s.backend_xmin::text::bigint as backend_xmin,
  s.state,
  s.sent_lsn::text as sent_lsn,
  s.write_lsn::text as write_lsn,
  s.flush_lsn::text as flush_lsn,
  s.replay_lsn::text as replay_lsn,
  ${seconds('write_lag')} as write_lag,
  ${seconds('flush_lag')} as flush_lag,
  ${seconds('replay_lag')} as replay_lag,
  (${notBelowZero(`pg_catalog.pg_wal_lsn_diff(h.lsn, ${REACHED})`)})::bigint as lag_bytes,
  case
    when not l.is_logical and pg_catalog.count(s.replay_lsn) over (partition by l.is_logical) > 1
    then pg_catalog.pg_wal_lsn_diff(pg_catalog.max(s.replay_lsn) over (partition by l.is_logical), s.replay_lsn)
  end::bigint as behind_peers_bytes,
  s.sync_priority,
  s.sync_state,
  s.reply_time,
${nulls},
  null::boolean as is_disconnected,
  null::boolean as is_on_time
from pg_catalog.pg_stat_replication s
cross join here h
cross join lateral (
  select exists (
    select
    from pg_catalog.pg_replication_slots o
    where o.active_pid = s.pid and o.slot_type = 'logical'
  ) as is_logical
) l
union all
select
  'standby',
  case when r.is_connected then r.pid else 0 end,
  null, null, null, null, null, null, null, null, null, null, null, null,
  h.replayed::text,
  null, null,
  case
    when t.lsn = h.replayed then 0
    -- Without a receiver nothing tells the clock of the primary; that it is ahead shows here.
    when t.lsn is not null and t.age > -30 then ${notBelowZero('t.age')}
  end::double precision,
  pg_catalog.pg_wal_lsn_diff(t.lsn, h.replayed)::bigint,
  null, null, null, null,
  r.pid,
  r.status,
  r.receive_start_lsn::text,
  r.receive_start_tli,
  r.written_lsn::text,
  r.flushed_lsn::text,
  r.received_tli,
  r.last_msg_send_time,
  r.last_msg_receipt_time,
  r.latest_end_lsn::text,
  r.latest_end_time,
  r.slot_name::text,
  r.sender_host,
  r.sender_port,
  pg_catalog.pg_get_wal_replay_pause_state(),
  case
    when r.is_connected then false
    when ${ON_TIME} then false
    when pg_catalog.current_setting('restore_command') = '' then true
    -- Its connection string is not read, only whether there is one.
    when pg_catalog.pg_has_role('pg_read_all_settings', 'usage')
    then pg_catalog.current_setting('primary_conninfo') <> ''
    else false
  end,
  ${ON_TIME}
from here h
cross join target t
cross join (
  select
    extract(epoch from pg_catalog.current_setting('recovery_min_apply_delay')::interval)::double precision as delay,
    extract(epoch from pg_catalog.clock_timestamp() - coalesce(
      case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_xact_replay_timestamp() end,
      pg_catalog.pg_postmaster_start_time()
    ))::double precision as age
) d
left join receiver r on true
where h.in_recovery`,
});
