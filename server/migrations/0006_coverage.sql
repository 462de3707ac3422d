-- Coverage, the collector's own cost, and the ledger of what it ran on the servers it watches.

-- Why a run was skipped or shows less than there is: masked | missing_extension | missing_grant | not_applicable.
alter table metrics.current_snapshots
  add column cause text,
  add constraint current_snapshots_cause_known check (
    cause in ('masked', 'missing_extension', 'missing_grant', 'not_applicable')
  );

-- When somebody last asked to try again at once whatever is not collected.
alter table matriarch.connections add column retest_requested_at timestamptz;

-- What each probe costs its server, over the last hour; the probe `collector` is what the collector asks beside them.
create table matriarch.probe_costs (
  connection_id integer not null,
  probe text not null,
  -- The counts are since then; not earlier than an hour before they were written.
  since timestamptz not null,
  runs integer not null,
  total_ms double precision not null,
  max_ms double precision not null,
  rows bigint not null,
  bytes bigint,
  -- Most sessions held at a time; of the probe `collector` only.
  sessions integer,
  -- Share of one core that it takes at this interval; null while it has not run lately.
  cost_percent double precision,
  -- How often it runs now; more than its declaration when it is slowed down, and then the note says why.
  interval_seconds double precision not null,
  note text,
  written_at timestamptz not null default now(),
  primary key (connection_id, probe)
);

-- Every statement the collector ever ran on a monitored server, once for all of them, by the hash of its text.
create table matriarch.statements (
  fingerprint text primary key,
  name text not null,
  -- Where in the program it stands.
  source text not null,
  text text not null
);

create table matriarch.statement_ledger (
  connection_id integer not null,
  fingerprint text not null,
  first_run_at timestamptz not null,
  last_run_at timestamptz not null,
  runs bigint not null,
  failures bigint not null,
  primary key (connection_id, fingerprint)
);
