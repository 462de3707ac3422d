-- Logs that others send. A client that hears no answer sends a batch again: its hash is stored in one transaction with what it held, so
-- that nothing is counted twice.
create table matriarch.log_batches (
  connection_id integer not null,
  batch_hash bytea not null,
  received_at timestamptz not null,
  constraint log_batches_pkey primary key (connection_id, batch_hash)
);
create index log_batches_received_idx on matriarch.log_batches (received_at);

-- One way at a time: files that are read, or records that are sent.
alter table matriarch.log_sources drop constraint log_sources_format_known;
alter table matriarch.log_sources add constraint log_sources_format_known
  check (format in ('jsonlog', 'csvlog', 'stderr', 'otlp'));
