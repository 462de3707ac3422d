-- Who may sign in, and with what. Small tables that every process reads: reference tables when distributed.
create schema if not exists matriarch;
create schema if not exists metrics;

create table matriarch.users (
  id serial primary key,
  username text not null,
  password_hash text,
  is_superuser boolean not null default false,
  is_service_account boolean not null default false,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  constraint users_username_form check (username ~ '^[A-Za-z0-9][A-Za-z0-9_.@-]{0,127}$'),
  constraint users_service_account_has_no_password check (not is_service_account or password_hash is null)
);
create unique index users_username_key on matriarch.users (lower(username));

create table matriarch.sessions (
  id serial primary key,
  token_hash bytea not null,
  user_id integer not null references matriarch.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  current_connection_id integer,
  current_database_name text,
  constraint sessions_token_hash_key unique (token_hash)
);
create index sessions_user_id_idx on matriarch.sessions (user_id, created_at);

create table matriarch.api_tokens (
  id serial primary key,
  name text not null,
  token_hash bytea not null,
  user_id integer not null references matriarch.users (id) on delete cascade,
  -- null: unrestricted. Otherwise {"connections"?: [{"connection_id", "level"}], "mcp"?: [text], "admin"?: [text]};
  -- an absent member leaves its dimension unrestricted, an empty list allows nothing.
  scope jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  current_connection_id integer,
  current_database_name text,
  constraint api_tokens_token_hash_key unique (token_hash)
);
create index api_tokens_user_id_idx on matriarch.api_tokens (user_id);

create table matriarch.one_time_links (
  token_hash bytea primary key,
  user_id integer not null references matriarch.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

-- One row for each attempt and counter (a network, or the hash of an account's name), reserved before the password
-- is looked at, so that parallel guesses cannot slip by.
create table matriarch.login_attempts (
  id bigserial primary key,
  address text not null,
  attempted_at timestamptz not null default now(),
  failed boolean not null default false
);
create index login_attempts_address_idx on matriarch.login_attempts (address, attempted_at);

-- Random keys that encrypt secrets, each wrapped by the key of the secret key file.
create table matriarch.data_keys (
  id serial primary key,
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now()
);

create table matriarch.connections (
  id serial primary key,
  owner_id integer not null references matriarch.users (id),
  name text not null,
  description text not null default '',
  host text not null,
  hostaddr text,
  port integer not null,
  database_name text not null,
  username text not null,
  password_encrypted bytea,
  ssl_mode text not null default 'prefer',
  ssl_cert_path text,
  ssl_key_path text,
  ssl_root_cert_path text,
  node_exporter_url text,
  is_shared boolean not null default false,
  is_monitored boolean not null default false,
  is_embedded boolean not null default false,
  cluster_id integer,
  membership_source text not null default 'auto',
  -- Grows with every change the collector has to notice: it reconnects when the number it knows is older.
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Deleted connections vanish from every list at once; their metrics are purged in the background.
  deleted_at timestamptz,
  constraint connections_port_range check (port between 1 and 65535),
  constraint connections_ssl_mode_known check (
    ssl_mode in ('disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full')
  ),
  constraint connections_membership_known check (membership_source in ('auto', 'manual'))
);
create unique index connections_owner_name_key on matriarch.connections (owner_id, lower(name)) where deleted_at is null;

-- Who collects from a connection. The epoch grows with each change of hands, and every write carries it: a
-- collector that slept through its lease writes nothing.
create table matriarch.connection_leases (
  connection_id integer primary key,
  owner text not null,
  epoch bigint not null default 1,
  expires_at timestamptz not null
);
create index connection_leases_owner_idx on matriarch.connection_leases (owner);

-- The state of the collector's session on each connection, for status and connection_error.
create table matriarch.connection_states (
  connection_id integer primary key,
  first_leased_at timestamptz not null default now(),
  last_connected_at timestamptz,
  last_error_at timestamptz,
  -- In our own words, without secrets; null while the connection works.
  connection_error text,
  consecutive_failures integer not null default 0
);

-- One generated description for each database of a connection, shared by all callers with access for 5 minutes.
create table matriarch.ai_analyses (
  connection_id integer primary key,
  generated_at timestamptz,
  databases jsonb,
  -- Single flight across processes: whoever sets the attempt calls the model, the others wait for its outcome.
  attempt_id text,
  attempt_expires_at timestamptz,
  failed_attempt_id text,
  failure text
);
