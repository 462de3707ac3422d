// Facts of the machine, gathered beside a server's ticks: one gathering for everything that is due, and whatever
// becomes of it is stored for each probe.
import os from 'node:os';
import { expect, it } from 'vitest';
import { syncProbeConfigs } from '../estate/probe-configs/effective.service.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import { collectHost, HOST_PROBE, type HostReading, type HostWish } from '../probes/hosts/collect.ts';
import type { HostInput } from '../probes/hosts/types.ts';
import { isHostProbe } from '../probes/types.ts';
import { newHouse, pollMoved, SOON } from '../testing/collecting-tests.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

const hostProbes = probes.filter(isHostProbe);
const onLinux = it.runIf(process.platform === 'linux');
const hosts = (interval_seconds: number, collect: typeof collectHost = collectHost) => ({
  probe: HOST_PROBE,
  interval_seconds,
  collect,
});

onLinux('are stored for every probe at once, and with source and time', async () => {
  const house = await newHouse();
  const id = await house.connect(await sharedServer(18));
  const wishes: HostWish[] = [];
  const collect = (input: HostInput, wish: HostWish = {}): Promise<HostReading> => {
    wishes.push({ ...wish });
    return collectHost(input, wish);
  };
  house.start({ hosts: hosts(600, collect), probes: hostProbes });
  const outcomes = async () => {
    const snapshots = await house.snapshots(id);
    return new Map(snapshots.map(({ probe, outcome }) => [probe, outcome]));
  };
  await expect.poll(async () => (await outcomes()).size, SOON).toBe(hostProbes.length + 1);
  expect(wishes).toHaveLength(1);
  expect(wishes[0]?.families).toHaveLength(hostProbes.length);
  for (const probe of ['host', 'pg_sys_os_info', 'pg_sys_memory_info', 'pg_sys_load_avg_info'])
    expect((await outcomes()).get(probe), probe).toBe('ran');
  const rows = (await house.snapshot(id, 'host'))?.rows ?? [];
  const told = (field: string) => rows.find((row) => row.kind === 'value' && row.field === field);
  expect(told('hostname')).toMatchObject({ value: os.hostname(), source: 'local' });
  expect(told('cpu_times')).toMatchObject({ value: null, source: 'local' });
  const memory = await house.snapshot(id, 'pg_sys_memory_info');
  expect(memory?.rows?.[0]?.total_memory).toBe(told('memory_total_bytes')?.value);
});

onLinux('are gathered anew at each tick, and then tell how busy processors are', async () => {
  const house = await newHouse();
  const id = await house.connect(await sharedServer(18));
  const often = hostProbes.map((probe) => ({ ...probe, intervalSeconds: 1 }));
  house.start({ hosts: hosts(1), probes: often });
  const usage = () => house.snapshot(id, 'pg_sys_cpu_usage_info');
  await expect.poll(usage, SOON).toMatchObject({ outcome: 'ran' });
  const first = (await usage())?.collected_at;
  const busy = async () => (await usage())?.rows?.[0]?.processor_time_percent;
  await pollMoved(house, busy).toBeTypeOf('number');
  await pollMoved(house, async () => (await usage())?.collected_at).not.toBe(first);
});

it('that nobody tells are skipped with the reason, and a gathering that breaks is a failure', async () => {
  const house = await newHouse();
  const id = await house.connect(await sharedServer(18));
  const often = hostProbes.map((probe) => ({ ...probe, intervalSeconds: 1 }));
  let isBroken = false;
  const collect = (input: HostInput, wish: HostWish = {}): Promise<HostReading> =>
    isBroken ? Promise.reject(new Error('secret thing')) : collectHost(input, { ...wish, sources: [] });
  house.start({ hosts: hosts(1, collect), probes: often });
  const load = () => house.snapshot(id, 'pg_sys_load_avg_info');
  await expect
    .poll(load, SOON)
    .toMatchObject({ outcome: 'skipped', reason: 'No source knows this of the machine of the server.' });
  isBroken = true;
  await pollMoved(house, load).toMatchObject({ outcome: 'failed', reason: 'Gathering host facts failed.' });
  isBroken = false;
  await pollMoved(house, load).toMatchObject({ outcome: 'skipped' });
});

it('are gathered as they are set: not at all, or more often than the rest', async () => {
  const house = await newHouse();
  await syncProbeConfigs(house.db, hostProbes);
  const id = await house.connect(await sharedServer(18));
  const wishes: HostWish[] = [];
  const collect = (input: HostInput, wish: HostWish = {}): Promise<HostReading> => {
    wishes.push({ ...wish });
    return collectHost(input, wish);
  };
  const set = (probe: string, interval_seconds: number, is_enabled: boolean) =>
    house.db.run(sql`/* test.set */
      insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
      values ('server', ${id}, ${probe}, ${is_enabled}, ${interval_seconds}, 7)`);
  await set('pg_sys_load_avg_info', 600, false);
  house.start({ hosts: hosts(600, collect), probes: hostProbes });
  const load = () => house.snapshot(id, 'pg_sys_load_avg_info');
  await expect
    .poll(load, SOON)
    .toMatchObject({ outcome: 'skipped', reason: expect.stringMatching(/^Switched off for this/) });
  await expect.poll(() => wishes.length, SOON).toBeGreaterThan(0);
  const family = (name: string) => hostProbes.find((probe) => probe.name === name)?.host;
  for (const { families } of wishes) expect(families).not.toContain(family('pg_sys_load_avg_info'));
  await set('pg_sys_memory_info', 5, true);
  const alone = () => wishes.filter(({ families }) => families?.join() === family('pg_sys_memory_info'));
  await pollMoved(house, () => alone().length).toBeGreaterThan(1);
  await house.db.run(sql`/* test.unset */ delete from matriarch.probe_overrides where is_enabled is false`);
  await pollMoved(house, async () => String((await load())?.reason)).not.toMatch(/Switched off/);
});
