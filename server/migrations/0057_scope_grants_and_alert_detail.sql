-- Groups of users are granted clusters and groups of clusters, with every server that belongs to them, now or later.
-- Small tables that every process reads at each request: reference tables when distributed.
create table matriarch.group_scopes (
  group_id integer not null references matriarch.groups (id) on delete cascade,
  scope text not null,
  -- Of matriarch.clusters or of matriarch.cluster_groups.
  scope_id integer not null,
  access_level text not null,
  -- The group was made for users who were given this by name, and is to have nothing else.
  by_name boolean not null default false,
  created_at timestamptz not null default now(),
  constraint group_scopes_pkey primary key (group_id, scope, scope_id),
  constraint group_scopes_scope_known check (scope in ('cluster', 'group')),
  constraint group_scopes_level_known check (access_level in ('read', 'read_write'))
);
create index group_scopes_scope_id_idx on matriarch.group_scopes (scope, scope_id);

-- Servers that inherit what is granted on their cluster. Detection reads what servers say of themselves, so its word
-- alone gives no access: a row is made by a user who may give it, or for a server with the system identifier that a
-- member had when that user admitted it (decision 012).
create table matriarch.access_members (
  connection_id integer not null,
  cluster_id integer not null references matriarch.clusters (id) on delete cascade,
  -- What the server reported when it was admitted; null: it had not been read.
  system_identifier text,
  created_at timestamptz not null default now(),
  constraint access_members_pkey primary key (connection_id)
);
create index access_members_cluster_id_idx on matriarch.access_members (cluster_id);

-- What each group of users holds on each connection through its cluster or through the group of that cluster. A server
-- that left the cluster, and one of a dismissed cluster, inherit nothing.
create view matriarch.inherited_grants as
select gs.group_id, gs.scope, gs.scope_id, gs.access_level, am.connection_id
from matriarch.group_scopes gs
join matriarch.clusters cl
  on gs.scope_id = case gs.scope when 'cluster' then cl.id else cl.group_id end and not cl.dismissed
join matriarch.access_members am on am.cluster_id = cl.id
join matriarch.connections mc on mc.id = am.connection_id and mc.cluster_id = am.cluster_id and mc.deleted_at is null;

-- Who or what causes the value, such as the session that blocks others; it stands in the description as well. Null: not
-- known. An alert from before gets it with its next sample.
alter table matriarch.alerts add column detail text;
