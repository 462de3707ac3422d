// A server full of traps for whoever only wants to read: functions that end a session, behind views, operators, casts, policies, indexes
// and whatever else evaluates a function; and everything of it that can be seen to change, looked at from outside.
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { type Major, startCluster, type TestCluster, testDirectory } from '../servers/postgres.ts';
import { IDEA_TRAPS } from './idea-traps.ts';
import { PLANNING_TRAPS } from './planning-traps.ts';

export const ATTACKER_ROLES = ['monitor', 'prey_owner', 'postgres'] as const;
export type AttackerRole = (typeof ATTACKER_ROLES)[number];

const SETTINGS = {
  autovacuum: false,
  wal_level: 'logical',
  max_prepared_transactions: 4,
  track_functions: 'all',
} as const;

/** Ends the session that waits to be ended, of the role that runs it. */
export const STRIKE = `perform pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim' and usename = current_user;`;
const strike = (name: string, args: string, more: { returns?: string; kind?: string } = {}) =>
  `create function ${name}(${args}) returns ${more.returns ?? 'int'} language plpgsql ${more.kind ?? 'volatile'} as
    $$ begin ${STRIKE} return ${more.returns === 'boolean' ? 'true' : (more.returns ?? '1') === 'text' ? "'x'" : '1'}; end $$`;

const makeExtensions = (port: number, password: string, folder: string) => [
  'create extension dblink',
  'create extension file_fdw',
  'create extension postgres_fdw',
  'create extension tablefunc',
  'create extension xml2',
  'create extension lo',
  'create extension pg_stat_statements',
  'create extension pgcrypto',
  'create extension citext',
  'create extension hstore',
  'create extension pg_trgm',
  'create server files foreign data wrapper file_fdw',
  `create foreign table public.machine (line text) server files options (program 'touch ${folder}/program_ran', format 'text')`,
  `create server back foreign data wrapper postgres_fdw options (host '127.0.0.1', port '${port}', dbname 'postgres')`,
  `create user mapping for public server back options (user 'postgres', password '${password}')`,
  'grant select on public.machine to public',
  'grant usage on foreign server back to prey_owner',
];

