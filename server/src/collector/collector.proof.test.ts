// A real server that changes while a collector reads it, and many connections to one. A server that stays as it is: collector.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { Collecting } from '../testing/collecting.ts';
import { newHouse, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { everythingRan, HOSTILE, sessionsOn, watchedServer } from '../testing/watched-server.ts';

let house: Collecting;
let server: TestCluster;
beforeAll(async () => {
  server = await watchedServer();
});
beforeEach(async () => {
  house = await newHouse();
});
afterAll(() => server.stop());

describe('a monitored server', () => {
  it('that is added while collecting is sampled on the next tick; NOTIFY is a hint only', async () => {
    house.start();
    const id = await house.connect(server);
    await everythingRan(house, id);
  });

  it('notices a grant without a restart, and a dropped database', async () => {
    await server.query('create database brief');
    const id = await house.connect(server, { username: 'watcher', password: 'watcher' });
    const collector = house.start();
    await expect
      .poll(() => house.snapshot(id, 'pg_extension', 'closed'), SOON)
      .toMatchObject({ outcome: 'skipped' });
    await expect
      .poll(() => house.snapshot(id, 'pg_extension', 'brief'), SOON)
      .toMatchObject({ outcome: 'ran' });
    await server.query('grant connect on database closed to watcher');
    await server.query('drop database brief');
    // An edit starts everything anew; without it the same happens within a minute.
    await house.db.run(sql`update matriarch.connections set revision = revision + 1 where id = ${id}`);
    await expect
      .poll(() => house.snapshot(id, 'pg_extension', 'closed'), SOON)
      .toMatchObject({ outcome: 'ran' });
    await expect.poll(() => house.snapshot(id, 'pg_extension', 'brief'), SOON).toBe(undefined);
    await expect
      .poll(async () => (await house.facts(id, 'pg_extension')).map((row) => row.database_name), SOON)
      .not.toContain('brief');
    await collector.stop();
    await server.query('revoke connect on database closed from watcher');
  });

  it('has eight sessions kept, however many connections lead to it, and all are sampled', async () => {
    const ids = await Promise.all(Array.from({ length: 14 }, () => house.connect(server)));
    house.start();
    for (const id of ids) await everythingRan(house, id);
    await expect.poll(() => sessionsOn(server), SOON).toBe(8);
    for (const id of ids) expect((await house.snapshot(id, 'pg_settings'))?.outcome).toBe('ran');
  });
});

describe('slow facts', () => {
  it('of a standby tell its role, and its promotion', async () => {
    const standby = await startCluster({ standbyOf: server });
    onTestFinished(() => standby.stop());
    const [primaryId, id] = [await house.connect(server), await house.connect(standby)];
    house.start({ probes: [...probes, EVERY_SECOND] });
    const info = async (of: number) => (await house.facts(of, 'pg_server_info'))[0]?.value;
    await expect.poll(() => info(id), SOON).toMatchObject({ is_in_recovery: true });
    await expect.poll(() => info(primaryId), SOON).toMatchObject({ is_in_recovery: false });
    expect((await info(id))?.system_identifier).toBe((await info(primaryId))?.system_identifier);
    await expect
      .poll(() => house.snapshot(id, 'pg_extension', HOSTILE), SOON)
      .toMatchObject({ outcome: 'ran' });
    await standby.query('select pg_promote()');
    await expect.poll(() => info(id), SOON).toMatchObject({ is_in_recovery: false });
  });

  it('tell a restart', async () => {
    const restarted = await startCluster({ major: 15 });
    onTestFinished(() => restarted.stop());
    const id = await house.connect(restarted);
    house.start({ probes: [...probes, EVERY_SECOND] });
    const started = async () => (await house.facts(id, 'pg_server_info'))[0]?.value.postmaster_start_time;
    await expect.poll(started, SOON).toBeTypeOf('string');
    const before = await started();
    await restarted.shutdown();
    await expect.poll(async () => (await house.state(id))?.connection_error, SOON).toBeTypeOf('string');
    await restarted.start();
    await expect.poll(started, SOON).not.toBe(before);
    await expect.poll(() => house.state(id), SOON).toMatchObject({ connection_error: null });
  });
});
