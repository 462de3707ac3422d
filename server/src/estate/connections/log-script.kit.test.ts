// The function by which log files are read, on a real server: what it returns, and what it refuses whoever asks for whatever.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Major, startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { LOG_CHUNK_BYTES, LOG_HEAD_BYTES, logsScript } from './log-script.ts';

const ROLE = 'mon"itor';
const CALL = 'select head, bytes from matriarch_logs.matriarch_log_file($1, $2)';

async function signIn(server: TestCluster, user: string, options = ''): Promise<pg.Client> {
  const { host, port } = server;
  const client = new pg.Client({ host, port, user, password: 'secret', database: 'postgres', options });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const code = (work: Promise<unknown>) =>
  work.then(
    () => 'allowed',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : 'unknown'),
  );

async function loggingServer(major: Major, log_directory = 'log'): Promise<TestCluster> {
  const server = await startCluster({
    major,
    settings: { logging_collector: true, log_directory, log_filename: 'postgresql.log' },
  });
  onTestFinished(() => server.stop());
  for (const role of [ROLE, 'other'])
    await server.query(`create role ${pg.escapeIdentifier(role)} login password 'secret'`);
  await server.query(`grant pg_monitor to ${pg.escapeIdentifier(ROLE)}`);
  await server.query(logsScript(ROLE));
  return server;
}

/** How many rows the function answers. */
const answers = async (client: pg.Client, file: string | null, start: number | null = 0) =>
  (await client.query(CALL, [file, start])).rows.length;

describe.each(majorsOfKits())('the function that reads log files on PostgreSQL %i', (major) => {
  it('reads files of the log directory from any offset, and nothing else', async () => {
    const server = await loggingServer(major);
    const directory = path.join(server.directory, 'log');
    writeFileSync(path.join(directory, 'big.log'), `${'a'.repeat(LOG_CHUNK_BYTES)}end`);
    writeFileSync(path.join(directory, 'secret.txt'), 'no log');
    writeFileSync(path.join(directory, '.hidden.log'), 'no log');
    mkdirSync(path.join(directory, 'folder.log'));
    symlinkSync('../PG_VERSION', path.join(directory, 'version'));
    symlinkSync('/nowhere/at/all', path.join(directory, 'dangling.log'));
    symlinkSync('..', path.join(directory, 'up.log'));
    const client = await signIn(server, ROLE);
    const { rows } = await client.query<{ head: Buffer; bytes: Buffer }>(CALL, ['big.log', 0]);
    expect(rows.map(({ head, bytes }) => [head.length, bytes.length])).toEqual([
      [LOG_HEAD_BYTES, LOG_CHUNK_BYTES],
    ]);
    const rest = await client.query<{ bytes: Buffer }>(CALL, ['big.log', LOG_CHUNK_BYTES]);
    expect(rest.rows[0]?.bytes.toString()).toBe('end');
    const beyond = await client.query<{ bytes: Buffer }>(CALL, ['big.log', 9_000_000_000]);
    expect(beyond.rows[0]?.bytes.length).toBe(0);
    expect(await answers(client, 'postgresql.log')).toBe(1);
    for (const file of [
      '../PG_VERSION',
      '../postgresql.conf',
      'log/../../PG_VERSION',
      './postgresql.log',
      'folder.log/../../postgresql.conf',
      path.join(server.directory, 'postgresql.conf'),
      path.join(directory, 'postgresql.log'),
      '/etc/passwd',
      'missing.log',
      'secret.txt',
      '.hidden.log',
      'folder.log',
      'version',
      'dangling.log',
      'up.log',
      'up.log/PG_VERSION',
      'postgresql.log ',
      'postgresql.log\n',
      'POSTGRESQL.LOG',
      'postgresql.%',
      "' or true --.log",
      '',
      '.',
    ])
      expect(await answers(client, file), JSON.stringify(file)).toBe(0);
    // A negative offset would be read from the end.
    for (const start of [-1, -9_000_000_000]) expect(await answers(client, 'big.log', start)).toBe(0);
    expect(await answers(client, null)).toBe(0);
    expect(await answers(client, 'big.log', null)).toBe(0);
  });

  it('is for one role, reads no other file where the log directory is that of the data, and settings of the caller change nothing', async () => {
    const server = await loggingServer(major, '.');
    await server.query(`create schema evil; grant usage on schema evil to public;
      create function evil.current_setting(text) returns text language sql as $$ select 'nowhere' $$`);
    const client = await signIn(
      server,
      ROLE,
      // Which cannot be off since 19.
      `${major < 19 ? '-c standard_conforming_strings=off ' : ''}-c search_path=evil,pg_catalog`,
    );
    expect((await client.query("select current_setting('port')")).rows).toEqual([
      { current_setting: 'nowhere' },
    ]);
    for (const file of ['postgresql.conf', 'pg_hba.conf', 'postgresql.auto.conf', 'PG_VERSION'])
      expect(await answers(client, file), file).toBe(0);
    const { rows } = await client.query<{ bytes: Buffer }>(CALL, ['postgresql.log', 0]);
    expect(rows[0]?.bytes.toString()).toContain('starting PostgreSQL');
    expect(await code(client.query("select pg_read_file('postgresql.log')"))).toBe('42501');
    expect(await code(client.query("select pg_read_binary_file('PG_VERSION', 0, 1)"))).toBe('42501');
    const other = await signIn(server, 'other');
    expect(await code(other.query(CALL, ['postgresql.log', 0]))).toBe('42501');
    await server.query('grant usage on schema matriarch_logs to other');
    expect(await code(other.query(CALL, ['postgresql.log', 0]))).toBe('42501');
  });

  it('replaces what another role has put there before, with its owner and its grants', async () => {
    const server = await loggingServer(major);
    await server.query('drop schema matriarch_logs cascade; grant create on database postgres to other');
    const other = await signIn(server, 'other');
    await other.query(`create schema matriarch_logs;
      create function matriarch_logs.matriarch_log_file(file text, start bigint)
      returns table (head bytea, bytes bytea) language sql as $$ select 'x'::bytea, 'x'::bytea $$;
      grant all on function matriarch_logs.matriarch_log_file(text, bigint) to public`);
    await server.query(logsScript(ROLE));
    await server.query(logsScript(ROLE));
    const [made] = await server.query(`select p.prosecdef, r.rolsuper, n.nspowner = p.proowner as same
      from pg_proc p join pg_roles r on r.oid = p.proowner join pg_namespace n on n.oid = p.pronamespace
      where p.proname = 'matriarch_log_file'`);
    expect(made).toEqual({ prosecdef: true, rolsuper: true, same: true });
    expect(await code(other.query(CALL, ['postgresql.log', 0]))).toBe('42501');
    expect(await code(other.query('create table matriarch_logs.t ()'))).toBe('42501');
    expect(await answers(await signIn(server, ROLE), 'postgresql.log')).toBe(1);
  });
});