const OWNED = [
  'create schema prey',
  'grant usage on schema prey to public',
  `create type prey.kind as enum ('a', 'b')`,
  'create table prey.t (a int, b text, k prey.kind)',
  `insert into prey.t values (1, 'x', 'a'), (2, 'y', 'b'), (3, null, null)`,
  'create table prey.log (what text)',
  'create sequence prey.s',
  strike('prey.strike', ''),
  strike('prey.strike_i', 'int', { kind: 'immutable' }),
  strike('prey.strike_b', 'int', { returns: 'boolean' }),
  strike('prey.strike_op', 'int, int', { returns: 'boolean' }),
  strike('prey.strike_op_i', 'int, int', { returns: 'boolean', kind: 'immutable' }),
  strike('prey.strike_sf', 'int, int'),
  strike('prey.row_strike', 'prey.t'),
  strike('prey.rows_strike', 'variadic prey.t[]'),
  strike('public.lower', 'prey.kind', { returns: 'text' }),
  strike('public.count', 'int'),
  strike('public.abs', 'varchar'),
  strike('public.concat', 'text', { returns: 'text' }),
  strike('public.eq_text_int', 'text, int', { returns: 'boolean' }),
  strike('public.like_kind', 'prey.kind, text', { returns: 'boolean' }),
  'create view prey.v as select a, prey.strike() as s from prey.t',
  'create view prey.vv as select s from prey.v',
  `create view prey.v_builtin as select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'victim' and usename = current_user`,
  `create view prey.v_text as select query_to_xml('select prey.strike()', true, true, '')`,
  `create view prey.v_setting as select set_config('work_mem', '64kB', false)`,
  'create view prey.v_operator as select a operator(public.#@#) 1 as x from prey.t',
  'create view prey.v_notify as select 1 as x where pg_notify($$prey$$, $$x$$) is not null',
  'create operator public.#@# (leftarg = int, rightarg = int, function = prey.strike_op)',
  'create operator prey.!!! (leftarg = int, rightarg = int8, function = pg_catalog.pg_terminate_backend)',
  'create aggregate prey.agg (int) (sfunc = prey.strike_sf, stype = int, initcond = 0)',
  'create domain prey.dom as int check (prey.strike() > 0)',
  'create table prey.with_domain (d prey.dom)',
  'create table prey.with_list (d prey.dom[], e int)',
  'create type prey.comp as (d prey.dom, x int)',
  'create table prey.with_row (c prey.comp)',
  'create type prey.deep as (c prey.comp[], x int)',
  'create domain prey.dom2 as prey.dom',
  'create table prey.with_domain2 (d prey.dom2)',
  'create type prey.rdom as range (subtype = prey.dom)',
  'create domain prey.positive as int check (value > 0)',
  'create type prey.fair as (p prey.positive, x int)',
  'create table prey.with_fair (p prey.positive[], f prey.fair)',
  `insert into prey.with_fair values ('{1,2}', '(3,4)')`,
  'create type prey.pair as (a int)',
  `create function prey.pair_compare(prey.pair, prey.pair) returns int language plpgsql immutable as $$ begin ${STRIKE} return 0; end $$`,
  `create function prey.pair_less(prey.pair, prey.pair) returns boolean language plpgsql immutable as $$ begin ${STRIKE} return false; end $$`,
  'create operator prey.<<< (leftarg = prey.pair, rightarg = prey.pair, function = prey.pair_less)',
  'create table prey.policed (a int)',
  'insert into prey.policed values (1)',
  'create policy p on prey.policed using (prey.strike() > 0)',
  'alter table prey.policed enable row level security, force row level security',
  'create table prey.policed_builtin (a int)',
  'insert into prey.policed_builtin values (1)',
  `create policy p on prey.policed_builtin using (exists (select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'victim' and usename = current_user))`,
  'alter table prey.policed_builtin enable row level security, force row level security',
  'create table prey.indexed (a int)',
  'create index on prey.indexed (a) where prey.strike_i(1) > 0',
  'create table prey.with_statistics (a int, b int)',
  'create statistics prey.st on (a + prey.strike_i(1)), (b + prey.strike_i(1)) from prey.with_statistics',
  'create table prey.parts (a int) partition by list ((a + prey.strike_i(1)))',
  'create table prey.part_called partition of prey.parts for values in (1)',
  'create table prey.checked (a int, check (prey.strike_i(1) > 0))',
  'create operator public.#@@# (leftarg = int, rightarg = int, function = prey.strike_op_i)',
  ...PLANNING_TRAPS,
  'create table prey.reaching (a int, s int) partition by list (a)',
  `create foreign table prey.reaching_far partition of prey.reaching for values in (1) server back options (schema_name 'prey', table_name 'v')`,
  `create foreign table prey.far (a int, s int) server back options (schema_name 'prey', table_name 'v')`,
  'create view prey.v_far as select * from prey.far',
  `create view prey.v_dblink as select * from public.dblink('host=127.0.0.1', 'select 1') as x(a int)`,
  'create materialized view prey.m as select a from prey.t',
  ...IDEA_TRAPS,
  'grant select on all tables in schema prey to public',
  'grant select, usage on all sequences in schema prey to public',
];
const OPERATOR_FIRST = (list: readonly string[]) => [
  ...list.filter((one) => !one.includes('v_operator')),
  ...list.filter((one) => one.includes('v_operator')),
  'grant select on prey.v_operator to public',
];
/** Every statement of the database may meet these, written or not. */
export const AMBIENT = [
  'create operator public.= (leftarg = text, rightarg = int, function = public.eq_text_int)',
  'create operator public.~~ (leftarg = prey.kind, rightarg = text, function = public.like_kind)',
  `create function prey.kind_int(prey.kind) returns int language plpgsql as $$ begin ${STRIKE} return 1; end $$`,
  'create cast (prey.kind as int) with function prey.kind_int(prey.kind) as implicit',
];

export interface AttackScene {
  readonly server: TestCluster;
  /** Where files would be written that nobody may write. */
  readonly folder: string;
  /** The facts of the moment; equal before and after if nothing happened. */
  state(): Promise<Record<string, unknown>>;
  /** A statement as the server's owner, in a transaction of its own. */
  run(text: string): Promise<void>;
  password(role: AttackerRole): string;
  /** Opens those anew that have been ended. */
  openVictims(): Promise<void>;
  stop(): Promise<void>;
}

