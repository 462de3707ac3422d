-- Where alerts are told: channels, for whom they fire, and the outbox. Small tables but for the outbox.

create table matriarch.notification_channels (
  id serial primary key,
  channel_type text not null,
  name text not null,
  description text not null default '',
  enabled boolean not null default true,
  is_estate_default boolean not null default false,
  -- Who made it, and with which token.
  owner_user_id integer,
  owner_token_id integer,
  -- What is configured and no secret, by the members of the channel's type.
  config jsonb not null default '{}',
  template_alert_fire text,
  template_alert_clear text,
  template_reminder text,
  reminder_enabled boolean not null default false,
  reminder_interval_hours integer not null default 4,
  -- Deliveries that failed in a row because of the other side as a whole, and until when all of them wait.
  failures integer not null default 0,
  retry_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint notification_channels_owner_user_id_fkey foreign key (owner_user_id)
    references matriarch.users (id) on delete set null,
  constraint notification_channels_owner_token_id_fkey foreign key (owner_token_id)
    references matriarch.api_tokens (id) on delete set null,
  constraint notification_channels_reminder_range check (reminder_interval_hours between 1 and 720)
);
create index notification_channels_owner_user_id_idx on matriarch.notification_channels (owner_user_id);
create index notification_channels_owner_token_id_idx on matriarch.notification_channels (owner_token_id);

-- Each secret of a channel, sealed together with the destination it was entered for: it opens for no other.
create table matriarch.notification_channel_secrets (
  channel_id integer not null,
  -- A member such as smtp_password, or header:X-Team.
  name text not null,
  sealed bytea not null,
  destination text not null,
  primary key (channel_id, name),
  constraint notification_channel_secrets_channel_id_fkey foreign key (channel_id)
    references matriarch.notification_channels (id) on delete cascade
);

create table matriarch.email_recipients (
  id serial primary key,
  channel_id integer not null,
  email_address text not null,
  display_name text not null default '',
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  constraint email_recipients_channel_id_fkey foreign key (channel_id)
    references matriarch.notification_channels (id) on delete cascade
);
create unique index email_recipients_address_key on matriarch.email_recipients (channel_id, lower(email_address));

create table matriarch.channel_overrides (
  -- Of the connection, the cluster or the group; whoever deletes that deletes these in the same transaction.
  scope text not null,
  scope_id integer not null,
  channel_id integer not null,
  is_enabled boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (scope, scope_id, channel_id),
  constraint channel_overrides_scope_known check (scope in ('server', 'cluster', 'group')),
  constraint channel_overrides_channel_id_fkey foreign key (channel_id)
    references matriarch.notification_channels (id) on delete cascade
);
create index channel_overrides_channel_id_idx on matriarch.channel_overrides (channel_id);

-- Which channels are told of a connection's alerts: the most specific override, else whether it is the estate's default.
create view matriarch.connection_channels as
select
  c.connection_id,
  coalesce('cluster:' || c.cluster_id, 'server:' || c.connection_id) as group_key,
  n.id as channel_id
from matriarch.connection_scopes c
cross join matriarch.notification_channels n
left join matriarch.channel_overrides s
  on s.scope = 'server' and s.scope_id = c.connection_id and s.channel_id = n.id
left join matriarch.channel_overrides k
  on k.scope = 'cluster' and k.scope_id = c.cluster_id and k.channel_id = n.id
left join matriarch.channel_overrides g
  on g.scope = 'group' and g.scope_id = c.group_id and g.channel_id = n.id
where n.enabled and coalesce(s.is_enabled, k.is_enabled, g.is_enabled, n.is_estate_default);

-- The outbox: what is to be told to whom, written in the transaction that changed the alert.
create table matriarch.notifications (
  id bigserial primary key,
  alert_id bigint not null,
  connection_id integer not null,
  channel_id integer not null,
  kind text not null,
  sequence integer not null,
  -- The alert as it was then.
  facts jsonb not null,
  -- What is told together when it comes within moments: cluster:<id> or server:<id>.
  group_key text not null,
  state text not null default 'queued',
  queued_at timestamptz not null,
  due_at timestamptz not null,
  -- Given when it is first sent, alone or with others, and kept: the other side knows repetitions by it.
  message_id uuid,
  attempts integer not null default 0,
  -- While it is being sent: when whoever sends it counts as dead.
  lease_until timestamptz,
  -- What came of the newest attempt, in our own words.
  reply text,
  -- When it was sent or given up.
  ended_at timestamptz,
  constraint notifications_transition_key unique (alert_id, kind, sequence, channel_id),
  constraint notifications_alert_id_fkey foreign key (alert_id) references matriarch.alerts (id) on delete cascade,
  constraint notifications_channel_id_fkey foreign key (channel_id)
    references matriarch.notification_channels (id) on delete cascade,
  constraint notifications_kind_known check (kind in ('fire', 'clear', 'reminder', 'acknowledge')),
  constraint notifications_state_known check (state in ('queued', 'sending', 'sent', 'dead'))
);
create index notifications_waiting_idx on matriarch.notifications (channel_id, id) where state in ('queued', 'sending');
create index notifications_order_idx on matriarch.notifications (alert_id, channel_id, id);
create index notifications_message_id_idx on matriarch.notifications (message_id);
create index notifications_channel_id_idx on matriarch.notifications (channel_id, id desc);
create index notifications_dead_idx on matriarch.notifications (ended_at) where state = 'dead';

create table matriarch.notification_attempts (
  message_id uuid not null,
  attempt integer not null,
  channel_id integer not null,
  started_at timestamptz not null,
  -- Null while it is under way, and for good when whoever sent it died.
  ended_at timestamptz,
  outcome text,
  reply text,
  primary key (message_id, attempt),
  constraint notification_attempts_channel_id_fkey foreign key (channel_id)
    references matriarch.notification_channels (id) on delete cascade,
  constraint notification_attempts_outcome_known check (outcome in ('delivered', 'failed', 'interrupted'))
);
create index notification_attempts_channel_id_idx on matriarch.notification_attempts (channel_id);
