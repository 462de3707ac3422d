-- What checks found on each server, and what came of it. Everything is made from what was collected; only mutes are people's.
create table matriarch.findings (
  id bigserial primary key,
  connection_id integer not null references matriarch.connections (id) on delete cascade,
  check_name text not null,
  -- '': the server as a whole.
  database_name text not null default '',
  -- Tells it from other findings of the check in that database; for objects their oid.
  object_key text not null default '',
  object_name text not null default '',
  severity text not null,
  message text not null,
  figure double precision,
  figure_unit text,
  -- What the figure should be after the remedy, and what it was when the finding was opened.
  promised double precision,
  first_figure double precision,
  evidence jsonb not null,
  evidence_rows jsonb not null default '[]'::jsonb,
  remedy text not null,
  -- Begin of what was counted; null: it is of one moment.
  counted_since timestamptz,
  proof text not null,
  -- first_seen_at is of the first time ever, opened_at of this time.
  first_seen_at timestamptz not null,
  opened_at timestamptz not null,
  -- Of the figures.
  figured_at timestamptz not null,
  last_seen_at timestamptz not null,
  resolved_at timestamptz,
  -- What the figure is since; null: nobody can tell, or it is still open.
  figure_after double precision,
  muted_at timestamptz,
  muted_until timestamptz,
  mute_reason text,
  muted_by text,
  constraint findings_key unique (connection_id, check_name, database_name, object_key),
  constraint findings_severity_known check (severity in ('info', 'warning', 'critical')),
  constraint findings_proof_known check (proof in ('stated', 'measured', 'tried', 'confirmed')),
  constraint findings_mute_whole check ((muted_at is null) = (muted_until is null))
);
create index findings_open_idx on matriarch.findings (connection_id) where resolved_at is null;

-- How the figure of a finding went; at most one in an hour.
create table matriarch.finding_figures (
  finding_id bigint not null references matriarch.findings (id) on delete cascade,
  at timestamptz not null,
  figure double precision,
  severity text not null,
  primary key (finding_id, at)
);

-- When each server was judged last, and what could not be.
create table matriarch.finding_runs (
  connection_id integer primary key references matriarch.connections (id) on delete cascade,
  evaluated_at timestamptz not null,
  -- Before that it is judged more often, since each minute brings something new.
  first_evaluated_at timestamptz not null,
  checks integer not null,
  -- [{check_name, database_name, because, mend}]
  unknown jsonb not null default '[]'::jsonb
);
