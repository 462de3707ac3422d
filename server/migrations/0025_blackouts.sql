-- Blackouts: when which part of the estate is kept quiet; and the schedules that make them.

create table matriarch.blackout_schedules (
  id serial primary key,
  scope text not null,
  -- Of the connection, the cluster or the group; whoever deletes that deletes these in the same transaction.
  scope_id integer,
  database_name text,
  name text not null,
  cron_expression text not null,
  duration_minutes integer not null,
  timezone text not null,
  reason text not null default '',
  enabled boolean not null default true,
  -- What was due up to then makes no blackout: it was made, enabled or given other times at that moment.
  since timestamptz not null,
  -- Goes up with every change, so that nothing is made of what was read before it.
  revision integer not null default 1,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint blackout_schedules_scope_known check (scope in ('estate', 'group', 'cluster', 'server')),
  constraint blackout_schedules_scope_has_id check ((scope = 'estate') = (scope_id is null)),
  constraint blackout_schedules_database_of_server check (database_name is null or scope = 'server'),
  constraint blackout_schedules_duration_range check (duration_minutes between 1 and 10080)
);
create index blackout_schedules_scope_idx on matriarch.blackout_schedules (scope, scope_id);

create table matriarch.blackouts (
  id serial primary key,
  scope text not null,
  scope_id integer,
  database_name text,
  reason text not null default '',
  start_time timestamptz not null,
  end_time timestamptz not null,
  created_by text not null,
  created_at timestamptz not null,
  schedule_id integer,
  constraint blackouts_schedule_id_fkey foreign key (schedule_id)
    references matriarch.blackout_schedules (id) on delete set null,
  constraint blackouts_scope_known check (scope in ('estate', 'group', 'cluster', 'server')),
  constraint blackouts_scope_has_id check ((scope = 'estate') = (scope_id is null)),
  constraint blackouts_database_of_server check (database_name is null or scope = 'server'),
  constraint blackouts_ends_after_start check (end_time >= start_time)
);
-- A time of a schedule makes one blackout, whoever makes it and however often it is tried.
create unique index blackouts_schedule_tick_key on matriarch.blackouts (schedule_id, start_time)
  where schedule_id is not null;
create index blackouts_scope_idx on matriarch.blackouts (scope, scope_id);
create index blackouts_start_idx on matriarch.blackouts (start_time desc, id desc);
create index blackouts_end_idx on matriarch.blackouts (end_time);

-- Times of schedules that have made their blackout, kept while they could be tried again: one that somebody deleted
-- since is not made anew.
create table matriarch.blackout_ticks (
  schedule_id integer not null,
  tick timestamptz not null,
  primary key (schedule_id, tick),
  constraint blackout_ticks_schedule_id_fkey foreign key (schedule_id)
    references matriarch.blackout_schedules (id) on delete cascade
);
create index blackout_ticks_tick_idx on matriarch.blackout_ticks (tick);
