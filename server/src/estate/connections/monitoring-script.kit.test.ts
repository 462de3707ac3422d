import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { connectTarget, type TargetClient } from '../../monitored/connect.ts';
import { sharedServer, type TestServer } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { hbaScript, hostFactsScript, monitoringScript, sequencesScript } from './monitoring-script.ts';

/** Runs a text of many statements as the superuser, as somebody would paste it. */
async function run(server: TestServer, database: string, text: string): Promise<void> {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  const there = new pg.Client({ connectionString: url.toString() });
  await there.connect();
  try {
    await there.query(text);
  } finally {
    await there.end();
  }
}

async function signIn(
  server: TestServer,
  over: { username: string; database: string },
): Promise<TargetClient> {
  return connectTarget({
    host: server.host,
    port: server.port,
    password: new Secret('a password of the test'),
    ssl_mode: 'disable',
    application_name: 'matriarch test',
    connect_timeout_ms: 5000,
    statement_timeout_ms: 5000,
    allow_private_networks: true,
    ...over,
  });
}

const code = (work: Promise<unknown>) =>
  work.then(
    () => 'allowed',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : 'unknown'),
  );

/** What another role has put there before is replaced, with its owner and its grants; also what the script itself made. */
async function replacesHostFacts(
  server: TestServer,
  client: TargetClient,
  { username, database }: { username: string; database: string },
): Promise<void> {
  await run(
    server,
    database,
    `create role intruder; create schema matriarch_host authorization intruder; set role intruder;
    create function matriarch_host.matriarch_host_file(path text) returns text language sql as $$ select 'x' $$;
    grant all on function matriarch_host.matriarch_host_file(text) to public`,
  );
  await run(server, database, hostFactsScript(username));
  await run(server, database, hostFactsScript(username));
  const [made] = await client.query(`
    select p.prosecdef, r.rolsuper, n.nspowner = p.proowner as same,
      has_function_privilege('intruder', p.oid, 'execute') as open
    from pg_proc p join pg_roles r on r.oid = p.proowner join pg_namespace n on n.oid = p.pronamespace
    where p.proname = 'matriarch_host_file'`);
  expect(made).toEqual({ prosecdef: true, rolsuper: true, same: true, open: false });
  await run(server, database, 'drop role intruder');
}

/** Of a schema that another role made first, or was given, it may use what is there and no more. */
async function takesSchemaOfStatements(
  server: TestServer,
  client: TargetClient,
  { username, database }: { username: string; database: string },
): Promise<void> {
  const script = monitoringScript({ role: username, database });
  const rights = async () => {
    const [found] = await client.query(`
      select r.rolsuper as by_superuser, has_schema_privilege('squatter', n.oid, 'create') as may_create,
        has_schema_privilege('squatter', n.oid, 'usage') as may_use, e.extname is not null as has_extension
      from pg_namespace n join pg_roles r on r.oid = n.nspowner left join pg_extension e on e.extnamespace = n.oid
      where n.nspname = 'monitoring'`);
    return found;
  };
  const taken = { by_superuser: true, may_create: false, may_use: true, has_extension: true };
  await run(server, database, 'create role squatter; alter schema monitoring owner to squatter');
  await run(server, database, script);
  expect(await rights()).toEqual(taken);
  await run(
    server,
    database,
    `drop extension pg_stat_statements; drop schema monitoring cascade; create schema monitoring authorization squatter;
    grant all on schema monitoring to public`,
  );
  await run(server, database, script);
  expect(await rights()).toEqual(taken);
  await run(server, database, 'drop owned by squatter; drop role squatter');
}

/** Both ways that the script offers. */
async function sequencesOf(
  server: TestServer,
  client: TargetClient,
  { username, database }: { username: string; database: string },
): Promise<void> {
  const quoted = `"${username.replaceAll('"', '""')}"`;
  await run(server, database, 'create schema "O dd"; create sequence "O dd".s; select nextval(\'"O dd".s\')');
  const read = async () => {
    const [row] = await client.query(`select
        case when has_sequence_privilege(s.oid, 'select') then pg_sequence_last_value(s.oid)::int end as value,
      has_sequence_privilege(s.oid, 'select') as may from pg_class s where s.relname = 's'`);
    return row;
  };
  expect((await read())?.may).toBe(false);
  await run(server, database, sequencesScript(username));
  expect(await read()).toEqual({ value: 1, may: true });
  await run(server, database, `revoke select on sequence "O dd".s from ${quoted}`);
  const script = monitoringScript({ role: username, database });
  const whole = /^-- (grant pg_read_all_data to .*;)$/m.exec(script)?.[1] ?? expect.fail('no second way');
  await run(server, database, whole);
  expect(await read()).toEqual({ value: 1, may: true });
  await run(server, database, `revoke pg_read_all_data from ${quoted}`);
}

