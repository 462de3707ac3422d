-- What the probes are set to: for the whole estate, and over that for a group, a cluster or a server. Small tables:
-- reference tables when distributed.

-- Each writing of a row takes the next number. Whoever has seen how many rows there are and the sum of their numbers
-- sees by the same two whether anything was changed, added or deleted since; no writer waits for another one.
create sequence matriarch.probe_settings_revisions;

create table matriarch.probe_configs (
  id serial primary key,
  probe_name text not null,
  -- As the probe is built, written anew at each start. A probe that is no longer built keeps its row.
  default_interval_seconds integer not null,
  default_retention_days integer not null,
  -- What people set for the whole estate; null: as it is built, and enabled.
  is_enabled boolean,
  interval_seconds integer,
  retention_days integer,
  revision bigint not null default nextval('matriarch.probe_settings_revisions'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint probe_configs_probe_name_key unique (probe_name),
  constraint probe_configs_interval_range check (interval_seconds between 5 and 86400),
  constraint probe_configs_retention_range check (retention_days between 1 and 3650)
);

create table matriarch.probe_overrides (
  -- Of the connection, the cluster or the group; whoever deletes that deletes these in the same transaction.
  scope text not null,
  scope_id integer not null,
  probe_name text not null references matriarch.probe_configs (probe_name),
  is_enabled boolean not null,
  interval_seconds integer not null,
  retention_days integer not null,
  revision bigint not null default nextval('matriarch.probe_settings_revisions'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (scope, scope_id, probe_name),
  constraint probe_overrides_scope_known check (scope in ('server', 'cluster', 'group')),
  constraint probe_overrides_interval_range check (interval_seconds between 5 and 86400),
  constraint probe_overrides_retention_range check (retention_days between 1 and 3650)
);
create index probe_overrides_probe_name_idx on matriarch.probe_overrides (probe_name);

-- What each probe is set to for each connection. The most specific override wins whole: server, cluster, group; then
-- the estate's row, member by member; then how the probe is built. Cluster and group are those of connection_scopes: a
-- dismissed cluster sets nothing, and what is in no group belongs to the default one. override_scope_id is the id of the
-- server, cluster or group whose override it is, else null.
create view matriarch.effective_probe_settings as
select
  c.connection_id,
  p.probe_name,
  coalesce(s.is_enabled, k.is_enabled, g.is_enabled, p.is_enabled, true) as is_enabled,
  coalesce(
    s.interval_seconds, k.interval_seconds, g.interval_seconds, p.interval_seconds, p.default_interval_seconds
  ) as interval_seconds,
  coalesce(
    s.retention_days, k.retention_days, g.retention_days, p.retention_days, p.default_retention_days
  ) as retention_days,
  case
    when s.scope_id is not null then 'server'
    when k.scope_id is not null then 'cluster'
    when g.scope_id is not null then 'group'
    when coalesce(p.is_enabled::text, p.interval_seconds::text, p.retention_days::text) is not null then 'global'
    else 'built_in'
  end as override_level,
  coalesce(s.scope_id, k.scope_id, g.scope_id) as override_scope_id
from matriarch.connection_scopes c
cross join matriarch.probe_configs p
left join matriarch.probe_overrides s
  on s.scope = 'server' and s.scope_id = c.connection_id and s.probe_name = p.probe_name
left join matriarch.probe_overrides k
  on k.scope = 'cluster' and k.scope_id = c.cluster_id and k.probe_name = p.probe_name
left join matriarch.probe_overrides g
  on g.scope = 'group' and g.scope_id = c.group_id and g.probe_name = p.probe_name;

-- Also: disabled, by somebody here.
alter table metrics.current_snapshots
  drop constraint current_snapshots_cause_known,
  add constraint current_snapshots_cause_known check (
    cause in ('masked', 'missing_extension', 'missing_grant', 'not_applicable', 'disabled')
  );
