-- Where servers belong: groups of clusters, clusters of servers, and who replicates from whom. What detection saw is
-- kept apart from what people said, so that neither overwrites the other. Small tables: reference tables when
-- distributed.
create table matriarch.cluster_groups (
  id serial primary key,
  name text not null,
  description text not null default '',
  owner_id integer references matriarch.users (id) on delete set null,
  is_shared boolean not null default false,
  -- Exactly one: where clusters go that nobody put elsewhere. It cannot be deleted.
  is_default boolean not null default false,
  -- Of groups that stand for something detected; null for those that people made.
  auto_group_key text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint cluster_groups_auto_group_key_key unique (auto_group_key)
);
create unique index cluster_groups_name_key on matriarch.cluster_groups (lower(name));
create unique index cluster_groups_default_key on matriarch.cluster_groups (is_default) where is_default;
insert into matriarch.cluster_groups (name, is_shared, is_default) values ('Servers', true, true);

create table matriarch.clusters (
  id serial primary key,
  -- null: the default group.
  group_id integer references matriarch.cluster_groups (id) on delete set null,
  name text not null,
  description text not null default '',
  -- False while the name is the one detection gave, which follows what it sees; true once a person has named it.
  named_by_hand boolean not null default false,
  -- null until detection or a person says so.
  replication_type text,
  -- spock:<prefix>, binary:<connection>, logical:<connection>, standalone:<connection>; null for clusters made by hand.
  auto_cluster_key text,
  -- A detected cluster that was deleted: hidden until somebody brings it back.
  dismissed boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint clusters_auto_cluster_key_key unique (auto_cluster_key),
  constraint clusters_replication_type_known check (replication_type in ('binary', 'spock', 'logical', 'other')),
  constraint clusters_dismissed_are_detected check (not dismissed or auto_cluster_key is not null)
);
create index clusters_group_id_idx on matriarch.clusters (group_id);
-- Names that people gave differ; those that detection gives follow what it sees and may not.
create unique index clusters_name_key on matriarch.clusters (lower(name)) where named_by_hand;

-- connections.cluster_id: the stored cluster a connection belongs to. membership_source 'manual' pins it there (null:
-- to no cluster), 'auto' lets detection put it.
create index connections_cluster_id_idx on matriarch.connections (cluster_id) where deleted_at is null;
-- The role a person gave; null: the detected one.
alter table matriarch.connections add column role_override text;

create table matriarch.cluster_relationships (
  id serial primary key,
  source_connection_id integer not null,
  target_connection_id integer not null,
  relationship_type text not null,
  is_auto_detected boolean not null,
  -- The stored cluster that a relationship made by hand was made in; detected ones follow their source's cluster.
  cluster_id integer references matriarch.clusters (id) on delete cascade,
  created_at timestamptz not null default now(),
  constraint cluster_relationships_type_known check (
    relationship_type in ('streams_from', 'subscribes_to', 'replicates_with')
  ),
  constraint cluster_relationships_not_itself check (source_connection_id <> target_connection_id),
  constraint cluster_relationships_key unique (
    source_connection_id, target_connection_id, relationship_type, is_auto_detected
  )
);
create index cluster_relationships_target_idx on matriarch.cluster_relationships (target_connection_id);

-- What detection last saw of a cluster, whether or not a row of matriarch.clusters exists for it.
create table matriarch.topology_clusters (
  cluster_key text primary key,
  cluster_type text not null,
  replication_type text,
  -- Made from the names of its servers; shown until somebody names the stored cluster.
  name text not null,
  detected_at timestamptz not null,
  constraint topology_clusters_type_known check (cluster_type in ('spock', 'spock_ha', 'binary', 'logical', 'server'))
);

-- What detection last saw of a server.
create table matriarch.topology_nodes (
  connection_id integer primary key,
  cluster_key text not null,
  -- One of the roles of probe pg_node_role; null until it was read.
  primary_role text,
  -- The server a standby streams from, when it is a connection of ours.
  parent_connection_id integer,
  system_identifier text,
  version text,
  os text,
  spock_node_name text,
  spock_version text,
  -- When the facts behind this row were collected, and when they were judged.
  collected_at timestamptz,
  detected_at timestamptz not null
);
create index topology_nodes_cluster_key_idx on matriarch.topology_nodes (cluster_key);

-- The label of a spock cluster, kept for good once given: the node ids that it was given to.
create table matriarch.topology_labels (
  label text primary key,
  node_keys text[] not null,
  created_at timestamptz not null default now()
);

-- Finds the newest answer of every server at once.
create index current_snapshots_connectivity_idx on metrics.current_snapshots (connection_id)
  where probe = 'pg_connectivity' and database_name = '';

-- Where each connection belongs, dismissals considered: a cluster that was dismissed holds nothing, its servers stand
-- alone. cluster_id is null where no row is stored for the cluster, group_id is the default group's where nobody chose
-- another, cluster_key is what the cluster stands for (null: made by hand), and is_hidden says that what it shows as was
-- dismissed itself.
create view matriarch.connection_scopes as
select
  c.id as connection_id,
  coalesce(own.id, case when not keyed.dismissed then keyed.id end) as cluster_id,
  coalesce(own.group_id, case when not keyed.dismissed then keyed.group_id end, d.id) as group_id,
  k.cluster_key,
  coalesce(keyed.dismissed, false) as is_hidden
from matriarch.connections c
left join matriarch.clusters own on own.id = c.cluster_id and not own.dismissed
left join matriarch.topology_nodes n on n.connection_id = c.id
cross join lateral (
  select case
    when own.id is not null then own.auto_cluster_key
    when c.membership_source = 'auto' and c.cluster_id is null and n.cluster_key is not null then n.cluster_key
    else 'standalone:' || c.id
  end as cluster_key
) k
left join matriarch.clusters keyed on own.id is null and keyed.auto_cluster_key = k.cluster_key
left join matriarch.cluster_groups d on d.is_default
where c.deleted_at is null;
