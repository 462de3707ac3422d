-- What the newest reading of a family of objects was like, so that a collector that starts compares its first reading with it: which
-- life of the server answered, whether every object was in it, and until when nothing had been thrown away or reset. Written only when
-- one of these changes; `before` is what held before that.
create table matriarch.object_readings (
  connection_id integer not null,
  probe text not null,
  database_name text not null,
  -- Since this reading.
  collected_at timestamptz not null,
  server_instance smallint,
  is_whole boolean not null,
  continuity text,
  before jsonb,
  primary key (connection_id, probe, database_name)
);
