-- A password may come from a source that the settings declare, by its name, instead of being stored.
alter table matriarch.connections
  add column password_source text,
  add constraint connections_one_password check (password_source is null or password_encrypted is null);

-- How fetching it went last, of connections with a source.
create table matriarch.password_source_readings (
  connection_id integer primary key
    constraint password_source_readings_connection_fkey references matriarch.connections (id) on delete cascade,
  password_source text not null,
  -- Null: never so far.
  read_at timestamptz,
  failed_at timestamptz,
  -- Null: the last time it went well.
  problem text
);