describe.each(majorsOfKits())('the script on PostgreSQL %i', (major) => {
  const username = `mon"itor $do$ ${major}`;
  const database = `script_${major}`;
  const closed = `closed_${major}`;
  const quoted = `"${username.replaceAll('"', '""')}"`;

  it('makes a role that reads statistics and nothing else; run twice it changes nothing', async () => {
    const server = await sharedServer(major);
    await run(server, 'postgres', `create database ${database}`);
    await run(server, 'postgres', `create database ${closed}`);
    try {
      await run(
        server,
        database,
        `create table private as select 1 as secret; revoke connect on database ${closed} from public`,
      );
      const wishes = {
        role: username,
        database,
        databases: [closed],
        server_version_num: major * 10_000,
      };
      await run(server, database, monitoringScript(wishes));
      await run(server, database, monitoringScript(wishes));
      expect(await code(signIn(server, { username, database }))).toBe('28P01');
      await run(server, database, `alter role ${quoted} password 'a password of the test'`);
      const client = await signIn(server, { username, database });
      const [rights] = await client.query(`
        select r.rolsuper, r.rolcreatedb, r.rolcreaterole, r.rolreplication, r.rolconnlimit,
          pg_has_role('pg_monitor', 'usage') as monitor,
          has_database_privilege('${closed}', 'connect') as may_connect
        from pg_roles r where r.rolname = current_user`);
      expect(rights).toEqual({
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolconnlimit: 10,
        monitor: true,
        may_connect: true,
      });
      expect(await client.query('select 1 as n from monitoring.pg_stat_statements limit 1')).toEqual([
        { n: 1 },
      ]);
      const [open] = await client.query(
        `select has_schema_privilege('monitoring', 'create') as by_us, exists (
           select from pg_namespace n cross join lateral aclexplode(n.nspacl) a
           where n.nspname = 'monitoring' and a.grantee = 0) as by_all`,
      );
      expect(open).toEqual({ by_us: false, by_all: false });
      await takesSchemaOfStatements(server, client, { username, database });
      await sequencesOf(server, client, { username, database });
      expect(await code(client.query('select * from public.private'))).toBe('42501');
      expect(await code(client.query("select pg_read_file('/etc/hostname')"))).toBe('42501');
      expect(await code(client.query('select * from pg_hba_file_rules'))).toBe('42501');

      await run(server, database, hbaScript(wishes));
      expect(await code(client.query('select * from pg_hba_file_rules'))).toBe('allowed');
      if (major >= 15)
        expect(await code(client.query('select * from pg_ident_file_mappings'))).toBe('allowed');

      await replacesHostFacts(server, client, { username, database });
      const read = async (path: string) => {
        const [row] = await client.query<{ text: string | null }>(
          'select matriarch_host.matriarch_host_file($1) as text',
          [path],
        );
        return row?.text ?? null;
      };
      expect(await read('/proc/meminfo')).toContain('MemTotal');
      expect(await read('/proc/self/cgroup')).not.toBe('');
      expect(await read('/proc/sys/fs/file-nr')).toMatch(/^\d+\s/);
      expect(await read('/proc/loadavg')).toMatch(/^\d/);
      expect(await read('/sys/fs/cgroup/no/such/group/memory.max')).toBeNull();
      for (const path of [
        '/etc/passwd',
        '/proc/meminfo/',
        '/proc/self/environ',
        '/proc/../etc/passwd',
        '/sys/fs/cgroup/../../../etc/memory.max',
        '/sys/fs/cgroup/memory.max\n/etc/passwd',
        '/sys/class/net/../speed',
        '/sys/class/net/lo/speed\n/etc/passwd',
        '/sys/devices/system/cpu/cpu0/cache/index0/../../online',
        'postgresql.conf',
        '',
      ]) {
        expect(await read(path), path).toBeNull();
      }
      await client.close();
    } finally {
      await run(server, 'postgres', `drop database if exists ${closed} with (force)`);
      await run(server, 'postgres', `drop database if exists ${database} with (force)`);
      await run(server, 'postgres', `drop owned by ${quoted}; drop role ${quoted}`);
    }
  });
});
