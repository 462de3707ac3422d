// The SQL that makes a least-privilege monitoring role, as a database administrator would write it. Pure. Guards: no
// password ever stands in it, names are quoted for wherever they stand, and nothing in it widens what others may do.
import { STATEMENTS_SCHEMA } from '../../probes/requirements/dependencies.ts';

import { logsScript } from './log-script.ts';
import { quoteName, quoteText } from './script-quotes.ts';

export interface ScriptWishes {
  /** The role to make; any name. */
  role: string;
  /** The database that the connection names. */
  database: string;
  /** Databases that the role may not connect to now; the connection's own is always granted. */
  databases?: readonly string[];
  /** As in 160004; unknown before anybody could sign in. */
  server_version_num?: number | undefined;
}

const NEWEST = 180000;

/** For a comment line: whatever could end it is replaced. */
const inComment = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');

/** A dollar quote that does not occur in the text it encloses. */
function dollarQuoted(body: string): string {
  let tag = '$do$';
  for (let n = 1; body.includes(tag); n += 1) tag = `$do${n}$`;
  return `${tag}${body}${tag}`;
}

function createRole(role: string): string {
  const body = `
begin
  if not exists (select from pg_catalog.pg_roles where rolname = ${quoteText(role)}) then
    create role ${quoteName(role)} login nosuperuser nocreatedb nocreaterole noreplication connection limit 10;
  end if;
end
`;
  return `do ${dollarQuoted(body)};`;
}

/** Only a superuser may say so; the rest of the script holds without it. */
function uncounted(role: string): string {
  const body = `
begin
  alter role ${quoteName(role)} set pg_stat_statements.track = 'none';
exception when insufficient_privilege then
  raise notice 'pg_stat_statements.track stays as it is for this role: only a superuser may set it.';
end
`;
  return `do ${dollarQuoted(body)};`;
}

function hbaGrants(role: string, version: number): string[] {
  const views = ['pg_hba_file_rules', ...(version >= 150000 ? ['pg_ident_file_mappings'] : [])];
  return views.flatMap((view) => [
    `grant select on pg_catalog.${view} to ${quoteName(role)};`,
    `grant execute on function pg_catalog.${view}() to ${quoteName(role)};`,
  ]);
}

const STATEMENTS = 'pg_stat_statements';

/**
 * Made where it is missing; where it is already, the role may use its schema. Of a schema of our name, an owner that is no superuser could
 * put other functions in the place of those of the extension: it keeps its use.
 */
function statementsScript(role: string): string {
  const body = `
declare
  home name;
  owner name;
begin
  select r.rolname into owner
  from pg_catalog.pg_namespace n
  join pg_catalog.pg_roles r on r.oid = n.nspowner
  where n.nspname = '${STATEMENTS_SCHEMA}' and not r.rolsuper and r.rolname <> current_user
    and not exists (
      select from pg_catalog.pg_extension e where e.extname = '${STATEMENTS}' and e.extnamespace <> n.oid
    );
  if owner is not null then
    alter schema ${STATEMENTS_SCHEMA} owner to current_user;
    revoke create on schema ${STATEMENTS_SCHEMA} from public;
    execute pg_catalog.format('revoke create on schema ${STATEMENTS_SCHEMA} from %I', owner);
    execute pg_catalog.format('grant usage on schema ${STATEMENTS_SCHEMA} to %I', owner);
  end if;
  if not exists (select from pg_catalog.pg_extension where extname = '${STATEMENTS}') then
    create schema if not exists ${STATEMENTS_SCHEMA};
    create extension ${STATEMENTS} schema ${STATEMENTS_SCHEMA};
  end if;
  select n.nspname into home
  from pg_catalog.pg_extension e
  join pg_catalog.pg_namespace n on n.oid = e.extnamespace
  where e.extname = '${STATEMENTS}';
  execute pg_catalog.format('grant usage on schema %I to %I', home, ${quoteText(role)});
end
`;
  return `do ${dollarQuoted(body)};`;
}

/**
 * Optional: how far sequences are, which takes a grant on each. The first way is for those that are there now, in this database;
 * the second for all databases and all that comes, and lets the role read data.
 */
export function sequencesScript(role: string): string {
  const body = `
declare
  one name;
begin
  for one in
    select distinct n.nspname
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'S' and c.relpersistence <> 't'
  loop
    execute pg_catalog.format('grant select on all sequences in schema %I to %I', one, ${quoteText(role)});
  end loop;
end
`;
  return `do ${dollarQuoted(body)};`;
}

/** What monitoring needs. Run by a superuser (or who may grant pg_monitor) in the connection's database. */
export function roleScript({ role, database, databases = [] }: ScriptWishes): string {
  const granted = [...new Set([database, ...databases])];
  return [
    '-- The role. It has no password yet, so it cannot sign in.',
    createRole(role),
    '-- Reads statistics and settings; sees no data and changes nothing.',
    `grant pg_monitor to ${quoteName(role)};`,
    '-- Connects to the databases to be monitored.',
    ...granted.map((name) => `grant connect on database ${quoteName(name)} to ${quoteName(role)};`),
    '-- Statistics of statements, in a schema of its own: in public others may create objects beside it.',
    statementsScript(role),
    '-- What monitoring runs takes no place there, which is kept for other statements.',
    uncounted(role),
  ].join('\n');
}

