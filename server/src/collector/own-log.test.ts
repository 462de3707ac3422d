// A server that logs every statement of our role says so, with what ends it.
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { startCluster } from '../testing/servers/postgres.ts';

it('says what it writes into the log of a server that logs all statements, and what ends that', async () => {
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
  house.start();
  await pollMoved(house, async () => (await house.snapshot(id, 'pg_connectivity'))?.reason).toBeNull();
}, 120_000);