const STATE = `
select json_build_object(
  'rows', (select array_agg(t order by a) from prey.t t),
  'log', (select count(*) from prey.log),
  'sequence', (select row(last_value, is_called)::text from prey.s),
  'relations', (select md5(string_agg(oid || relname || relfilenode || coalesce(relacl::text, '') || reltuples, ',' order by oid))
    from pg_class where oid >= 16384 and relkind <> 't'),
  'functions', (select count(*) from pg_proc),
  'roles', (select md5(string_agg(r::text, ',' order by oid)) from pg_authid r),
  'members', (select count(*) from pg_auth_members),
  'settings', (select md5(coalesce(string_agg(s::text, ','), '')) from pg_db_role_setting s),
  'auto', md5(pg_read_file('postgresql.auto.conf')),
  'loaded', pg_conf_load_time(),
  'databases', (select array_agg(datname order by datname) from pg_database),
  'schemas', (select array_agg(nspname order by nspname) from pg_namespace where nspname !~ '^pg_'),
  'extensions', (select count(*) from pg_extension),
  'large_objects', (select count(*) from pg_largeobject_metadata),
  'victims', (select array_agg(usename || pid order by usename) from pg_stat_activity where application_name = 'victim'),
  'advisory', (select count(*) from pg_locks where locktype = 'advisory'),
  'strong_locks', (select count(*) from pg_locks where mode ~ 'Exclusive' and locktype = 'relation'),
  'slots', (select count(*) from pg_replication_slots),
  'origins', (select count(*) from pg_replication_origin),
  'prepared', (select count(*) from pg_prepared_xacts),
  'publications', (select count(*) from pg_publication),
  'resets', (select array_agg(stats_reset order by datid) from pg_stat_database),
  'archiver_reset', (select stats_reset from pg_stat_archiver),
  'statements_reset', (select stats_reset from pg_stat_statements_info),
  'snapshots', (select array_agg(f) from pg_ls_dir('pg_snapshots') f),
  'wal_file', pg_walfile_name(pg_current_wal_insert_lsn()),
  'next_xid', pg_snapshot_xmax(pg_current_snapshot()),
  'statistics', (select count(*) from pg_statistic),
  'comments', (select count(*) from pg_description where objoid >= 16384)
) as state`;

const PASSWORD = 'attack';
const LOGGED = /logging memory contexts|received SIGHUP/g;

type Open = (user: AttackerRole, application_name: string) => Promise<pg.Client>;

async function setTraps(
  admin: pg.Client,
  { server, folder }: Pick<AttackScene, 'server' | 'folder'>,
): Promise<void> {
  await admin.query(`create role monitor login password '${PASSWORD}' in role pg_monitor`);
  await admin.query(`create role prey_owner login createrole createdb password '${PASSWORD}'`);
  await admin.query('grant create on database postgres to prey_owner');
  await admin.query('grant create on schema public to prey_owner');
  await admin.query('alter database postgres set search_path = "$user", public, prey');
  await admin.query('alter database postgres set constraint_exclusion = on');
  for (const text of makeExtensions(server.port, server.password, folder)) await admin.query(text);
  await admin.query('set session authorization prey_owner');
  for (const text of OPERATOR_FIRST(OWNED)) await admin.query(text);
  await admin.query('reset session authorization');
  // Only a superuser makes one.
  await admin.query(`create operator class prey.pair_order default for type prey.pair using btree
    as operator 1 prey.<<<, function 1 prey.pair_compare(prey.pair, prey.pair)`);
  await admin.query('analyze prey.t');
}

/** Sessions that wait to be ended, one of each role. */
class Victims {
  readonly #open: Open;
  readonly #living = new Map<AttackerRole, pg.Client>();

  constructor(open: Open) {
    this.#open = open;
  }

  async open(): Promise<void> {
    for (const role of ATTACKER_ROLES) {
      if (this.#living.has(role)) continue;
      const client = await this.#open(role, 'victim');
      this.#living.set(role, client);
      client.on('end', () => this.#living.delete(role));
    }
  }

  async end(): Promise<void> {
    for (const client of [...this.#living.values()]) await client.end().catch(() => undefined);
  }
}

export async function attackScene(major: Major): Promise<AttackScene> {
  const server = await startCluster({ major, settings: SETTINGS });
  const folder = testDirectory('attack');
  // The server's user could write there.
  chmodSync(folder, 0o777);
  const password = (role: AttackerRole) => (role === 'postgres' ? server.password : PASSWORD);
  const open: Open = async (user, application_name) => {
    const where = { host: '127.0.0.1', port: server.port, database: 'postgres' };
    const client = new pg.Client({ ...where, user, password: password(user), application_name });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const admin = await open('postgres', 'outside');
  await setTraps(admin, { server, folder });
  let heard = 0;
  admin.on('notification', () => {
    heard += 1;
  });
  await admin.query('listen prey');
  const victims = new Victims(open);
  await victims.open();
  return {
    server,
    folder,
    password,
    openVictims: () => victims.open(),
    run: async (text) => {
      await admin.query(text);
    },
    state: async () => {
      const { rows } = await admin.query<{ state: Record<string, unknown> }>(STATE);
      const log = readFileSync(server.logFile, 'utf8').match(LOGGED)?.length ?? 0;
      return { ...rows[0]?.state, heard, log, files: readdirSync(folder) };
    },
    stop: async () => {
      await victims.end();
      await admin.end();
      await server.stop();
    },
  };
}
