-- What was read of the logs of monitored servers. The position in each file is written in one transaction with what was read up to it, so
-- that nothing is lost and nothing is there twice, whatever ends the process that reads.

-- How reading is doing, for each connection.
create table matriarch.log_sources (
  connection_id integer not null,
  -- Null: nothing can be read.
  format text,
  reason text,
  mend text,
  looked_at timestamptz not null,
  -- Events from then on were read; null: none yet.
  reading_since timestamptz,
  constraint log_sources_pkey primary key (connection_id),
  constraint log_sources_format_known check (format in ('jsonlog', 'csvlog', 'stderr'))
);

create table matriarch.log_files (
  connection_id integer not null,
  file_name text not null,
  -- As the server listed it last.
  size_bytes bigint not null,
  modified_at timestamptz not null,
  -- All bytes before it were read, or are a gap.
  position bigint not null,
  -- The start of the file, by which another one of the same name is noticed.
  head_bytes integer not null,
  head_hash text not null,
  constraint log_files_pkey primary key (connection_id, file_name)
);

-- Bytes that were never read.
create table matriarch.log_gaps (
  id bigserial,
  connection_id integer not null,
  noticed_at timestamptz not null,
  file_name text not null,
  bytes bigint not null,
  reason text not null,
  constraint log_gaps_pkey primary key (id),
  constraint log_gaps_reason_known check (reason in ('removed', 'truncated', 'replaced', 'format_changed', 'line_too_long'))
);
create index log_gaps_connection_idx on matriarch.log_gaps (connection_id, noticed_at desc);
create index log_gaps_noticed_idx on matriarch.log_gaps (noticed_at);

-- Every event is counted here; the class is '' of what no class knows.
create table matriarch.log_counts (
  connection_id integer not null,
  minute timestamptz not null,
  class text not null,
  sqlstate text not null,
  severity text not null,
  database_name text not null,
  events bigint not null,
  -- Of those, how many are rows of log_events.
  kept bigint not null,
  constraint log_counts_pkey primary key (connection_id, minute, class, sqlstate, severity, database_name)
);
create index log_counts_minute_idx on matriarch.log_counts (minute);

-- Events of classes that matter, with masked texts.
create table matriarch.log_events (
  id bigserial,
  connection_id integer not null,
  occurred_at timestamptz not null,
  class text not null,
  severity text not null,
  sqlstate text not null,
  database_name text not null,
  user_name text not null,
  application_name text not null,
  process_id text not null,
  message text not null,
  detail text not null,
  hint text not null,
  context text not null,
  statement text not null,
  figures jsonb not null,
  is_cut boolean not null,
  constraint log_events_pkey primary key (id)
);
create index log_events_connection_idx on matriarch.log_events (connection_id, occurred_at desc, id desc);
create index log_events_class_idx on matriarch.log_events (connection_id, class, occurred_at desc, id desc);
create index log_events_occurred_idx on matriarch.log_events (occurred_at);
