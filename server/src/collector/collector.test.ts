// A real server as a collector reads it: completely, as far as its role may, as it is edited, and until it is left. Many connections
// to one server, and servers that change beside us, are in collector.proof.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sleep } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import type { Collecting } from '../testing/collecting.ts';
import { newHouse, SOON } from '../testing/collecting-tests.ts';
import type { TestCluster } from '../testing/servers/postgres.ts';
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
  it('is sampled completely, over one kept session, at once', async () => {
    const id = await house.connect(server);
    house.start();
    await everythingRan(house, id);
    const snapshots = await house.snapshots(id);
    expect(snapshots.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    const skipped = new Set(
      snapshots.filter(({ outcome }) => outcome === 'skipped').map(({ probe }) => probe),
    );
    for (const probe of probes.filter(({ name }) => skipped.has(name))) expect(probe.requires).toBeDefined();
    const ran = snapshots.filter(({ outcome }) => outcome === 'ran');
    expect(ran.every(({ took_ms }) => took_ms !== null && took_ms >= 0)).toBe(true);
    const ping = await house.snapshot(id, 'pg_connectivity');
    expect(ping?.rows?.[0]?.response_time_ms).toBeGreaterThan(0);
    const extensions = await house.facts(id, 'pg_extension');
    expect(extensions.map((row) => `${row.item_key} in ${row.database_name}`).sort()).toEqual(
      [
        'pg_stat_statements in postgres',
        ...['closed', 'postgres', 'shop', HOSTILE].map((name) => `plpgsql in ${name}`),
      ].sort(),
    );
    expect(extensions.find((row) => row.database_name === HOSTILE)?.value).toEqual({
      extname: 'plpgsql',
      extversion: '1.0',
      default_version: '1.0',
      extrelocatable: false,
      schema_name: 'pg_catalog',
    });
    expect(await house.state(id)).toMatchObject({ connection_error: null, consecutive_failures: 0 });
    await expect.poll(() => sessionsOn(server), SOON).toBe(1);
    const [activity] = await server.query(
      `select state, backend_xmin from pg_stat_activity where application_name = 'matriarch'`,
    );
    expect(activity).toEqual({ state: 'idle', backend_xmin: null });
    const pings = async () => {
      const [row] = await server.query(
        `select calls::int from pg_stat_statements where query like '%pg_postmaster_start_time() as started_at'`,
      );
      return Number(row?.calls);
    };
    const before = await pings();
    expect(before).toBeGreaterThan(0);
    await sleep(1000);
    expect((await pings()) - before).toBeLessThanOrEqual(2);
  });

  it('that is edited is sampled with the new settings, by the same lease', async () => {
    const id = await house.connect(server, { database: 'shop' });
    house.start();
    await everythingRan(house, id);
    const epoch = () =>
      house.db.one(sql`select epoch from matriarch.connection_leases where connection_id = ${id}`);
    const before = await epoch();
    await house.lead(id, 1);
    await expect
      .poll(() => house.state(id), SOON)
      .toMatchObject({
        connection_error: `Nothing listens on 127.0.0.1 port 1. Check the port, that PostgreSQL runs, and its listen_addresses.`,
      });
    // What the probe found and how the connection is are written apart.
    await expect
      .poll(async () => (await house.snapshot(id, 'pg_connectivity'))?.outcome, SOON)
      .toBe('failed');
    expect((await house.snapshot(id, 'pg_database'))?.rows?.length).toBeGreaterThan(0);
    await house.lead(id, server.port);
    await expect.poll(() => house.state(id), SOON).toMatchObject({ connection_error: null });
    expect(await epoch()).toEqual(before);
  });

  it.each(['is_monitored = false', 'deleted_at = now()'])(
    'with %s is left alone, and its lease is free',
    async (change) => {
      const id = await house.connect(server);
      const collector = house.start();
      await everythingRan(house, id);
      await server.query(`select 1`);
      await house.db.run({ text: `update matriarch.connections set ${change} where id = $1`, values: [id] });
      await expect.poll(() => collector.holding, SOON).toEqual([]);
      await expect.poll(() => sessionsOn(server), SOON).toBe(0);
      const lease = () =>
        house.db.one(sql`select owner from matriarch.connection_leases where connection_id = ${id}`);
      await expect.poll(lease, SOON).toEqual({ owner: '' });
    },
  );

  it('whose role lacks rights is sampled as far as it may be, with reasons and what mends them', async () => {
    const id = await house.connect(server, { username: 'plain', password: 'plain' });
    house.start();
    await everythingRan(house, id);
    expect(await house.snapshot(id, 'pg_extension', 'closed')).toMatchObject({
      outcome: 'skipped',
      reason: 'The role plain may not connect to the database closed.',
      mend: 'grant connect on database closed to plain;',
      collected_at: null,
    });
    const databases = (await house.snapshot(id, 'pg_database'))?.rows ?? [];
    const size = (name: string) => databases.find(({ datname }) => datname === name)?.database_size_bytes;
    expect([size('closed'), typeof size('shop')]).toEqual([null, 'number']);
    const [info] = await house.facts(id, 'pg_server_info');
    expect(info?.value).toMatchObject({ data_directory: null, max_connections: 60, is_in_recovery: false });
    const settings = (await house.facts(id, 'pg_settings')).map(({ item_key }) => item_key);
    expect(settings).toContain('shared_buffers');
    expect(settings).not.toContain('data_directory');
  });
});

describe('slow facts', () => {
  it('change where the server changed, and nowhere else', async () => {
    const id = await house.connect(server);
    house.start();
    await everythingRan(house, id);
    const before = await house.facts(id, 'pg_settings');
    await server.query(`alter system set work_mem = '7MB'`);
    await server.query(`alter system set primary_conninfo = 'host=h password=topsecret'`);
    await server.query('select pg_reload_conf()');
    await house.db.run(sql`update matriarch.connections set revision = revision + 1 where id = ${id}`);
    const current = async () => {
      const rows = await house.facts(id, 'pg_settings');
      return new Map(rows.map((row) => [row.item_key, row]));
    };
    await expect.poll(async () => (await current()).get('work_mem')?.value.setting, SOON).toBe('7168');
    const after = await current();
    const changed = before.filter((row) => after.get(row.item_key)?.valid_from !== row.valid_from);
    expect(changed.map(({ item_key }) => item_key)).toEqual(['primary_conninfo', 'work_mem']);
    expect(after.get('primary_conninfo')?.value.setting).toBe('********');
    const { secrets } = await house.db.one<{ secrets: number }>(
      sql`select count(*) as secrets from metrics.facts where value::text like '%topsecret%'`,
    );
    expect(secrets).toBe(0);
    await server.query('alter system reset all');
    await server.query('select pg_reload_conf()');
  });
});

describe('stopping', () => {
  it('ends sessions, gives leases back and leaves what was sampled in the store', async () => {
    const id = await house.connect(server);
    const collector = house.start();
    await expect.poll(() => collector.holding, SOON).toEqual([id]);
    await everythingRan(house, id);
    await collector.stop();
    expect(await sessionsOn(server)).toBe(0);
    expect(collector.writer.stats.waiting_runs).toBe(0);
    const leases = await house.db.rows(
      sql`select owner, expires_at <= now() as is_free from matriarch.connection_leases`,
    );
    expect(leases).toEqual([{ owner: '', is_free: true }]);
    expect(await house.db.rows(sql`select owner from matriarch.collectors`)).toEqual([]);
  });
});
