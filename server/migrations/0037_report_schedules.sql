-- Reports by email on a schedule. They wait in the outbox beside what is told of alerts; what they say is put together when they
-- are sent, by what their owner may see then.

create table matriarch.report_schedules (
  id serial primary key,
  name text not null,
  scope text not null,
  -- Of the connection or the cluster, which may be gone since: the schedule says so then.
  scope_id integer,
  -- Null: it was deleted, and nothing is sent until another is chosen.
  channel_id integer,
  -- With whose eyes the report is seen.
  owner_user_id integer not null,
  cron_expression text not null,
  timezone text not null,
  enabled boolean not null default true,
  -- When the next one is due; null: never.
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint report_schedules_channel_id_fkey foreign key (channel_id)
    references matriarch.notification_channels (id) on delete set null,
  constraint report_schedules_owner_user_id_fkey foreign key (owner_user_id)
    references matriarch.users (id) on delete cascade,
  constraint report_schedules_scope_known check (scope in ('estate', 'cluster', 'server')),
  constraint report_schedules_scope_has_id check ((scope = 'estate') = (scope_id is null))
);
create index report_schedules_next_idx on matriarch.report_schedules (next_at) where enabled;
create index report_schedules_channel_id_idx on matriarch.report_schedules (channel_id);
create index report_schedules_owner_user_id_idx on matriarch.report_schedules (owner_user_id);

alter table matriarch.notifications
  alter column alert_id drop not null,
  alter column connection_id drop not null,
  -- For a report in place of an alert and its connection: the schedule, and which of its times.
  add column report_schedule_id integer,
  add column tick timestamptz,
  add constraint notifications_report_schedule_id_fkey foreign key (report_schedule_id)
    references matriarch.report_schedules (id) on delete cascade,
  drop constraint notifications_kind_known,
  add constraint notifications_kind_known check (kind in ('fire', 'clear', 'reminder', 'acknowledge', 'report')),
  add constraint notifications_of_alert_or_report check (
    case kind
      when 'report' then report_schedule_id is not null and tick is not null and alert_id is null
      else report_schedule_id is null and alert_id is not null and connection_id is not null
    end
  );
-- A time of a schedule makes one report, whoever makes it and however often it is tried.
create unique index notifications_report_key on matriarch.notifications (report_schedule_id, tick)
  where report_schedule_id is not null;
