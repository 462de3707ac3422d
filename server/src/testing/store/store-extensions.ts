// Stand-ins for Citus and TimescaleDB, which no test machine has: extensions of the same name with the functions and
// catalogs that the store uses. They refuse what the real ones refuse of tables of metrics (as far as it is written
// down in decision 015), keep what they were called with, and let rows lie in a plain table. What they cannot show is
// whether the real ones do what the store expects of them.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { testDirectory } from '../servers/postgres.ts';

const CITUS = `
create table pg_dist_partition (logicalrelid regclass primary key, partmethod "char", colocationid integer);
create table pg_dist_colocation (colocationid integer primary key, shardcount integer);

create function create_distributed_table(t regclass, column_name text, colocate_with text default 'default')
returns void language plpgsql as $$
begin
  if exists (
    select from pg_index i
    where i.indrelid = t and i.indisunique and not exists (
      select from pg_attribute a
      where a.attrelid = t and a.attname = column_name and a.attnum = any (i.indkey::int2[])
    )
  ) then raise 'cannot create constraint on "%": it must contain the distribution column', t; end if;
  if exists (select from pg_trigger g where g.tgrelid = t and not g.tgisinternal)
    then raise 'cannot distribute relation "%" because it has triggers', t; end if;
  if exists (select from pg_attribute a where a.attrelid = t and a.attidentity <> '')
    then raise 'cannot distribute "%": it has an identity column', t; end if;
  if exists (select from pg_constraint c where c.conrelid = t and c.contype = 'f')
    then raise 'cannot create foreign key constraint on "%"', t; end if;
  insert into @extschema@.pg_dist_colocation
  values (1, coalesce(nullif(current_setting('citus.shard_count', true), ''), '32')::integer)
  on conflict do nothing;
  insert into @extschema@.pg_dist_partition values (t, 'h', 1);
end $$;

create function create_reference_table(t regclass) returns void language sql as
'insert into @extschema@.pg_dist_partition values (t, ''n'', 2)';

-- As on a coordinator: what is not distributed is refused; a reference table counts with the copy of either node.
create function citus_total_relation_size(t regclass) returns bigint language plpgsql as $$
begin
  if exists (select from pg_class c where c.oid = t and c.relispartition) then return pg_total_relation_size(t); end if;
  return (
    select pg_total_relation_size(t) * case p.partmethod when 'n' then 2 else 1 end
    from @extschema@.pg_dist_partition p where p.logicalrelid = t
  );
end $$;

create function citus_relation_size(t regclass) returns bigint language sql as
'select pg_relation_size(t)';

-- Two nodes: a coordinator that has no shards, and a worker whose tables are their own only shards. Both have the
-- database, so that its size is twice that of one.
create function run_command_on_all_nodes(command text)
returns table (nodeid integer, success boolean, result text) language plpgsql as $$
begin
  execute replace(replace(command, '^(.*)_[0-9]+$', '^(.*)$'), '_[0-9]+$', '$') into result;
  if command ~ 'pg_database_size' then return query select 0, true, result;
  elsif command !~ '_\\[0-9\\]\\+' then raise 'a command that does not look for shards';
  else return query select 0, true, '{}'::text;
  end if;
  if exists (select from @extschema@.pg_dist_node n where not n.answers) then
    return query select 1, false, 'failed to connect to worker-2:5432'::text;
  else return query select 1, true, result;
  end if;
end $$;

-- Of its two nodes the second one has the shards of connections with an even id. A statement that needs what a node keeps which does
-- not answer fails in the words and with the code of the real one (onlyWhereNodesAnswer).
create table pg_dist_node (nodename text, nodeport integer, groupid integer, answers boolean not null default true);
insert into pg_dist_node values ('worker-1', 5432, 1), ('worker-2', 5432, 2);
create table pg_dist_placement (shardid bigint, groupid integer);
insert into pg_dist_placement values (101, 1), (102, 2);

create function get_shard_id_for_distribution_column(t regclass, value integer) returns bigint language sql as
'select case when value % 2 = 0 then 102 else 101 end';

create function run_command_on_workers(command text)
returns table (nodename text, nodeport integer, success boolean, result text) language sql as
'select n.nodename, n.nodeport, n.answers, ''1'' from @extschema@.pg_dist_node n';

create function node_answers(connection_id integer) returns boolean language plpgsql volatile cost 100000 as $$
begin
  if exists (select from @extschema@.pg_dist_node n where n.groupid = 2 - connection_id % 2 and not n.answers) then
    raise 'connection to the remote node worker-%:5432 failed with the following error: Connection refused', 2 - connection_id % 2
    using errcode = 'connection_failure';
  end if;
  return true;
end $$;

create function no_ddl() returns event_trigger language plpgsql as $$
begin
  if current_query() ~* 'detach .* concurrently' or (
    current_query() ~* 'alter column \\S+ (set storage|set compression)' and exists (
      select from @extschema@.pg_dist_partition d
      join pg_class c on c.oid = d.logicalrelid
      where position('"' || c.relname || '"' in current_query()) > 0
    )
  ) then raise 'alter table command is currently unsupported'; end if;
end $$;
create event trigger no_ddl on ddl_command_start when tag in ('ALTER TABLE') execute function no_ddl();
`;

