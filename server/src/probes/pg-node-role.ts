// What a server is to others: primary, standby, publisher, subscriber, spock node, several of these or none. Guards:
// of connection strings only host, port and database are read, never a password; what our role may not read is null.
import {
  hasSpock,
  partOf,
  SLOTS,
  SPOCK_VIEWS,
  SUBSCRIPTION,
  spock,
  subscriptions,
} from './node-role-parts.ts';
import { IS_STREAMING } from './pg-stat-replication.ts';
import { defineProbe } from './types.ts';
import { gauges, labels, times } from './view-columns.ts';

const boolean = (name: string, description: string) =>
  ({ name, type: 'boolean', kind: 'label', description }) as const;
const integer = (name: string, description: string) =>
  ({ name, type: 'integer', kind: 'label', description }) as const;

export const probe = defineProbe({
  name: 'pg_node_role',
  description: 'The part a server plays in replication.',
  level: 'S',
  intervalSeconds: 300,
  guardSeconds: 600,
  retentionDays: 30,
  keeps: 'samples',
  onIdentity: true,
  views: [SUBSCRIPTION, ...SPOCK_VIEWS],
  columns: [
    boolean('is_in_recovery', 'True on a standby.'),
    integer('timeline_id', 'Timeline; of a standby the one it follows.'),
    boolean('has_binary_standbys', 'Standbys stream from it.'),
    ...gauges('count', [['binary_standby_count', 'Standbys that stream from it.']]),
    boolean('is_streaming_standby', 'It streams from another server.'),
    ...labels([['upstream_host', 'Server that a standby streams from.']]),
    integer('upstream_port', 'Its port.'),
    ...labels([
      ['received_lsn', 'Received by a standby.'],
      ['replayed_lsn', 'Replayed by a standby.'],
    ]),
    ...gauges('count', [
      ['publication_count', "Publications in the connection's own database."],
      ['subscription_count', 'Subscriptions in all databases.'],
      ['active_subscription_count', 'Of these with a worker at work.'],
    ]),
    boolean('has_spock', 'The extension spock is installed and may be read.'),
    { name: 'spock_node_id', type: 'bigint', kind: 'label', description: 'Its id as a node of spock.' },
    ...labels([['spock_node_name', 'Its name as a node of spock.']]),
    ...gauges('count', [['spock_subscription_count', 'Subscriptions of spock.']]),
    ...labels([
      [
        'primary_role',
        'standalone, binary_primary, binary_standby, logical_publisher, logical_subscriber, ' +
          'logical_bidirectional, spock_node or spock_standby.',
      ],
    ]),
    { name: 'role_flags', type: 'text[]', kind: 'label', description: 'All parts it plays.' },
    {
      name: 'role_details',
      type: 'jsonb',
      kind: 'label',
      description:
        'Standbys, publications, subscriptions, slots, spock, own address: what the parts rest on.',
    },
    ...labels([['publisher_host', 'Publisher of the first subscription; null where it may not be read.']]),
    integer('publisher_port', 'Its port.'),
    boolean('has_active_logical_slots', 'A standby or subscriber reads its changes.'),
    ...gauges('count', [['active_logical_slot_count', 'Logical slots in use.']]),
    ...times([['postmaster_start_time', 'When the server was started.']]),
  ],
  caps: { maxRows: 1, maxBytes: 1024 * 1024, maxText: 1024, timeoutMs: 5000 },
  sql: (capabilities) => `with recovery as materialized (
  select pg_catalog.pg_is_in_recovery() as is_in_recovery
), conninfo as materialized (
  select pg_catalog.max(g.setting) as primary_conninfo
  from pg_catalog.pg_settings g
  where g.name = 'primary_conninfo'
), receiver as materialized (
  select ${IS_STREAMING} as is_connected, r.received_tli, r.sender_host, r.sender_port, r.slot_name
  from pg_catalog.pg_stat_wal_receiver r
  limit 1
), standbys as materialized (
  select
    pg_catalog.count(*) as binary_standby_count,
    pg_catalog.jsonb_agg(
      pg_catalog.jsonb_build_object(
        'application_name', s.application_name,
        'client_addr', pg_catalog.host(s.client_addr),
        'slot_name', s.slot_name,
        'state', s.state,
        'sync_state', s.sync_state
      ) order by s.pid
    ) filter (where s.nth <= 100) as standby_details
  from (
    select w.*, o.slot_name, pg_catalog.row_number() over (order by w.pid) as nth
    from pg_catalog.pg_stat_replication w
    left join pg_catalog.pg_replication_slots o on o.active_pid = w.pid
    where w.state is distinct from 'backup'
      and w.application_name not in ('pg_receivewal', 'pg_basebackup', 'pg_recvlogical')
      and o.slot_type is distinct from 'logical'
      -- What only receives, as backup tools do under names of their own, never says that it replayed.
      and (w.replay_lsn is not null or w.write_lsn is null)
  ) s
), publications as materialized (
  select
    pg_catalog.count(*) as publication_count,
    pg_catalog.jsonb_agg(b.pubname order by b.pubname) filter (where b.nth <= 100) as publication_details
  from (
    select p.pubname, pg_catalog.row_number() over (order by p.pubname) as nth
    from pg_catalog.pg_publication p
  ) b
), subscriptions as materialized (
  ${subscriptions(capabilities)}
), slots as materialized (
  ${SLOTS}
), spock as materialized (
  ${spock(capabilities)}
), flags as materialized (
  select
    ${hasSpock(capabilities)} as has_spock,
    k.spock_node_id is not null as is_spock,
    r.is_in_recovery as is_standby,
    s.binary_standby_count > 0 as is_primary,
    p.publication_count > 0 or l.active_logical_slot_count > 0 as is_publisher,
    u.subscription_count > 0 as is_subscriber
  from recovery r
  cross join standbys s
  cross join publications p
  cross join slots l
  cross join subscriptions u
  cross join spock k
)
select
  y.is_in_recovery,
  case
    when not y.is_in_recovery
    then ('x' || pg_catalog."left"(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::bit(32)::integer
    else coalesce(
      r.received_tli,
      ${capabilities.may_read_control ? '(select c.timeline_id from pg_catalog.pg_control_checkpoint() c)' : 'null'}
    )
  end as timeline_id,
  f.is_primary as has_binary_standbys,
  s.binary_standby_count,
  y.is_in_recovery and coalesce(r.is_connected, false) as is_streaming_standby,
  case when y.is_in_recovery then coalesce(r.sender_host, ${partOf('i.primary_conninfo', 'host')}) end as upstream_host,
  case
    when y.is_in_recovery then coalesce(r.sender_port, ${partOf('i.primary_conninfo', 'port')}::integer)
  end as upstream_port,
  case when y.is_in_recovery then pg_catalog.pg_last_wal_receive_lsn()::text end as received_lsn,
  case when y.is_in_recovery then pg_catalog.pg_last_wal_replay_lsn()::text end as replayed_lsn,
  p.publication_count,
  u.subscription_count,
  u.active_subscription_count,
  f.has_spock,
  k.spock_node_id,
  k.spock_node_name,
  k.spock_subscription_count,
  case
    when f.is_spock and f.is_standby then 'spock_standby'
    when f.is_spock then 'spock_node'
    when f.is_standby then 'binary_standby'
    when f.is_primary then 'binary_primary'
    when f.is_publisher and f.is_subscriber then 'logical_bidirectional'
    when f.is_publisher then 'logical_publisher'
    when f.is_subscriber then 'logical_subscriber'
    else 'standalone'
  end as primary_role,
  pg_catalog.array_remove(
    array[
      case when f.is_spock and f.is_standby then 'spock_standby' end,
      case when f.is_spock and not f.is_standby then 'spock_node' end,
      case when f.is_standby then 'binary_standby' end,
      case when f.is_primary then 'binary_primary' end,
      case when f.is_publisher and f.is_subscriber then 'logical_bidirectional' end,
      case when f.is_publisher then 'logical_publisher' end,
      case when f.is_subscriber then 'logical_subscriber' end
    ]::text[],
    null
  ) as role_flags,
  pg_catalog.jsonb_strip_nulls(
    pg_catalog.jsonb_build_object(
      'standbys', s.standby_details,
      'publications', p.publication_details,
      'subscriptions', u.subscription_details,
      'subscribers', l.subscriber_details,
      'logical_slots', l.slot_details,
      'receiver_slot_name', r.slot_name,
      'server_address', pg_catalog.host(pg_catalog.inet_server_addr()),
      'server_port', pg_catalog.inet_server_port(),
      'spock_version', k.spock_version,
      'spock_subscriptions', k.spock_details
    )
  ) as role_details,
  u.publisher_host,
  u.publisher_port,
  l.active_logical_slot_count > 0 as has_active_logical_slots,
  l.active_logical_slot_count,
  pg_catalog.pg_postmaster_start_time() as postmaster_start_time
from recovery y
cross join conninfo i
cross join flags f
cross join standbys s
cross join publications p
cross join subscriptions u
cross join slots l
cross join spock k
left join receiver r on true`,
});
