// What holds when collectors come, go, die or freeze, and when the datastore is away.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../datastore/migrate.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { defineProbe } from '../probes/types.ts';
import { type Collecting, collecting } from '../testing/collecting.ts';
import { furtherSamples, newHouse, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';

interface LeaseRow {
  connection_id: number;
  owner: string;
  epoch: number;
}

describe('several collectors', () => {
  const leases = (house: Collecting) =>
    house.db.rows<LeaseRow>(
      sql`select connection_id, owner, epoch from matriarch.connection_leases order by connection_id`,
    );

  it('share the connections evenly, and one takes over when the other stops', async () => {
    const house = await newHouse();
    const server = await sharedServer(18);
    const ids = await Promise.all(Array.from({ length: 7 }, () => house.connect(server)));
    const first = house.start({ probes: [EVERY_SECOND] });
    await expect.poll(() => first.holding, SOON).toEqual(ids.toSorted((a, b) => a - b));
    const second = house.start({ probes: [EVERY_SECOND] });
    await expect.poll(() => [first.holding.length, second.holding.length], SOON).toEqual([4, 3]);
    expect(first.holding.filter((id) => second.holding.includes(id))).toEqual([]);
    const moved = second.holding[0] ?? 0;
    expect((await leases(house)).find((row) => row.connection_id === moved)).toEqual({
      connection_id: moved,
      owner: second.owner,
      epoch: 2,
    });
    await furtherSamples(house, moved, 2);
    await first.stop();
    await expect.poll(() => second.holding.length, SOON).toBe(7);
    await furtherSamples(house, ids[0] ?? 0, 1);
  });

  it('one that fell asleep in the middle of a COPY does not keep what it has locked', async () => {
    const house = await newHouse();
    const id = await house.connect(await sharedServer(18));
    await house.db.run(sql`
      insert into matriarch.connection_leases (connection_id, owner, expires_at)
      values (${id}, 'asleep', now() - interval '1 minute')`);
    const client = new pg.Client({
      connectionString: house.url.reveal(),
      application_name: 'matriarch test',
    });
    const { promise: ended, resolve } = Promise.withResolvers<Error>();
    client.on('error', resolve);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(
      `begin; select from matriarch.connection_leases where connection_id = ${id} for update`,
    );
    const copy = client.query(copyFrom('copy matriarch.login_attempts (address) from stdin'));
    copy.on('error', resolve);
    copy.write('somewhere\n');
    const collector = house.start({ probes: [EVERY_SECOND] });
    await expect.poll(() => collector.holding, SOON).toEqual([id]);
    await ended;
    await collector.stop();
  });

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

  it.each([-600_000, 600_000])(
    'stamps what it reads by the datastore’s clock, with its own off by %i ms',
    async (off) => {
      const house = await newHouse();
      const id = await house.connect(await sharedServer(18));
      house.start({ probes: [EVERY_SECOND], clock: { ...systemClock, now: () => systemClock.now() + off } });
      await furtherSamples(house, id, 2);
      const row = await house.db.one<{ old_s: number }>(sql`
      select extract(epoch from now() - s.collected_at)::float8 as old_s
      from metrics.current_snapshots s where s.connection_id = ${id} and s.probe = 'pulse'`);
      expect(Math.abs(row.old_s)).toBeLessThan(30);
    },
  );
});

describe('a datastore that is away', () => {
  const memory = defineProbe({
    name: 'work_mem',
    description: 'One setting.',
    level: 'S',
    intervalSeconds: 1,
    retentionDays: 1,
    keeps: 'change-tracked',
    columns: [{ name: 'setting', type: 'text', kind: 'label', description: 'Value.' }],
    sql: () => `select pg_catalog.current_setting('work_mem') as setting`,
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
    await server.query(`alter role postgres set work_mem = '9MB'`);
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
    await expect.poll(async () => (await house.facts(id, 'work_mem'))[0]?.value.setting, SOON).toBe('9MB');
    await furtherSamples(house, id, 2);
    expect(collector.holding).toEqual([id]);
  });
});