const TIMESCALEDB = `
create schema timescaledb_information;
create schema _timescaledb_internal;
create table hypertables (t regclass primary key, length interval not null);
create table chunk_rows (
  hypertable_schema name, hypertable_name name, chunk_schema name, chunk_name name,
  range_start timestamptz, range_end timestamptz,
  primary key (hypertable_name, range_start)
);
create sequence chunk_ids;
create view timescaledb_information.chunks as select * from chunk_rows;

create function make_chunks() returns trigger language plpgsql as $$
declare
  h record;
  k record;
begin
  select x.*, c.relname, c.relnamespace::regnamespace::name as schema into h
  from @extschema@.hypertables x join pg_class c on c.oid = x.t where x.t = tg_relid;
  for k in
    insert into @extschema@.chunk_rows
    select distinct
      h.schema, h.relname, '_timescaledb_internal', '_hyper_' || h.relname || extract(epoch from b.at)::bigint || '_chunk',
      b.at, b.at + h.length
    from (select distinct date_bin(h.length, r.collected_at, 'epoch') as at from fresh r) b
    on conflict do nothing
    returning *
  loop
    execute format(
      'create view _timescaledb_internal.%I as select * from %s where collected_at >= %L and collected_at < %L',
      k.chunk_name, h.t, k.range_start, k.range_end);
  end loop;
  return null;
end $$;

create function create_hypertable(
  relation regclass, time_column_name name, chunk_time_interval interval, create_default_indexes boolean default true
) returns text language plpgsql as $$
begin
  if (select relkind from pg_class where oid = relation) <> 'r'
    then raise 'table "%" is already partitioned', relation; end if;
  if exists (
    select from pg_index i
    where i.indrelid = relation and i.indisunique and not exists (
      select from pg_attribute a
      where a.attrelid = relation and a.attname = time_column_name and a.attnum = any (i.indkey::int2[])
    )
  ) then raise 'cannot create a unique index without the column "%"', time_column_name; end if;
  if create_default_indexes then raise 'an index that nobody asked for'; end if;
  insert into @extschema@.hypertables values (relation, chunk_time_interval);
  execute format('create trigger make_chunks after insert on %s referencing new table as fresh
    for each statement execute function @extschema@.make_chunks()', relation);
  return relation::text;
end $$;

create function drop_chunks(relation regclass, older_than timestamptz, newer_than timestamptz default '-infinity')
returns setof text language plpgsql as $$
declare
  k record;
begin
  for k in
    delete from @extschema@.chunk_rows r
    where r.hypertable_name = (select relname from pg_class where oid = relation)
      and r.range_start >= newer_than and r.range_end <= older_than
    returning *
  loop
    execute format('drop view _timescaledb_internal.%I', k.chunk_name);
    execute format('delete from %s where collected_at >= %L and collected_at < %L', relation, k.range_start, k.range_end);
    return next k.chunk_name;
  end loop;
end $$;

create function time_bucket(width interval, ts timestamptz) returns timestamptz language sql immutable as
$$ select date_bin(width, ts, timestamptz '2000-01-03 00:00:00+00') $$;
`;

const SCRIPTS = { citus: CITUS, timescaledb: TIMESCALEDB };

/** From now on tables of metrics are only read, and fail where a row is of a connection whose node does not answer. */
export async function onlyWhereNodesAnswer(db: Database): Promise<void> {
  const tables = await db.rows<{ name: string }>(sql`
    select c.relname as name
    from pg_class c
    join pg_dist_partition d on d.logicalrelid = c.oid
    where c.relnamespace = 'metrics'::regnamespace`);
  await db.withClient(async (client) => {
    for (const { name } of tables) {
      await client.query(`alter table metrics."${name}" rename to "${name} shards"`);
      await client.query(
        `create view metrics."${name}" as select * from metrics."${name} shards" where node_answers(connection_id)`,
      );
    }
  });
}

/** Of the second of the two nodes of the stand-in of Citus. */
export async function nodeAnswers(db: Database, answers: boolean): Promise<void> {
  await db.run(sql`update pg_dist_node set answers = ${answers} where groupid = 2`);
}

/** Installs the stand-in in that database, or the extension itself where the server has it; the stand-in in a schema of its own when one is named. */
export async function installStandIn(
  db: Database,
  name: keyof typeof SCRIPTS,
  schema: string,
): Promise<void> {
  const { is_real } = await db.one<{ is_real: boolean }>(sql`
    select count(*) > 0 as is_real from pg_available_extensions where name = ${name}`);
  if (is_real) {
    await db.withClient((client) => client.query(`create extension if not exists ${name} cascade`));
    return;
  }
  const home = path.join(testDirectory(`stand-in-${name}`), 'share');
  const folder = path.join(home, 'extension');
  mkdirSync(folder, { recursive: true });
  for (const directory of [home, folder]) chmodSync(directory, 0o755);
  writeFileSync(path.join(folder, `${name}.control`), `default_version = '1'\nrelocatable = false\n`);
  writeFileSync(path.join(folder, `${name}--1.sql`), SCRIPTS[name]);
  await db.withClient(async (client) => {
    try {
      await client.query(`select set_config('extension_control_path', $1, false)`, [`${home}:$system`]);
      await client.query(`create schema if not exists ${schema}`);
      await client.query(`create extension ${name} schema ${schema}`);
    } finally {
      await client.query('reset extension_control_path');
    }
  });
}
