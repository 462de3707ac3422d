-- Alert rules with what people set them to, and the alerts that they and the connections themselves have raised.

create table matriarch.alert_rules (
  id serial primary key,
  name text not null,
  -- As the rule is built, written anew at each start. A rule that is no longer built keeps its row.
  built_operator text not null,
  built_threshold double precision not null,
  built_severity text not null,
  built_enabled boolean not null,
  -- What people set for the whole estate; null: as it is built.
  operator text,
  threshold double precision,
  severity text,
  is_enabled boolean,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint alert_rules_name_key unique (name),
  constraint alert_rules_operator_known check (operator in ('>', '>=', '<', '<=', '==', '!=')),
  constraint alert_rules_severity_known check (severity in ('info', 'warning', 'critical'))
);

create table matriarch.alert_overrides (
  -- Of the connection, the cluster or the group; whoever deletes that deletes these in the same transaction.
  scope text not null,
  scope_id integer not null,
  rule_id integer not null,
  operator text not null,
  threshold double precision not null,
  severity text not null,
  is_enabled boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (scope, scope_id, rule_id),
  constraint alert_overrides_rule_id_fkey foreign key (rule_id) references matriarch.alert_rules (id) on delete cascade,
  constraint alert_overrides_scope_known check (scope in ('server', 'cluster', 'group')),
  constraint alert_overrides_operator_known check (operator in ('>', '>=', '<', '<=', '==', '!=')),
  constraint alert_overrides_severity_known check (severity in ('info', 'warning', 'critical'))
);
create index alert_overrides_rule_id_idx on matriarch.alert_overrides (rule_id);

-- What each rule is set to for each connection: the most specific override whole, else the estate's values, else as
-- built. source says which of these it is.
create view matriarch.effective_alert_rules as
select
  c.connection_id,
  r.id as rule_id,
  coalesce(s.operator, k.operator, g.operator, r.operator, r.built_operator) as operator,
  coalesce(s.threshold, k.threshold, g.threshold, r.threshold, r.built_threshold) as threshold,
  coalesce(s.severity, k.severity, g.severity, r.severity, r.built_severity) as severity,
  coalesce(s.is_enabled, k.is_enabled, g.is_enabled, r.is_enabled, r.built_enabled) as is_enabled,
  case
    when s.rule_id is not null then 'server'
    when k.rule_id is not null then 'cluster'
    when g.rule_id is not null then 'group'
    when coalesce(r.operator, r.threshold::text, r.severity, r.is_enabled::text) is not null then 'global'
    else 'built_in'
  end as source
from matriarch.connection_scopes c
cross join matriarch.alert_rules r
left join matriarch.alert_overrides s
  on s.scope = 'server' and s.scope_id = c.connection_id and s.rule_id = r.id
left join matriarch.alert_overrides k
  on k.scope = 'cluster' and k.scope_id = c.cluster_id and k.rule_id = r.id
left join matriarch.alert_overrides g
  on g.scope = 'group' and g.scope_id = c.group_id and g.rule_id = r.id;

create table matriarch.alerts (
  id bigserial primary key,
  alert_type text not null,
  -- What raised it, for its key: rule:<name>, anomaly:<metric> or connection.
  raised_by text not null,
  rule_id integer,
  connection_id integer not null,
  database_name text not null default '',
  object_name text not null default '',
  probe_name text,
  metric_name text,
  metric_value double precision,
  metric_unit text,
  operator text,
  threshold_value double precision,
  -- Where operator, threshold and severity came from at the newest evaluation.
  threshold_source text,
  severity text not null,
  title text not null,
  description text not null,
  correlation_id text,
  -- The open alert that this one follows from, and that is told instead.
  cause_id bigint,
  status text not null default 'active',
  triggered_at timestamptz not null,
  cleared_at timestamptz,
  last_updated timestamptz not null,
  -- The newest sample that was judged, and how many in a row did not meet the condition.
  sampled_at timestamptz,
  well_samples integer not null default 0,
  anomaly_score double precision,
  anomaly_details text,
  acknowledged_at timestamptz,
  acknowledged_by text,
  ack_message text,
  false_positive boolean not null default false,
  ai_analysis text,
  ai_analysis_metric_value double precision,
  constraint alerts_rule_id_fkey foreign key (rule_id) references matriarch.alert_rules (id) on delete set null,
  constraint alerts_cause_id_fkey foreign key (cause_id) references matriarch.alerts (id) on delete set null,
  constraint alerts_type_known check (alert_type in ('threshold', 'anomaly', 'connection')),
  constraint alerts_severity_known check (severity in ('info', 'warning', 'critical')),
  constraint alerts_status_known check (status in ('active', 'acknowledged', 'cleared')),
  constraint alerts_cleared_has_time check ((status = 'cleared') = (cleared_at is not null)),
  constraint alerts_acknowledged_has_time check (status <> 'acknowledged' or acknowledged_at is not null)
);
-- One open alert for each of them, whoever evaluates.
create unique index alerts_open_key on matriarch.alerts (connection_id, raised_by, database_name, object_name)
  where status <> 'cleared';
create index alerts_connection_idx on matriarch.alerts (connection_id, triggered_at desc, id desc);
create index alerts_triggered_idx on matriarch.alerts (triggered_at desc, id desc);
create index alerts_cleared_idx on matriarch.alerts (cleared_at) where status = 'cleared';
create index alerts_cause_idx on matriarch.alerts (cause_id) where cause_id is not null;

-- Conditions that are met but have not lasted as long as their rule asks.
create table matriarch.pending_alerts (
  connection_id integer not null,
  raised_by text not null,
  database_name text not null default '',
  object_name text not null default '',
  -- The first of the samples in a row that meet the condition, and the newest.
  since timestamptz not null,
  sampled_at timestamptz not null,
  primary key (connection_id, raised_by, database_name, object_name)
);

-- What happened to an alert: written in the transaction that did it, and what the timeline tells.
create table matriarch.alert_events (
  id bigserial primary key,
  alert_id bigint not null,
  connection_id integer not null,
  event_type text not null,
  occurred_at timestamptz not null,
  severity text not null,
  -- The user; null: the alerter.
  actor text,
  message text,
  metric_value double precision,
  constraint alert_events_alert_id_fkey foreign key (alert_id) references matriarch.alerts (id) on delete cascade,
  constraint alert_events_type_known check (
    event_type in ('fired', 'severity_changed', 'acknowledged', 'unacknowledged', 'cleared')
  )
);
create index alert_events_alert_id_idx on matriarch.alert_events (alert_id);
create index alert_events_connection_idx on matriarch.alert_events (connection_id, occurred_at desc);

-- A metric that gave a false positive stays quiet on that connection and database for a while.
create table matriarch.alert_mutes (
  connection_id integer not null,
  raised_by text not null,
  database_name text not null default '',
  -- The alert that was called a false positive.
  alert_id bigint not null,
  until_time timestamptz not null,
  primary key (connection_id, raised_by, database_name),
  constraint alert_mutes_alert_id_fkey foreign key (alert_id) references matriarch.alerts (id) on delete cascade
);
create index alert_mutes_alert_id_idx on matriarch.alert_mutes (alert_id);
