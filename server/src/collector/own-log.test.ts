// A server that logs every statement of our role says so, with what ends it; one whose clock is another says that.
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { startCluster } from '../testing/servers/postgres.ts';

it('says what it writes into the log of a server that logs all statements, what ends that, and whose clock is wrong', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  await cluster.query(`create role mon login password 'mon'`);
  await cluster.query('grant pg_monitor to mon');
  await cluster.query(`alter role mon set log_statement = 'all'`);
  await cluster.query('alter role mon set log_min_duration_statement = 0');
  await cluster.query('alter role mon set standard_conforming_strings = off');
  const house = await newHouse();
  const id = await house.connect(cluster, { username: 'mon', password: 'mon' });
  const collector = house.start();
  await pollMoved(house, async () => (await house.snapshot(id, 'pg_connectivity'))?.reason ?? '').toMatch(
    /^The server logs every statement of mon \(log_statement = all, log_min_duration_statement = 0\): about [\d,]+ entries and [\d,]+ MB a day\.$/,
  );
  await collector.stop();
  expect(readFileSync(cluster.logFile, 'utf8')).not.toMatch(/WARNING/);
  const mend = String((await house.snapshot(id, 'pg_connectivity'))?.mend);
  for (const statement of mend.split('\n')) await cluster.query(statement);
  const again = house.start();
  await pollMoved(house, async () => (await house.snapshot(id, 'pg_connectivity'))?.reason).toBeNull();
  await again.stop();
  // A built-in function is inlined by what is written of it, where no plan is cached.
  await cluster.query(`create or replace function pg_catalog.clock_timestamp() returns timestamptz language sql
    volatile as 'select pg_catalog.now() - interval ''1 hour'''`);
  house.start();
  await pollMoved(house, async () => (await house.snapshot(id, 'pg_connectivity'))?.reason ?? '').toMatch(
    /^The clock of the server is (?:1 h|59 min 50 s) behind the clock of the datastore: /,
  );
}, 120_000);
