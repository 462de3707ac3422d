-- What was collected. Rows of these tables start with connection_id and refer to nothing, so that they can be
-- distributed, rotated and purged without touching anything else.

-- The newest run of each probe on each connection (and database, '' for the whole server): one row answers "latest".
create table metrics.current_snapshots (
  connection_id integer not null,
  probe text not null,
  database_name text not null default '',
  -- When rows were last collected successfully; null while that never happened.
  collected_at timestamptz,
  attempted_at timestamptz not null,
  took_ms double precision,
  -- ran | skipped | failed, with the reason and, where one exists, the SQL that mends it.
  outcome text not null,
  reason text,
  mend text,
  -- The rows of a gauge probe as [{…}]; null for change-tracked probes, whose rows are in metrics.facts.
  rows jsonb,
  row_count integer,
  -- Hash of a change-tracked probe's rows: while it stays the same, metrics.facts is not touched.
  content_hash text,
  primary key (connection_id, probe, database_name),
  constraint current_snapshots_outcome_known check (outcome in ('ran', 'skipped', 'failed'))
);

-- Slow facts (settings, extensions, server identity) as change history: a row is one item's value over a time.
create table metrics.facts (
  connection_id integer not null,
  probe text not null,
  database_name text not null default '',
  item_key text not null,
  valid_from timestamptz not null,
  valid_to timestamptz,
  value jsonb not null,
  primary key (connection_id, probe, database_name, item_key, valid_from)
);
create index facts_current_idx on metrics.facts (connection_id, probe, database_name, item_key) where valid_to is null;
