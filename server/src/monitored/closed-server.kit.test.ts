// Servers that run and accept no session: after a crash, while stopping, while recovering, as a standby without hot_standby; and databases
// that accept none. Each says which of them it is, since what to do differs.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClient } from '../testing/servers/client.ts';
import { hasPooler, POOLER, startPooler } from '../testing/servers/pooler.ts';
import { startCluster, type TestCluster, type TestServer } from '../testing/servers/postgres.ts';
import { stopAtEnd } from '../testing/servers/server-sets.ts';
import { targetFailure, testSettings } from '../testing/servers/target.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { connectTarget, type TargetError } from './connect.ts';

const refusal = (server: TestServer, database = 'postgres'): Promise<TargetError> =>
  targetFailure(connectTarget(testSettings(server, { database })));

const postmasterOf = ({ directory }: TestCluster) =>
  Number(readFileSync(path.join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);

/** Starts what will not accept sessions as long as the test runs. */
async function startClosed(server: TestCluster): Promise<void> {
  const started = server.start().catch(() => undefined);
  await expect.poll(() => refusal(server).then(({ code }) => code), { timeout: 20_000 }).toBe('57P03');
  onTestFinished(async () => {
    process.kill(postmasterOf(server), 'SIGQUIT');
    await started;
  });
}

const configure = ({ directory }: TestCluster, lines: string) =>
  appendFileSync(path.join(directory, 'postgresql.auto.conf'), `\n${lines}\n`);

describe.each(majorsOfKits())('PostgreSQL %i', (major) => {
  it('is in crash recovery after a process was killed', async () => {
    const server = await stopAtEnd(startCluster({ major }));
    const [held, killed] = [await openClient(server, 'held'), await openClient(server, 'killed')];
    // The server waits five seconds for the one that cannot end by itself.
    process.kill(held.pid, 'SIGSTOP');
    process.kill(killed.pid, 'SIGKILL');
    await expect
      .poll(() => refusal(server).then(({ message }) => message), { interval: 20 })
      .toMatch(/^The server is in crash recovery: one of its processes crashed/);
  });

  it('is shutting down, and waits for a session', async () => {
    const server = await stopAtEnd(startCluster({ major }));
    const held = await openClient(server, 'held');
    onTestFinished(() => held.end());
    process.kill(server.pid, 'SIGTERM');
    await expect
      .poll(() => refusal(server).then(({ message }) => message), { interval: 20 })
      .toMatch(/^The server is shutting down\./);
  });

  it('is starting up while a backup is restored', async () => {
    const server = await stopAtEnd(startCluster({ major }));
    await server.shutdown();
    configure(server, `restore_command = 'sleep 60'`);
    writeFileSync(path.join(server.directory, 'recovery.signal'), '');
    await startClosed(server);
    expect(await refusal(server)).toMatchObject({
      step: 'sign_in',
      message: expect.stringMatching(/^The server is starting up\. After a crash or while a backup/),
    });
  });

  it('is a standby without hot_standby', async () => {
    const server = await stopAtEnd(startCluster({ major, settings: { hot_standby: false } }));
    await server.shutdown();
    writeFileSync(path.join(server.directory, 'standby.signal'), '');
    await startClosed(server);
    await expect
      .poll(() => refusal(server).then(({ message }) => message))
      .toBe('The server is a standby that accepts no sessions: hot_standby is off.');
  });

  it('has a database that accepts no sessions, or was dropped halfway', async () => {
    const server = await stopAtEnd(startCluster({ major }));
    await server.query('create database closed allow_connections false');
    await server.query('create database half');
    await server.query(`update pg_database set datconnlimit = -2 where datname = 'half'`);
    for (const name of ['closed', 'half'])
      expect((await refusal(server, name)).message).toMatch(
        new RegExp(`^The database ${name} accepts no sessions: .*datconnlimit`),
      );
  });
});

it('breaks off a session that was open, and does not ask whether anything listens there', async () => {
  const server = await stopAtEnd(startCluster());
  const client = await connectTarget(testSettings(server));
  onTestFinished(() => client.destroy());
  const answer = targetFailure(client.query('select pg_catalog.pg_sleep(30)'));
  await expect
    .poll(() =>
      server.query(
        `select from pg_stat_activity where query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`,
      ),
    )
    .toHaveLength(1);
  await server.kill();
  expect(await answer).toMatchObject({
    code: 'ECONNRESET',
    message: expect.stringMatching(/^The session on 127\.0\.0\.1 port \d+ broke off: the server crashed/),
  });
});

it.skipIf(!hasPooler)(
  `is away behind ${POOLER}, or has no session free there, which answers all the same`,
  async () => {
    const server = await stopAtEnd(startCluster());
    const { port, superuser: username, password } = server;
    await using pooler = await startPooler({
      ...{ port, username, password, database: 'postgres', pool_mode: 'transaction' },
      settings: [
        'ignore_startup_parameters = extra_float_digits,options',
        'query_wait_timeout = 1',
        'server_login_retry = 1',
      ],
    });
    const over = { ...server, port: pooler.port };
    const client = await connectTarget(testSettings(over));
    onTestFinished(() => client.destroy());
    const holder = await pooler.client();
    onTestFinished(() => holder.end().catch(() => undefined));
    await holder.query('begin');
    expect(await targetFailure(client.query('select 1'))).toMatchObject({
      message: expect.stringMatching(
        /^The connection pooler on .* had no session of the server free in time/,
      ),
    });
    await server.shutdown();
    const away =
      /^A connection pooler answers on 127\.0\.0\.1 port \d+, and does not reach the server behind it\./;
    await expect.poll(() => refusal(over).then(({ message }) => message), { timeout: 20_000 }).toMatch(away);
  },
);
