-- Lines of logs that are no row of log_events: masked, packed, for seven days. A block is written in one transaction with the position that it
-- was read up to.
create table matriarch.log_blocks (
  id bigserial,
  connection_id integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Of its newest part.
  stored_at timestamptz not null default now(),
  events integer not null,
  unpacked_bytes integer not null,
  -- How words and body are written.
  version smallint not null,
  -- Made of blocks that were stored before.
  is_merged boolean not null default false,
  -- What its events are, to pass over blocks that have none of what is searched; a class is '' of what no class knows.
  classes text[] not null,
  severities text[] not null,
  sqlstates text[] not null,
  -- A Bloom filter of the words of its texts, and of users, applications, databases, processes and statements.
  words bytea not null,
  body bytea not null,
  constraint log_blocks_pkey primary key (id)
);
-- Packed already; of words single bytes are read.
alter table matriarch.log_blocks alter column words set storage external, alter column body set storage external;
create index log_blocks_connection_idx on matriarch.log_blocks (connection_id, last_at desc, id desc);
create index log_blocks_stored_idx on matriarch.log_blocks (connection_id, stored_at);
create index log_blocks_last_idx on matriarch.log_blocks (last_at);
-- Those that upkeep merges.
create index log_blocks_small_idx on matriarch.log_blocks (connection_id, first_at) 
  where unpacked_bytes < 524288 and events < 10000;

-- Of the statement, where the log says it.
alter table matriarch.log_events add column queryid text not null default '';
