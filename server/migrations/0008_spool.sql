-- What the spool needs in the datastore: when leases changed hands, what was lost all the same, and how each spool does.

-- What is written late is refused only where somebody else had taken the lease before it was collected.
create table matriarch.lease_epochs (
  connection_id integer not null,
  epoch bigint not null,
  taken_at timestamptz not null default now(),
  primary key (connection_id, epoch)
);

-- Times of which samples were collected and had to be given up: the spool was full, its disk took nothing, bytes on it
-- were damaged, or memory ran out without a spool.
create table metrics.known_gaps (
  connection_id integer not null,
  began_at timestamptz not null,
  ended_at timestamptz not null,
  reason text not null,
  noted_at timestamptz not null default now(),
  primary key (connection_id, began_at),
  constraint known_gaps_reason_known check (reason in ('full', 'disk', 'damaged', 'memory')),
  constraint known_gaps_forward check (ended_at >= began_at)
);

-- What waits in the spool of each collector; null without one, and then the sentence says why.
alter table matriarch.collectors
  add column spool_bytes bigint,
  add column spool_problem text;
