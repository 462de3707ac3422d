// Stand-ins for pg_store_plans and pg_stat_plans, of which no package is here: extensions with their names, columns and types, whose plans a
// test writes into a table. Who lacks the rights of pg_read_all_stats sees of the plans of others what the extensions show them.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type TestCluster, testDirectory } from '../servers/postgres.ts';

const SEEN =
  "pg_has_role(session_user, 'pg_read_all_stats', 'usage') or userid = (select r.oid from pg_roles r where r.rolname = session_user)";
const shown = (column: string, otherwise = 'null') =>
  `case when ${SEEN} then ${column} else ${otherwise} end`;

/** A text in another encoding, which the server refuses to read. */
const FOREIGN = `case when plan = 'foreign' then convert_from('\\xff'::bytea, 'UTF8') else plan end`;

const STORE = `
create table of_store (userid oid, dbid oid, queryid int8, planid int8, plan text, calls int8, total_time float8, max_time float8, rows int8,
  hit int8, first_call timestamptz, last_call timestamptz);
create function pg_store_plans_jsonplan(text) returns text language sql as $$ select replace($1, 'short', 'Node Type') $$;
create view pg_store_plans as select userid, dbid, ${shown('queryid')} as queryid, ${shown('planid')} as planid,
  ${shown(FOREIGN, "'<insufficient privilege>'")} as plan, calls, total_time, 0::float8 as min_time, max_time, total_time / calls as mean_time,
  0::float8 as stddev_time, rows, hit as shared_blks_hit, 2::int8 as shared_blks_read, 0::int8 as shared_blks_dirtied,
  0::int8 as shared_blks_written, 1::int8 as local_blks_hit, 0::int8 as local_blks_read, 0::int8 as local_blks_dirtied,
  0::int8 as local_blks_written, 3::int8 as temp_blks_read, 4::int8 as temp_blks_written, 0::float8 as shared_blk_read_time,
  0::float8 as shared_blk_write_time, 0::float8 as local_blk_read_time, 0::float8 as local_blk_write_time, 0::float8 as temp_blk_read_time,
  0::float8 as temp_blk_write_time, first_call, last_call from of_store;
grant select on pg_store_plans to public;
create function pg_store_plans_reset() returns void language sql as 'delete from of_store';`;

/** Before 1.6, with an own number of statements and without times of temporary files. */
const STORE_1_5 = STORE.replace('as planid,', 'as planid, queryid + 1 as queryid_stat_statements,').replace(
  /,\s*0::float8 as shared_blk_read_time.*temp_blk_write_time/s,
  ', 0::float8 as blk_read_time, 0::float8 as blk_write_time',
);

const STAT = `
create table of_stat (userid oid, dbid oid, toplevel bool, queryid int8, planid int8, calls int8, total_exec_time float8, plan text);
grant select on of_stat to public;
create function pg_stat_plans(showplan boolean, out userid oid, out dbid oid, out toplevel bool, out queryid int8, out planid int8, out calls int8,
  out total_exec_time float8, out plan text) returns setof record language sql as $$
  select userid, dbid, toplevel, ${shown('queryid')}, ${shown('planid')}, calls, total_exec_time,
    case when $1 then ${shown('plan', "'<insufficient privilege>'")} end from @extschema@.of_stat $$;
create view pg_stat_plans as select * from pg_stat_plans(true);
grant select on pg_stat_plans to public;
create function pg_stat_plans_reset() returns void language sql as 'delete from @extschema@.of_stat';`;

/** Of 2012, with other columns: nothing that is said of plans today. */
const STAT_1_0 = `create view pg_stat_plans as select 1::oid as planid, 1::oid as userid, 1::oid as dbid, 'select 1'::text as query,
  1::int8 as calls, 1::float8 as total_time; grant select on pg_stat_plans to public;`;

const SCRIPTS = {
  pg_store_plans: { '1.9': STORE, '1.5': STORE_1_5 },
  pg_stat_plans: { '2.0': STAT, '1.0': STAT_1_0 },
} as const;

export interface Installed {
  name: keyof typeof SCRIPTS;
  version: '1.9' | '1.5' | '2.0' | '1.0';
  database?: string;
  schema?: string;
}

/** Makes the extension on a server of version 18. */
export async function installPlans(
  server: TestCluster,
  { name, version, database = 'postgres', schema = 'public' }: Installed,
): Promise<void> {
  const home = path.join(testDirectory(name), 'share');
  const folder = path.join(home, 'extension');
  mkdirSync(folder, { recursive: true });
  for (const directory of [home, folder]) chmodSync(directory, 0o755);
  writeFileSync(
    path.join(folder, `${name}.control`),
    `default_version = '${version}'\nrelocatable = false\n`,
  );
  writeFileSync(
    path.join(folder, `${name}--${version}.sql`),
    Object.entries(SCRIPTS[name]).find(([one]) => one === version)?.[1] ?? '',
  );
  const client = await connected(server, database);
  try {
    await client.query(`select set_config('extension_control_path', $1, false)`, [`${home}:$system`]);
    await client.query(`create schema if not exists "${schema}"`);
    await client.query(`create extension ${name} schema "${schema}"`);
  } finally {
    await client.end();
  }
}

export async function connected(server: TestCluster, database: string): Promise<pg.Client> {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return client;
}

/** As pg_store_plans writes it, with costs. */
export const scanned = (node: string, condition = "note <> 'x'") =>
  [
    'Aggregate  (cost=9.00..9.01 rows=1 width=8)',
    `  ->  ${node}  (cost=0.00..8.00 rows=5 width=4)`,
    `        Filter: (${condition})`,
  ].join('\n');
