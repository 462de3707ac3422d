-- How the background work of each process does, for whoever has to know that it fails: alerts, findings, upkeep, delivery.
create table matriarch.part_states (
  part text not null,
  -- The process; its rows go when it stops.
  owner text not null,
  -- Since when every attempt has failed; null: it works.
  failing_since timestamptz,
  -- One sentence for people; the cause is in the log.
  failure text,
  reported_at timestamptz not null default now(),
  constraint part_states_pkey primary key (part, owner)
);
