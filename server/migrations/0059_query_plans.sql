-- Plans of statements as auto_explain logged them and as they were planned without values: one row for each shape that a statement's plan
-- has had, with what its runs took.
create table matriarch.query_plans (
  id bigserial,
  connection_id integer not null,
  database_name text not null,
  -- The queryid; where the log does not say it, `text:` and a hash of the statement without its constants.
  statement_key text not null,
  plan_hash text not null,
  -- The nodes in a line, cut.
  outline text not null,
  nodes integer not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  -- How often it was read in the log, and planned by us.
  logged bigint not null,
  planned bigint not null,
  last_logged timestamptz,
  total_ms double precision not null,
  worst_ms double precision,
  -- Runs that were measured (auto_explain.log_analyze), and what these summed up to.
  analyzed bigint not null,
  -- Runs of which blocks were logged (auto_explain.log_buffers).
  buffered bigint not null,
  total_rows double precision not null,
  hit_blocks double precision not null,
  read_blocks double precision not null,
  temp_blocks double precision not null,
  jit_ms double precision not null,
  -- Of each node the worst: how many times as many rows as estimated; below 0: as few.
  misestimates real[] not null,
  -- Since when no other plan of the statement was logged, and what its runs took since then.
  since timestamptz,
  since_logged bigint not null,
  since_ms double precision not null,
  -- The slowest run that was read, as JSON of EXPLAIN with masked values; null: it was too large.
  example text,
  example_at timestamptz not null,
  example_ms double precision,
  constraint query_plans_pkey primary key (id),
  constraint query_plans_shape_once unique (connection_id, database_name, statement_key, plan_hash)
);
create index query_plans_statement_idx on matriarch.query_plans (connection_id, statement_key);
create index query_plans_seen_idx on matriarch.query_plans (last_seen);
