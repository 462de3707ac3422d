-- What is usual of a metric on each server and database, for alerts of values that are not. Made anew once a day from what
-- was collected, so nothing is lost with a row.
create table matriarch.metric_baselines (
  connection_id integer not null references matriarch.connections (id) on delete cascade,
  database_name text not null default '',
  metric text not null,
  made_at timestamptz not null default now(),
  -- The first value that is known.
  known_since timestamptz not null,
  -- By hour of the week in UTC from Monday 00:00 (1 to 168), by hour of the day (169 to 192), and of all hours (193); null:
  -- there are too few values.
  medians double precision[] not null,
  spreads double precision[] not null,
  primary key (connection_id, database_name, metric),
  constraint metric_baselines_lengths check (cardinality(medians) = 193 and cardinality(spreads) = 193)
);
