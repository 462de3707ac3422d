// A database that the server's pg_hba.conf keeps us out of: hours between two attempts, each of which is one line in the log, and
// at once when the configuration is loaded anew; everything else of the server is read meanwhile.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { sqlProbe } from '../testing/servers/database-probes.ts';
import { startCluster } from '../testing/servers/postgres.ts';

const HBA = ['host closed all 127.0.0.1/32 reject', 'host all all 127.0.0.1/32 scram-sha-256'];
const PROBES = ['pg_connectivity', 'pg_extension', 'pg_stat_all_tables', 'pg_subscription_rel'].map((name) =>
  sqlProbe(name),
);

it('is tried every few hours, with one line in the log each time', async () => {
  const house = await newHouse();
  const server = await startCluster({ hba: HBA });
  onTestFinished(() => server.stop());
  await server.query('create database closed');
  await server.query('create database full_up connection limit 0');
  await server.query("create role plain login password 'plain' in role pg_monitor");
  const attempts = () => readFileSync(server.logFile, 'utf8').match(/FATAL: .*"closed"/g)?.length ?? 0;
  const id = await house.connect(server, { username: 'plain', password: 'plain' });
  house.start({ probes: PROBES });
  const of = async (database: string) => (await house.snapshot(id, 'pg_stat_all_tables', database))?.outcome;
  await pollMoved(house, () => of('closed')).toBe('failed');
  await pollMoved(house, () => of('postgres')).toBe('ran');
  expect(attempts()).toBe(1);
  // One whose limit lets nobody in is never knocked at.
  await pollMoved(house, () => of('full_up')).toBe('skipped');
  expect((await house.snapshot(id, 'pg_stat_all_tables', 'full_up'))?.reason).toMatch(
    /connection limit is 0/,
  );
  // Three hours: one hour after the first attempt, and two after that.
  const since = house.clock.monotonic();
  const hours = () => (house.clock.monotonic() - since) / 3_600_000;
  await pollMoved(house, hours, 120).toBeGreaterThan(2.9);
  expect(attempts()).toBe(2);
  await pollMoved(house, attempts, 120).toBe(3);
  const conf = path.join(server.directory, 'pg_hba.conf');
  const lines = readFileSync(conf, 'utf8').replace(
    'closed all 127.0.0.1/32 reject',
    'closed all 127.0.0.1/32 scram-sha-256',
  );
  writeFileSync(conf, lines);
  await server.query('select pg_reload_conf()');
  await pollMoved(house, () => of('closed'), 10).toBe('ran');
  expect(attempts()).toBe(3);
  expect(readFileSync(server.logFile, 'utf8')).not.toMatch(/FATAL: .*"full_up"/);
});

it('names a login event trigger that fails, whatever SQLSTATE it has, and a library that is not there', async () => {
  const house = await newHouse();
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query('create database triggered');
  await server.query('create database lacking');
  await server.query("create role plain login password 'plain' in role pg_monitor");
  await server.query(
    "alter role plain in database lacking set session_preload_libraries = 'no_such_library'",
  );
  const inside = new pg.Client({
    host: server.socketDir,
    port: server.port,
    user: 'postgres',
    database: 'triggered',
  });
  await inside.connect();
  await inside.query('create table seen (role name)');
  await inside.query(
    'create function seen() returns event_trigger language plpgsql as $$ begin insert into seen values (session_user); end $$',
  );
  await inside.query('create event trigger seen on login execute function seen()');
  await inside.end();
  const id = await house.connect(server, { username: 'plain', password: 'plain' });
  house.start({ probes: PROBES });
  const of = async (database: string) => (await house.snapshot(id, 'pg_stat_all_tables', database))?.reason;
  await pollMoved(house, () => of('triggered')).toMatch(/login event trigger/);
  await pollMoved(house, () => of('lacking')).toMatch(/session_preload_libraries/);
});
