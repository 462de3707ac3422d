-- Plans come from the log, and from extensions that count the runs of each plan. The same run may be in both, so the figures of each are kept by
-- themselves. A collector of the version before, which still runs while this is applied, knows the log alone.
alter table matriarch.query_plans add column source text not null default 'log';
alter table matriarch.query_plans
  drop constraint query_plans_shape_once,
  add constraint query_plans_shape_once unique (connection_id, database_name, statement_key, plan_hash, source),
  add constraint query_plans_source_known check (source in ('log', 'pg_store_plans', 'pg_stat_plans'));

-- What an extension had counted when it was read last: what it counts from then on has happened since.
create table matriarch.plan_counters (
  connection_id integer not null,
  source text not null,
  -- Counts the readings: one that began before another was kept is dropped.
  reading bigint not null,
  read_at timestamptz not null,
  -- Identity and start of the server, where they were known.
  server_instance text,
  -- False: the server had more plans than were read.
  is_whole boolean not null,
  -- For each plan its key, what was counted, since when, and the shape that it has; an empty one could not be read.
  items jsonb not null,
  constraint plan_counters_pkey primary key (connection_id, source)
);
