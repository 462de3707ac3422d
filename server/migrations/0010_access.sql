-- Groups and what they are granted. Groups hold users and groups; a member has all that the groups above it were
-- granted. Small tables that every process reads at each request: reference tables when distributed.
alter table matriarch.users
  add column display_name text not null default '',
  add column email text not null default '',
  add column annotation text not null default '';

create table matriarch.groups (
  id serial primary key,
  name text not null,
  description text not null default '',
  created_at timestamptz not null default now()
);
create unique index groups_name_key on matriarch.groups (lower(name));

create table matriarch.group_users (
  group_id integer not null references matriarch.groups (id) on delete cascade,
  user_id integer not null references matriarch.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  constraint group_users_pkey primary key (user_id, group_id)
);
create index group_users_group_id_idx on matriarch.group_users (group_id);

-- member_id is in group_id. Circles are refused by the service, under a lock, and would do no harm: whoever walks
-- upwards visits each group once.
create table matriarch.group_groups (
  group_id integer not null references matriarch.groups (id) on delete cascade,
  member_id integer not null references matriarch.groups (id) on delete cascade,
  created_at timestamptz not null default now(),
  constraint group_groups_pkey primary key (member_id, group_id),
  constraint group_groups_not_itself check (group_id <> member_id)
);
create index group_groups_group_id_idx on matriarch.group_groups (group_id);

create table matriarch.group_connections (
  id serial primary key,
  group_id integer not null references matriarch.groups (id) on delete cascade,
  -- 0: every connection, those to come too.
  connection_id integer not null,
  access_level text not null,
  created_at timestamptz not null default now(),
  constraint group_connections_key unique (group_id, connection_id),
  constraint group_connections_id_range check (connection_id >= 0),
  constraint group_connections_level_known check (access_level in ('read', 'read_write'))
);
create index group_connections_connection_id_idx on matriarch.group_connections (connection_id);

create table matriarch.group_mcp_privileges (
  group_id integer not null references matriarch.groups (id) on delete cascade,
  -- Of an MCP tool or resource, or *.
  identifier text not null,
  created_at timestamptz not null default now(),
  constraint group_mcp_privileges_pkey primary key (group_id, identifier)
);

create table matriarch.group_permissions (
  group_id integer not null references matriarch.groups (id) on delete cascade,
  -- The name of an admin permission, or *.
  permission text not null,
  created_at timestamptz not null default now(),
  constraint group_permissions_pkey primary key (group_id, permission)
);
