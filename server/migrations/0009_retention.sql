-- Rollups are packed by the day, connections may keep a probe for longer or shorter than its declaration says, and
-- whatever outlives its policy can be seen.

-- m15p and h1p hold days of rollups that are over, packed.
alter table matriarch.tier_tables
  drop constraint tier_tables_tier_known,
  add constraint tier_tables_tier_known check (tier in ('packed', 'm1', 'm15', 'h1', 'm15p', 'h1p')),
  -- Whether its rows name objects of the dictionary, which are kept for as long then.
  add column names_objects boolean not null default true,
  -- The longest that any connection keeps it, as the maintenance job last saw; null before it did.
  add column longest_retention_days integer;

alter table matriarch.metric_tables add column longest_retention_days integer;

-- How often probes run where that is not what they declare, and since when: a hole in what was sampled is only one
-- beside the interval of its time. Rows come from the compaction job; those older than two weeks are forgotten.
create table matriarch.interval_changes (
  connection_id integer not null,
  probe text not null,
  since timestamptz not null,
  interval_seconds double precision not null,
  primary key (connection_id, probe, since)
);

-- Partitions of metrics that are there although everything in them is older than anybody keeps it, by more than the
-- day that the maintenance job has for dropping them. Empty when all is well.
create view matriarch.overdue_partitions as
select
  k.probe,
  k.table_name,
  c.relname::text as partition_name,
  e.ended_at,
  k.retention_days,
  extract(epoch from now() - e.ended_at) / 86400 - k.retention_days as overdue_days
from (
  select m.probe, m.table_name, coalesce(m.longest_retention_days, m.retention_days) as retention_days, false as is_monthly
  from matriarch.metric_tables m
  union all
  select
    t.probe, t.table_name, coalesce(t.longest_retention_days, t.retention_days),
    t.tier in ('m15', 'h1', 'm15p', 'h1p')
  from matriarch.tier_tables t
) k
join pg_catalog.pg_class p on p.relname = k.table_name and p.relnamespace = 'metrics'::regnamespace
join pg_catalog.pg_inherits i on i.inhparent = p.oid
join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relname ~ '_d[0-9]{8}$'
cross join lateral (
  select (
    to_date(right(c.relname, 8), 'YYYYMMDD') + case when k.is_monthly then interval '1 month' else interval '1 day' end
  ) at time zone 'UTC' as ended_at
) e
where e.ended_at < now() - make_interval(days => k.retention_days + 1);

-- Active sessions were rolled up by combination, which nobody read; from now on by class of wait.
drop table if exists
  metrics.pg_active_sessions__m1, metrics.pg_active_sessions__m15, metrics.pg_active_sessions__h1;
delete from matriarch.tier_tables where probe = 'pg_active_sessions' and tier <> 'packed';
