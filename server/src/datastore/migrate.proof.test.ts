// Migrations on servers that write to their disks: one that dies in between, and how often it is waited for. All else: migrate.test.ts.
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { migrate } from './migrate.ts';

/** As servers are set by default; those of tests forget what they have not written when they die. */
const DURABLE = { fsync: true, synchronous_commit: true };

it('goes on where a server was that died in between', async () => {
  const server = await startCluster({ settings: DURABLE });
  onTestFinished(() => server.stop());
  const url = new Secret(server.url);
  const all = await migrate(url, silentLog);
  await server.kill();
  await server.start();
  // The server may have lost the last ones, and only those.
  const kept = await server.query('select name from matriarch.migrations order by version');
  const lost = await migrate(url, silentLog);
  expect([...kept.map(({ name }) => name), ...lost]).toEqual(all);

  // What is committed after them takes them along.
  await server.query('create table matriarch.committed_later ()');
  await server.kill();
  await server.start();
  expect(await migrate(url, silentLog)).toEqual([]);
});

it('waits for the disk no more often than for the last of them', async () => {
  const server = await startCluster({ settings: DURABLE });
  onTestFinished(() => server.stop());
  const flushes = async () =>
    (
      await server.query(`select sum(fsyncs)::int as n from pg_stat_io
        where object = 'wal' and backend_type = 'client backend'`)
    )[0]?.n;
  const before = Number(await flushes());
  const all = await migrate(new Secret(server.url), silentLog);
  expect(all.length).toBeGreaterThan(40);
  expect(Number(await flushes()) - before).toBeLessThan(all.length / 2);
});
