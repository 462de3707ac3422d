-- The metrics store's fixed tables. Those of the probes are made from their declarations when collecting starts.

-- Every object that samples are about (a table, an index, a statement), once: ticks name it by its small id. Ids are
-- given by whoever holds the connection's lease, counting up within the connection.
create table metrics.objects (
  connection_id integer not null,
  object_id integer not null,
  -- The probe whose object it is.
  kind text not null,
  database_name text not null default '',
  -- The values of the key columns, as one text that fits into an index entry, and by name.
  object_key text not null,
  key jsonb not null,
  labels jsonb not null,
  first_seen timestamptz not null,
  -- Not older than the truth by more than a day while the object exists.
  last_seen timestamptz not null,
  primary key (connection_id, object_id),
  constraint objects_key_key unique (connection_id, kind, database_name, object_key)
);

-- Batches that were written: a collector that does not know whether its commit arrived asks here.
create table matriarch.batch_ledger (
  collector text not null,
  epoch bigint not null,
  seq bigint not null,
  written_at timestamptz not null default now(),
  primary key (collector, epoch, seq)
);
create index batch_ledger_written_at_idx on matriarch.batch_ledger (written_at);

-- Work that one process at a time does. The time of the last run is stored, so that a restart never resets it.
create table matriarch.jobs (
  name text primary key,
  owner text not null default '',
  -- Grows with each taking; whoever slept through its lease finishes nothing.
  epoch bigint not null default 0,
  expires_at timestamptz not null default '-infinity',
  last_started_at timestamptz,
  last_run_at timestamptz,
  -- What the last run did and what it could not do.
  report jsonb
);

-- The tables that hold samples, with the policy of their probe as it was last declared: a probe that is no longer
-- in the catalog still loses its old samples.
create table matriarch.metric_tables (
  table_name text primary key,
  probe text not null,
  layout text not null,
  interval_seconds integer not null,
  retention_days integer not null,
  constraint metric_tables_layout_known check (layout in ('samples', 'objects'))
);