const HOST_PATHS = [
  '/etc/os-release',
  '/usr/lib/os-release',
  '/proc/cpuinfo',
  '/proc/diskstats',
  '/proc/loadavg',
  '/proc/meminfo',
  '/proc/mounts',
  '/proc/net/dev',
  '/proc/pressure/cpu',
  '/proc/pressure/io',
  '/proc/pressure/memory',
  '/proc/self/cgroup',
  '/proc/self/mounts',
  '/proc/stat',
  '/proc/sys/fs/file-nr',
  '/proc/sys/kernel/arch',
  '/proc/sys/kernel/domainname',
  '/proc/sys/kernel/hostname',
  '/proc/uptime',
  '/proc/vmstat',
  '/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq',
] as const;

const CGROUP_FILES =
  'memory[.](max|current|stat|swap[.]max|swap[.]current|limit_in_bytes|usage_in_bytes)|cpu[.](max|stat|cfs_quota_us|cfs_period_us)';

/**
 * Optional: facts of the server's machine, by a function that reads a fixed list of files and nothing else. A
 * superuser has to run it, since the function reads with its owner's rights.
 */
export function hostFactsScript(role: string): string {
  return `begin;
create schema if not exists matriarch_host;
alter schema matriarch_host owner to current_user;
revoke all on schema matriarch_host from public;
drop function if exists matriarch_host.matriarch_host_file(text);
create function matriarch_host.matriarch_host_file(path text)
returns text
language sql
volatile
strict
security definer
set search_path = pg_catalog, pg_temp
as $function$
  select case
    when path in (
      ${HOST_PATHS.map(quoteText).join(',\n      ')}
    )
    or (
      path ~ '^/sys/fs/cgroup(/[A-Za-z0-9_.@:-]+)*/(${CGROUP_FILES})$'
      and path !~ '[.][.]'
    )
    or path ~ '^/sys/devices/system/cpu/cpu0/cache/index[0-9]/(level|size|type)$'
    or (path ~ '^/sys/class/net/[A-Za-z0-9_.-]+/speed$' and path !~ '[.][.]')
    then pg_read_file(path, 0, 1000000, true)
  end
$function$;
revoke all on function matriarch_host.matriarch_host_file(text) from public;
grant usage on schema matriarch_host to ${quoteName(role)};
grant execute on function matriarch_host.matriarch_host_file(text) to ${quoteName(role)};
commit;`;
}

/** Optional: changes of pg_hba.conf and pg_ident.conf. A superuser has to run it. */
export function hbaScript({ role, server_version_num = NEWEST }: ScriptWishes): string {
  return hbaGrants(role, server_version_num).join('\n');
}

const commented = (sql: string) => sql.replace(/^/gm, '-- ');

/** All of it as one text that runs as it is; what is optional stands in comments. */
export function monitoringScript(wishes: ScriptWishes): string {
  const { role, database } = wishes;
  return [
    `-- Makes the monitoring role ${inComment(role)}. Run it as a superuser in the database ${inComment(database)}.`,
    roleScript(wishes),
    '',
    '-- Then give it a password; in psql this way it appears in no log and no history:',
    `--   \\password ${inComment(quoteName(role))}`,
    '',
    '-- postgresql.conf, if it is not so already (the first line needs a restart; keep the present entries):',
    "--   shared_preload_libraries = 'pg_stat_statements'",
    '--   track_io_timing = on',
    "-- pg_hba.conf, with Matriarch's address, before other lines that fit:",
    `--   hostssl all ${inComment(quoteName(role))} <address>/32 scram-sha-256`,
    '',
    "-- Optional: facts of the server's machine (processors, memory, load) from a fixed list of files.",
    commented(hostFactsScript(role)),
    '',
    '-- Optional: what the server writes into its log files (logging_collector = on), by a function that reads those alone.',
    commented(logsScript(role)),
    '',
    '-- Optional: how far sequences are; without it their exhaustion cannot be forecast. Choose one of two:',
    '-- 1. Sequences alone. Run it in each database, and again when new ones come.',
    commented(sequencesScript(role)),
    '-- 2. All databases and what comes later; the role may read all data then.',
    commented(`grant pg_read_all_data to ${quoteName(role)};`),
    '',
    '-- Optional: changes of pg_hba.conf and pg_ident.conf.',
    commented(hbaScript(wishes)),
    '',
  ].join('\n');
}

/** A role of its own for tools and models that run SQL: it reads what it is granted, and owns nothing. */
export function toolsScript(database: string): string {
  const role = 'matriarch_tools';
  const name = quoteName(role);
  return [
    `-- Makes the role ${inComment(role)}, with which tools run SQL that only reads. Run it in the database ${inComment(database)}, then add a`,
    '-- connection that signs in with it and is not monitored.',
    createRole(role),
    `alter role ${name} set default_transaction_read_only = on;`,
    `alter role ${name} set statement_timeout = '30s';`,
    `grant connect on database ${quoteName(database)} to ${name};`,
    '-- Statistics of all sessions; no settings, since some hold passwords.',
    `grant pg_read_all_stats to ${name};`,
    '-- What it may read, schema by schema:',
    `--   grant usage on schema public to ${inComment(name)};`,
    `--   grant select on all tables in schema public to ${inComment(name)};`,
    `--   alter default privileges in schema public grant select on tables to ${inComment(name)};`,
    '-- Then give it a password:',
    `--   \\password ${inComment(name)}`,
    '',
  ].join('\n');
}
