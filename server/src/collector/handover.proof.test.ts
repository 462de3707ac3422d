// What holds when collectors die or freeze, and when the datastore is away. Those that come and go are in sharing.proof.test.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../datastore/migrate.ts';
import { sleep } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { defineProbe } from '../probes/types.ts';
import { collecting } from '../testing/collecting.ts';
import { furtherSamples, newHouse, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { leases } from '../testing/leases.ts';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';

describe('several collectors', () => {
  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'one that ends by %s is replaced, and writes nothing afterwards',
    async (signal) => {
      const house = await newHouse();
      const server = await sharedServer(17);
      const id = await house.connect(server);
      const script = fileURLToPath(new URL('../testing/faults/collector-process.ts', import.meta.url));
      const child = spawn(process.execPath, [script, house.url.reveal(), house.keyFile], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => {
        child.kill('SIGKILL');
      });
      await once(child.stdout, 'data');
      await furtherSamples(house, id, 1);
      const [before] = await leases(house);
      child.kill(signal);
      const collector = house.start({ probes: [EVERY_SECOND] });
      await sleep(1500);
      expect(collector.holding).toEqual([]);
      // What eight seconds would do: this one came too late to see the other alive.
      await house.db.run(sql`update matriarch.connection_leases set expires_at = now()`);
      await expect.poll(() => collector.holding, SOON).toEqual([id]);
      const [after] = await leases(house);
      expect(after).toEqual({ connection_id: id, owner: collector.owner, epoch: (before?.epoch ?? 0) + 1 });
      if (signal === 'SIGSTOP') child.kill('SIGCONT');
      await furtherSamples(house, id, 3);
      expect(await leases(house)).toEqual([after]);
      expect(collector.holding).toEqual([id]);
    },
  );

  it('leave one alone whose sessions break, and find each other again when the datastore restarts', {
    timeout: 90_000,
  }, async () => {
    const datastore = await startCluster({ major: 16 });
    const url = new Secret(datastore.url);
    await migrate(url, silentLog);
    const house = await collecting(url);
    onTestFinished(async () => {
      await house.stop();
      await datastore.stop();
    });
    const server = await sharedServer(18);
    const ids = [await house.connect(server), await house.connect(server)];
    const collectors = [house.start({ probes: [EVERY_SECOND] }), house.start({ probes: [EVERY_SECOND] })];
    const holding = () => collectors.map((one) => one.holding.length);
    await expect.poll(holding, SOON).toEqual([1, 1]);
    const shown = async () => {
      const rows = await datastore.query(
        `select count(*)::int as n from pg_stat_activity a join pg_locks l on l.pid = a.pid and l.granted
         where a.application_name = 'matriarch presence' and l.locktype = 'advisory'`,
      );
      return rows[0]?.n;
    };
    const everybodySees = async () => {
      await expect.poll(shown, SOON).toBe(2);
      for (const id of ids) await furtherSamples(house, id, 4);
    };
    await everybodySees();
    const before = await leases(house);
    await datastore.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'matriarch presence'`,
    );
    await everybodySees();
    expect(await leases(house)).toEqual(before);
    await datastore.shutdown();
    await datastore.start();
    await everybodySees();
    expect(await leases(house)).toEqual(before);
    expect(holding()).toEqual([1, 1]);
  });
});

describe('a datastore that is away', () => {
  const memory = defineProbe({
    name: 'memory',
    description: 'One setting.',
    level: 'S',
    intervalSeconds: 1,
    retentionDays: 1,
    keeps: 'change-tracked',
    columns: [{ name: 'setting', type: 'text', kind: 'label', description: 'Value.' }],
    sql: () => `select pg_catalog.current_setting('maintenance_work_mem') as setting`,
  });

  it('stops nothing: sampling goes on, and the newest is written when it is back', async () => {
    const datastore = await startCluster({ major: 15 });
    const server = await startCluster({ major: 14 });
    const url = new Secret(datastore.url);
    await migrate(url, silentLog);
    const house = await collecting(url);
    onTestFinished(async () => {
      await house.stop();
      await datastore.stop();
      await server.stop();
    });
    const id = await house.connect(server);
    const collector = house.start({ probes: [EVERY_SECOND, memory] });
    await furtherSamples(house, id, 1);
    const before = await house.snapshot(id, 'pulse');
    await datastore.shutdown();
    await server.query(`alter role postgres set maintenance_work_mem = '9MB'`);
    await server.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'matriarch'`,
    );
    await expect.poll(() => collector.writer.stats.waiting_runs, SOON).toBe(2);
    const reconnected = async () => {
      const rows = await server.query(
        `select state_change > backend_start + interval '1 second' as used from pg_stat_activity
         where application_name = 'matriarch'`,
      );
      return rows[0]?.used;
    };
    await expect.poll(reconnected, SOON).toBe(true);
    expect(collector.writer.stats).toMatchObject({ waiting_runs: 2, dropped_runs: 0 });
    await datastore.start();
    await expect
      .poll(async () => (await house.snapshot(id, 'pulse').catch(() => undefined))?.collected_at ?? '', SOON)
      .not.toBe(before?.collected_at);
    await expect.poll(async () => (await house.facts(id, 'memory'))[0]?.value.setting, SOON).toBe('9MB');
    await furtherSamples(house, id, 2);
    expect(collector.holding).toEqual([id]);
  });
});
