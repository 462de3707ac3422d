// How far each database (template0 too) is from running out of transaction and multixact ids, and who keeps vacuum
// from freezing there: a session, a prepared transaction, a slot or a standby. Guards: the holder is the oldest of
// those that bind this database, and never one whose snapshot is only as old as a transaction of another that is still open, nor one
// that vacuums, whose snapshot the server itself leaves out: to end those would not help. Ages are
// counted by the server itself, so nothing here wraps.
import { defineProbe } from './types.ts';
import { gauges, labels, notBelowZero, times } from './view-columns.ts';

const ratio = (name: string, description: string) =>
  ({ name, type: 'double precision', kind: 'gauge', combine: 'max', description }) as const;

const holders = `select
    a.datid,
    'session' as kind,
    a.pid,
    pg_catalog.concat_ws(' ', a.usename, nullif(a.application_name, '')) as holder,
    greatest(pg_catalog.age(a.backend_xmin), pg_catalog.age(a.backend_xid)) as xmin_age,
    pg_catalog.age(a.backend_xid) as own_age,
    coalesce(a.xact_start, a.backend_start) as since
  from pg_catalog.pg_stat_activity a
  where a.pid <> pg_catalog.pg_backend_pid()
    and coalesce(a.leader_pid, a.pid) not in (select v.pid from vacuuming v)
    and a.backend_type is distinct from 'walsender'
    and (a.backend_xmin is not null or a.backend_xid is not null)
  union all
  select null, 'standby', a.pid, a.application_name, pg_catalog.age(a.backend_xmin), null, a.backend_start
  from pg_catalog.pg_stat_replication a
  where a.backend_xmin is not null
  union all
  select d.oid, 'prepared transaction', null, p.gid, pg_catalog.age(p.transaction), pg_catalog.age(p.transaction), p.prepared
  from prepared p
  join pg_catalog.pg_database d on d.datname = p.database
  union all
  select
    null,
    'replication slot',
    s.active_pid,
    s.slot_name::text,
    greatest(pg_catalog.age(s.xmin), pg_catalog.age(s.catalog_xmin)),
    null,
    null
  from pg_catalog.pg_replication_slots s
  where (s.xmin is not null or s.catalog_xmin is not null)
    and s.wal_status is distinct from 'lost'`;

export const probe = defineProbe({
  name: 'pg_wraparound',
  description: 'Age of transaction and multixact ids, and who holds the horizon back.',
  level: 'S',
  intervalSeconds: 300,
  guardSeconds: 600,
  retentionDays: 30,
  keeps: 'samples',
  columns: [
    { name: 'datname', type: 'text', kind: 'key', description: 'Database, templates included.' },
    ...gauges('transactions', [
      ['xid_age', 'Transactions since the oldest unfrozen one.'],
      ['mxid_age', 'Multixacts since the oldest one.'],
      ['autovacuum_freeze_max_age', 'Age at which autovacuum is forced.'],
      ['autovacuum_multixact_freeze_max_age', 'The same for multixacts.'],
    ]),
    ratio('xid_freeze_ratio', 'xid_age over autovacuum_freeze_max_age; above 1 vacuum does not keep up.'),
    ratio('mxid_freeze_ratio', 'mxid_age over autovacuum_multixact_freeze_max_age.'),
    ...(['xid_percent', 'mxid_percent'] as const).map(
      (name) =>
        ({
          name,
          type: 'double precision',
          kind: 'gauge',
          unit: 'percent',
          combine: 'max',
          description: 'Of the 2,147,483,647 there are before the server stops.',
        }) as const,
    ),
    ...labels([
      ['holder_kind', 'session, prepared transaction, replication slot or standby; null: none.'],
      ['holder', 'Role and application, transaction, slot or standby that holds the horizon back.'],
    ]),
    { name: 'holder_pid', type: 'integer', kind: 'label', description: 'Its process, where it has one.' },
    ...gauges('transactions', [['holder_xmin_age', 'Transactions since the one it holds.']]),
    ...times([['holder_since', 'Since when, where known.']]),
    ...gauges('count', [['prepared_transactions', 'Prepared transactions of the database.']]),
    {
      name: 'prepared_seconds',
      type: 'double precision',
      kind: 'gauge',
      unit: 'seconds',
      description: 'Age of the oldest of these; 0 without any.',
    },
    { name: 'prepared_gid', type: 'text', kind: 'label', description: 'Name of the oldest of these.' },
  ],
  metrics: [
    {
      name: 'xid_days_left',
      unit: 'days',
      description: 'Until the server refuses commands that need a transaction id, as their age grows now.',
      combine: 'min',
      worse: 'less',
      value: { kind: 'days left', of: 'transaction_ids' },
    },
    {
      name: 'mxid_days_left',
      unit: 'days',
      description: 'Until the server refuses commands that need a multixact id, as their age grows now.',
      combine: 'min',
      worse: 'less',
      value: { kind: 'days left', of: 'multixact_ids' },
    },
  ],
  caps: { maxRows: 10_000, maxText: 255 },
  sql: () => `with limits as materialized (
  select
    pg_catalog.current_setting('autovacuum_freeze_max_age')::bigint as xids,
    pg_catalog.current_setting('autovacuum_multixact_freeze_max_age')::bigint as mxids
), prepared as materialized (
  select p.gid, p.database, p.prepared, p.transaction
  from pg_catalog.pg_prepared_xacts p
), vacuuming as materialized (
  select v.pid
  from pg_catalog.pg_stat_get_progress_info('VACUUM') v
), holders as materialized (
  ${holders}
), oldest as materialized (
  select distinct on (h.datid) h.*
  from holders h
  where h.own_age = h.xmin_age
    or h.kind = 'replication slot'
    or h.xmin_age not in (select o.own_age from holders o where o.own_age is not null)
  order by h.datid, h.xmin_age desc, h.own_age nulls last, h.since
), database as materialized (
  select
    d.oid,
    d.datname::text as datname,
    pg_catalog.age(d.datfrozenxid)::bigint as xid_age,
    pg_catalog.mxid_age(d.datminmxid)::bigint as mxid_age
  from pg_catalog.pg_database d
)
select
  d.datname,
  d.xid_age,
  d.mxid_age,
  l.xids as autovacuum_freeze_max_age,
  l.mxids as autovacuum_multixact_freeze_max_age,
  d.xid_age::double precision / l.xids as xid_freeze_ratio,
  d.mxid_age::double precision / l.mxids as mxid_freeze_ratio,
  100.0::double precision * d.xid_age / 2147483647 as xid_percent,
  100.0::double precision * d.mxid_age / 2147483647 as mxid_percent,
  o.kind as holder_kind,
  o.holder,
  o.pid as holder_pid,
  o.xmin_age::bigint as holder_xmin_age,
  o.since as holder_since,
  coalesce(w.transactions, 0) as prepared_transactions,
  coalesce(w.seconds, 0) as prepared_seconds,
  w.gid as prepared_gid
from database d
cross join limits l
left join lateral (
  select h.*
  from oldest h
  where h.datid = d.oid or coalesce(h.datid, 0) = 0
  order by h.xmin_age desc, h.own_age nulls last, h.since
  limit 1
) o on true
left join (
  select
    p.database,
    pg_catalog.count(*) as transactions,
    (pg_catalog.array_agg(p.gid order by p.prepared))[1] as gid,
    (${notBelowZero('extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.min(p.prepared))')})::double precision as seconds
  from prepared p
  group by p.database
) w on w.database = d.datname
order by d.datname`,
});
