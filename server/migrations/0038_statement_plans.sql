-- How the statements that cost most are planned, as it was seen last, and how before that.
create table matriarch.statement_plans (
  connection_id integer not null references matriarch.connections (id) on delete cascade,
  database_name text not null,
  queryid text not null,
  -- Nodes of the plan with their tables and indexes.
  shape text not null,
  seen_at timestamptz not null,
  -- What the statement had cost by then, and all statements of the database.
  calls double precision not null,
  time_ms double precision not null,
  all_ms double precision not null,
  -- The plan before; null: no other was seen.
  previous_shape text,
  previous_mean_ms double precision,
  previous_calls double precision,
  changed_at timestamptz,
  -- Counters of when the plan before was seen last.
  base_calls double precision,
  base_time_ms double precision,
  base_all_ms double precision,
  constraint statement_plans_pkey primary key (connection_id, database_name, queryid)
);
