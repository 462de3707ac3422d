-- Texts of statements, once for each that pg_stat_statements has ever named; secrets are blanked before they get here.
create table metrics.queries (
  connection_id integer not null,
  database_name text not null,
  queryid bigint not null,
  userid bigint not null,
  toplevel boolean not null,
  query_text text not null,
  first_seen timestamptz not null default now(),
  -- Within half a day; a text that nobody ran for a long time is removed.
  last_seen timestamptz not null default now(),
  primary key (connection_id, database_name, queryid, userid, toplevel)
);
create index queries_last_seen_idx on metrics.queries (last_seen);
