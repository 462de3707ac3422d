-- What assistants may read of the datastore by SQL: views that show each session what its process number was registered for, and nothing
-- else. The role that reads them is made when it is first needed; it sees this schema alone.
create schema matriarch_query;

-- Sessions that may read, each with the connections that its caller could see when it began. Only we write here.
create table matriarch.query_sessions (
  pid integer not null,
  connection_ids integer[] not null,
  began_at timestamptz not null default now(),
  constraint query_sessions_pkey primary key (pid)
);

-- Read by the views below alone. These end with offset 0, so that no condition of a statement is looked at, or estimated, before theirs: how
-- long something takes tells nothing of rows that are not shown.
create view matriarch.query_visible as
select v.connection_id
from matriarch.query_sessions q
cross join lateral unnest(q.connection_ids) as v (connection_id)
where q.pid = pg_catalog.pg_backend_pid();

create view matriarch_query.connections with (security_barrier) as
select
  c.id, c.name, c.description, c.host, c.port, c.database_name, c.ssl_mode, c.is_shared, c.is_monitored, c.created_at, c.updated_at,
  s.last_connected_at, s.last_error_at, s.connection_error, s.failing_since
from matriarch.connections c
left join matriarch.connection_states s on s.connection_id = c.id
where c.deleted_at is null and c.id in (select v.connection_id from matriarch.query_visible v)
offset 0;

-- The newest run of each probe; one row for each row that it read.
create view matriarch_query.metrics with (security_barrier) as
select s.connection_id, s.probe, s.database_name, s.collected_at, s.outcome, s.reason, r.value as reading
from metrics.current_snapshots s
left join lateral jsonb_array_elements(case when jsonb_typeof(s.rows) = 'array' then s.rows end) as r (value) on true
where s.connection_id in (select v.connection_id from matriarch.query_visible v)
offset 0;

-- What changes rarely, such as settings and versions, with the time that it held.
create view matriarch_query.facts with (security_barrier) as
select f.connection_id, f.probe, f.database_name, f.item_key, f.valid_from, f.valid_to, f.value
from metrics.facts f
where f.connection_id in (select v.connection_id from matriarch.query_visible v)
offset 0;

create view matriarch_query.alerts with (security_barrier) as
select
  a.id, a.connection_id, a.alert_type, a.raised_by, a.rule_id, a.database_name, a.object_name, a.probe_name, a.metric_name,
  a.metric_value, a.metric_unit, a.operator, a.threshold_value, a.severity, a.title, a.description, a.status, a.triggered_at,
  a.cleared_at, a.last_updated, a.acknowledged_at, a.acknowledged_by, a.ack_message, a.false_positive
from matriarch.alerts a
where a.connection_id in (select v.connection_id from matriarch.query_visible v)
offset 0;

-- What holds for each connection.
create view matriarch_query.rules with (security_barrier) as
select e.connection_id, e.rule_id, r.name, e.operator, e.threshold, e.severity, e.is_enabled, e.source
from matriarch.effective_alert_rules e
join matriarch.alert_rules r on r.id = e.rule_id
where e.connection_id in (select v.connection_id from matriarch.query_visible v)
offset 0;

-- One row for each connection that a blackout holds for.
create view matriarch_query.blackouts with (security_barrier) as
select b.id, s.connection_id, b.scope, b.database_name, b.reason, b.start_time, b.end_time, b.created_by, b.created_at, b.schedule_id
from matriarch.blackouts b
join matriarch.connection_scopes s on b.scope = 'estate'
  or b.scope = 'server' and b.scope_id = s.connection_id
  or b.scope = 'cluster' and b.scope_id = s.cluster_id
  or b.scope = 'group' and b.scope_id = s.group_id
where s.connection_id in (select v.connection_id from matriarch.query_visible v)
offset 0;

create view matriarch_query.findings with (security_barrier) as
select
  f.id, f.connection_id, f.check_name, f.database_name, f.object_name, f.severity, f.message, f.figure, f.figure_unit, f.remedy,
  f.proof, f.first_seen_at, f.opened_at, f.figured_at, f.last_seen_at, f.resolved_at, f.muted_until
from matriarch.findings f
where f.connection_id in (select v.connection_id from matriarch.query_visible v)
offset 0;

create view matriarch_query.timeline with (security_barrier) as
select e.connection_id, e.occurred_at, 'alert_' || e.event_type as event_type, a.title, e.severity, e.actor, e.message, e.alert_id as subject_id
from matriarch.alert_events e
join matriarch.alerts a on a.id = e.alert_id
where e.connection_id in (select v.connection_id from matriarch.query_visible v)
union all
select b.connection_id, t.at, t.event_type, b.scope, null, b.created_by, b.reason, b.id
from matriarch_query.blackouts b
cross join lateral (values (b.start_time, 'blackout_started'), (b.end_time, 'blackout_ended')) as t (at, event_type)
where t.at <= now()
offset 0;
