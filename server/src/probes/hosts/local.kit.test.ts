// What is told of this machine to servers of every version that run on it; that others are refused is in local.proof.test.ts.
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { describe, expect, it } from 'vitest';
import { hostSession } from '../../testing/servers/host-input.ts';
import { sharedServer } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import type { HostMemory } from './between-ticks.ts';
import { collectHost } from './collect.ts';
import { source } from './local.ts';
import type { HostFamily } from './types.ts';

const onLinux = describe.runIf(process.platform === 'linux');

onLinux('the local source', () => {
  it.each(majorsOfKits())(
    'tells the truth about this machine to a PostgreSQL %i that runs on it',
    async (major) => {
      await using session = await hostSession(await sharedServer(major));
      const outcome = await source.gather(session.input);
      if (outcome.status !== 'ok') throw new Error(outcome.reason);
      const { facts } = outcome;
      const limit = facts.cgroup_memory_limit_bytes ?? Number.POSITIVE_INFINITY;
      expect(facts.node_memory_total_bytes).toBe(os.totalmem());
      expect(facts.memory_total_bytes).toBe(Math.min(os.totalmem(), limit));
      expect(facts.cpu_logical).toBe(os.cpus().length);
      expect(facts.architecture).toBe(os.machine());
      expect(facts.hostname).toBe(os.hostname());
      expect(facts.cpu_cores).toBeGreaterThanOrEqual(1);
      expect(facts.cpu_cores).toBeLessThanOrEqual(facts.cpu_logical ?? 0);
      expect(readFileSync('/etc/os-release', 'utf8')).toContain(facts.os_name);
      expect(facts.memory_used_bytes).toBeGreaterThan(0);
      expect(facts.memory_used_bytes).toBeLessThanOrEqual(facts.memory_total_bytes ?? 0);
      const swap = /^SwapTotal:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'));
      expect(facts.swap_total_bytes).toBeLessThanOrEqual(Number(swap?.[1]) * 1024);
    },
  );

  it('lists the volume of the root directory with its size', async () => {
    await using session = await hostSession(await sharedServer(18));
    const outcome = await source.gather(session.input);
    const root =
      outcome.status === 'ok'
        ? outcome.facts.disks?.find(({ mount_point }) => mount_point === '/')
        : undefined;
    const { blocks, bsize } = await statfs('/');
    expect(root?.total_bytes).toBe(blocks * bsize);
    expect(root?.used_bytes).toBeLessThanOrEqual(root?.total_bytes ?? 0);
  });

  it('tells what changes, as node and a second reading tell it', async () => {
    const server = await sharedServer(18);
    await using session = await hostSession(server);
    const memory: HostMemory = {};
    const families = [
      'os_info',
      'cpu_usage',
      'load',
      'network',
      'io',
      'processes',
      'process_counts',
    ] as const;
    const gather = async () => {
      const found = await collectHost(session.input, { families, memory });
      return (family: HostFamily) => {
        const outcome = found.families.get(family);
        return outcome?.kind === 'ran' ? outcome.rows : [];
      };
    };
    const first = await gather();
    expect(first('cpu_usage')[0]?.processor_time_percent).toBeNull();
    const started = performance.now();
    while (performance.now() - started < 200);
    const second = await gather();

    const [usage] = second('cpu_usage');
    const kinds = Object.entries(usage ?? {}).filter(
      ([name, value]) => /mode|irq$|irq_percent|io_completion/.test(name) && value !== null,
    );
    const sum = kinds.reduce((all, [, value]) => all + Number(value), 0);
    // All but what a hypervisor took away, which has no column.
    expect(sum).toBeGreaterThan(50);
    expect(sum).toBeLessThanOrEqual(100.001);
    expect(usage?.processor_time_percent).toBe(100 - Number(usage?.idle_mode_percent));
    expect(usage?.processor_time_percent).toBeGreaterThan(0);

    const [system] = second('os_info');
    expect(Math.abs(Number(system?.os_up_since_seconds) - os.uptime())).toBeLessThan(30);
    expect(Number(system?.thread_count)).toBeGreaterThanOrEqual(Number(system?.process_count));
    const booted = Date.parse(String(system?.last_bootup_time)) / 1000;
    expect(Math.abs(booted + os.uptime() - session.input.clock.now() / 1000)).toBeLessThan(30);
    const [load] = second('load');
    expect(Number(load?.load_avg_fifteen_minutes)).toBeCloseTo(os.loadavg()[2] ?? Number.NaN, 0);
    expect(load?.load_avg_ten_minutes).toBeNull();

    for (const [family, key] of [
      ['network', 'interface_name'],
      ['io', 'device_name'],
    ] as const) {
      for (const before of first(family)) {
        const after = second(family).find((row) => row[key] === before[key]);
        for (const [name, value] of Object.entries(before))
          if (/^(tx|rx|total|read|write)_/.test(name) && typeof value === 'number')
            expect(after?.[name], `${before[key]} ${name}`).toBeGreaterThanOrEqual(value);
      }
    }
    const loopback = second('network').find((row) => row.interface_name === 'lo');
    expect(loopback).toMatchObject({ ip_address: '127.0.0.1', link_speed_mbps: null });

    const processes = new Map(second('processes').map((row) => [row.pid, row]));
    expect(processes.get(server.pid)?.memory_bytes).toBeGreaterThan(1e6);
    expect(processes.get(session.client.backend_pid)?.name).toMatch(/matriarch|postgres/);
    // Of a process that began since the first reading nobody can tell.
    for (const { pid } of first('processes'))
      if (processes.has(pid)) expect(processes.get(pid)?.cpu_usage, `process ${pid}`).not.toBeNull();
    const [counts] = second('process_counts');
    expect(Number(counts?.total_processes)).toBeGreaterThanOrEqual(processes.size);
  });

  it('refuses a server that says nothing or nonsense', async () => {
    await using session = await hostSession(await sharedServer(18));
    for (const rows of [
      [],
      [{}],
      [{ backend_pid: 'x', backend_started_at: 0, postmaster_started_at: null }],
    ]) {
      const outcome = await source.gather({ ...session.input, query: async () => rows });
      expect(outcome.status).toBe('unavailable');
    }
  });

  it('wins over every other source, which are asked for the rest only', async () => {
    await using session = await hostSession(await sharedServer(18));
    const { origins: rows } = await collectHost(session.input);
    const values = rows.filter((row) => row.kind === 'value');
    expect(values.find(({ field }) => field === 'memory_total_bytes')?.source).toBe('local');
    expect(values.find(({ field }) => field === 'disks')?.source).toBe('local');
    expect(rows).toContainEqual({ kind: 'source', source: 'local', status: 'ok', reason: null, mend: null });
    for (const { observed_at } of values) expect(observed_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});
