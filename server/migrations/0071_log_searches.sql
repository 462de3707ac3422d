-- What people look for in logs again and again; each sees their own.
create table matriarch.log_searches (
  id bigserial,
  user_id integer not null references matriarch.users (id) on delete cascade,
  name text not null,
  -- As the filters of an operation that lists events.
  filter jsonb not null,
  created_at timestamptz not null,
  constraint log_searches_pkey primary key (id),
  constraint log_searches_name_once unique (user_id, name)
);

-- Events of the log by the user and by the application that they name, in slots of ten minutes.
create table matriarch.log_name_counts (
  connection_id integer not null,
  slot timestamptz not null,
  kind text not null,
  name text not null,
  events bigint not null,
  -- Of those, how many are an ERROR, FATAL or PANIC.
  errors bigint not null,
  constraint log_name_counts_pkey primary key (connection_id, slot, kind, name),
  constraint log_name_counts_kind_known check (kind in ('user', 'application'))
);
create index log_name_counts_slot_idx on matriarch.log_name_counts (slot);
