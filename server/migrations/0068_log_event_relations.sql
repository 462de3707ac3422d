-- The table that an event of the log is about, as database.schema.table: runs of autovacuum are listed by it. Null: of none, or the line
-- does not name it.
alter table matriarch.log_events add column relation_name text;

update matriarch.log_events
set relation_name = substring(message from '^automatic .{1,64}? of table "([^"]*)"')
where class in ('autovacuum', 'autovacuum_wraparound', 'autoanalyze');

create index log_events_relation_idx on matriarch.log_events (connection_id, relation_name, occurred_at desc, id desc)
  where relation_name is not null;
