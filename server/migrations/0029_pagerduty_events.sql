-- Events of PagerDuty that were acted upon, so that the same one, sent again, does nothing.
create table matriarch.pagerduty_events (
  channel_id integer not null references matriarch.notification_channels (id) on delete cascade,
  event_id text not null,
  seen_at timestamptz not null default now(),
  primary key (channel_id, event_id)
);
create index pagerduty_events_seen_idx on matriarch.pagerduty_events (seen_at);
