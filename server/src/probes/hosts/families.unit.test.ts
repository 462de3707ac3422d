// From facts to rows: shares between two ticks, families that nobody knows, and the sums that people reckon with.
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import type { HostMemory } from './between-ticks.ts';
import { collectHost } from './collect.ts';
import type { HostFacts, HostFamily, HostInput, HostProcess, HostSource, SourceOutcome } from './types.ts';

const T0 = Date.parse('2026-11-20T10:00:00Z');
type ManualClock = ReturnType<typeof manualClock>;

interface Machine {
  facts: HostFacts;
  clock: ManualClock;
  memory: HostMemory;
}

const machine = (facts: HostFacts): Machine => ({ facts, clock: manualClock(T0), memory: {} });

async function rowsOf(on: Machine, family: HostFamily, name = 'local') {
  const gather = async (): Promise<SourceOutcome> => ({ status: 'ok', facts: on.facts });
  const input: HostInput = {
    query: async () => [],
    node_exporter_url: null,
    allow_private_networks: true,
    clock: on.clock,
    signal: new AbortController().signal,
  };
  const { families, isFirst, life } = await collectHost(input, {
    families: [family],
    origins: false,
    memory: on.memory,
    sources: [{ name, order: 1, gather }],
  });
  const outcome = families.get(family);
  return { outcome, rows: outcome?.kind === 'ran' ? outcome.rows : [], isFirst, life };
}

const TIMES = { user: 100, nice: 0, system: 50, idle: 800, iowait: 10, irq: 4, softirq: 6, steal: 0 };
const LATER = { ...TIMES, user: 130, nice: 5, system: 60, idle: 845, iowait: 15, irq: 5, softirq: 10 };

describe('processor time', () => {
  it('is unknown on the first tick, and on the second what passed since', async () => {
    const on = machine({ hostname: 'db1', booted_at: 1000, cpu_times: TIMES });
    const first = await rowsOf(on, 'cpu_usage');
    expect(first.isFirst).toBe(true);
    expect(first.rows).toHaveLength(1);
    expect(Object.values(first.rows[0] ?? {}).every((value) => value === null)).toBe(true);
    on.facts = { ...on.facts, cpu_times: LATER };
    const second = await rowsOf(on, 'cpu_usage');
    expect(second.isFirst).toBe(false);
    expect(second.rows).toEqual([
      {
        usermode_normal_process_percent: 30,
        usermode_niced_process_percent: 5,
        kernelmode_process_percent: 10,
        io_completion_percent: 5,
        servicing_irq_percent: 1,
        servicing_softirq_percent: 4,
        idle_mode_percent: 45,
        user_time_percent: 35,
        processor_time_percent: 55,
        privileged_time_percent: 15,
        interrupt_time_percent: 5,
      },
    ]);
  });

  it.each<[string, Partial<HostFacts>, string]>([
    ['another machine answers at the address', { hostname: 'db2' }, 'local'],
    ['the machine was started anew', { booted_at: 5000 }, 'local'],
    ['another source tells', {}, 'node_exporter'],
  ])('is not compared when %s', async (_, changed, source) => {
    const on = machine({ hostname: 'db1', booted_at: 1000, cpu_times: TIMES });
    await rowsOf(on, 'cpu_usage');
    on.facts = { ...on.facts, cpu_times: LATER, ...changed };
    const { rows } = await rowsOf(on, 'cpu_usage', source);
    expect(rows[0]?.processor_time_percent).toBeNull();
    on.facts = { ...on.facts, cpu_times: { ...LATER, user: 180, idle: 895 } };
    const { rows: next } = await rowsOf(on, 'cpu_usage', source);
    expect(next[0]?.processor_time_percent).toBe(50);
  });

  it('knows the kinds that a cgroup tells, and no others', async () => {
    const limited = { user: 4, system: 1, processors: 2 };
    const on = machine({ hostname: 'db1', cpu_times: { ...limited, idle: -5 } });
    await rowsOf(on, 'cpu_usage');
    on.facts = { ...on.facts, cpu_times: { ...limited, user: 6, system: 2, idle: 2 } };
    const { rows } = await rowsOf(on, 'cpu_usage');
    expect(rows[0]).toMatchObject({
      usermode_normal_process_percent: 20,
      kernelmode_process_percent: 10,
      idle_mode_percent: 70,
      processor_time_percent: 30,
      usermode_niced_process_percent: null,
      io_completion_percent: null,
      interrupt_time_percent: null,
    });
  });
});

describe('the life of a machine', () => {
  const lifeOn = async (on: Machine) => (await rowsOf(on, 'io')).life;
  it('stays when its start is told a little differently, and ends with a reboot or another machine', async () => {
    const on = machine({ hostname: 'db1', booted_at: 1000, io_devices: [] });
    const first = await lifeOn(on);
    expect(first).toBe('db1/1000');
    on.facts = { ...on.facts, booted_at: 1002 };
    expect(await lifeOn(on)).toBe(first);
    on.facts = { ...on.facts, booted_at: 9000 };
    expect(await lifeOn(on)).toBe('db1/9000');
    on.facts = { ...on.facts, hostname: 'db2' };
    expect(await lifeOn(on)).toBe('db2/9000');
    on.facts = { io_devices: [] };
    expect(await lifeOn(on)).toBeUndefined();
  });
});

describe('processes', () => {
  const backend = (pid: number, cpu_seconds: number, age: number): HostProcess => ({
    pid,
    name: `postgres: ${pid}`,
    cpu_seconds,
    running_since_seconds: age,
    memory_bytes: 1000,
  });

  it('have shares of one processor from two ticks, and young ones from all they used', async () => {
    const on = machine({
      node_memory_total_bytes: 100_000,
      processes: [backend(7, 5, 100), backend(8, 1, 100)],
    });
    const { rows: first } = await rowsOf(on, 'processes');
    expect(first.map(({ cpu_usage }) => cpu_usage)).toEqual([null, null]);
    on.clock.advance(10_000);
    on.facts = {
      ...on.facts,
      processes: [backend(7, 6, 110), backend(8, 9, 110), backend(9, 2, 3), backend(10, 50, 500)],
    };
    const { rows } = await rowsOf(on, 'processes');
    expect(rows.map(({ pid, cpu_usage }) => [pid, cpu_usage])).toEqual([
      [8, 80],
      [9, 20],
      [7, 10],
      [10, null],
    ]);
    expect(rows[0]).toMatchObject({ memory_usage: 1, memory_bytes: 1000, running_since_seconds: 110 });
  });

  it('are the fifty busiest at most', async () => {
    const processes = Array.from({ length: 80 }, (_, n) => ({
      pid: n + 1,
      name: 'postgres',
      cpu_percent: n,
      memory_bytes: 1,
    }));
    const { rows } = await rowsOf(machine({ processes }), 'processes');
    expect(rows).toHaveLength(50);
    expect(rows[0]).toMatchObject({ pid: 80, cpu_usage: 79, memory_usage: null });
  });
});

describe('rows', () => {
  it('reckon with what is known only', async () => {
    const on = machine({
      memory_total_bytes: 100,
      memory_used_bytes: 30,
      swap_total_bytes: 10,
      up_seconds: 60,
      hostname: 'db1',
      disks: [
        { mount_point: '/', filesystem_type: 'btrfs', total_bytes: 9, used_bytes: 4, free_bytes: 3 },
        {
          mount_point: '/data',
          filesystem_type: 'xfs',
          total_bytes: 9,
          used_bytes: 4,
          free_bytes: 3,
          total_inodes: 10,
          free_inodes: 4,
          device: '/dev/sdb',
        },
      ],
      load: { one: 1, five: 2, fifteen: 3 },
    });
    expect((await rowsOf(on, 'memory')).rows[0]).toMatchObject({
      total_memory: 100,
      used_memory: 30,
      free_memory: null,
      swap_total: 10,
      swap_used: null,
      swap_free: null,
      kernel_total: null,
    });
    expect((await rowsOf(on, 'disk')).rows).toMatchObject([
      { mount_point: '/', file_system: null, total_inodes: null, used_inodes: null },
      { mount_point: '/data', file_system: '/dev/sdb', used_inodes: 6, free_inodes: 4 },
    ]);
    expect((await rowsOf(on, 'load')).rows).toEqual([
      {
        load_avg_one_minute: 1,
        load_avg_five_minutes: 2,
        load_avg_ten_minutes: null,
        load_avg_fifteen_minutes: 3,
      },
    ]);
    expect((await rowsOf(on, 'os_info')).rows[0]).toMatchObject({
      host_name: 'db1',
      os_up_since_seconds: 60,
      last_bootup_time: new Date(on.clock.now() - 60_000).toISOString(),
    });
  });

  it('of a machine without what is counted are none, and that is known', async () => {
    const { outcome } = await rowsOf(machine({ io_devices: [] }), 'io');
    expect(outcome).toEqual({ kind: 'ran', rows: [] });
  });
});

describe('a family that nobody knows', () => {
  const input: HostInput = {
    query: async () => [],
    node_exporter_url: null,
    allow_private_networks: true,
    clock: manualClock(T0),
    signal: new AbortController().signal,
  };
  const silent = (name: string, rest: Partial<HostSource>, mend: string | null): HostSource => ({
    name,
    order: 1,
    ...rest,
    gather: async () => ({ status: 'unavailable', reason: `${name} is not there.`, mend }),
  });
  const sources: HostSource[] = [
    silent('a', { order: 1 }, null),
    silent('b', { order: 2, tells: ['load'] }, 'install b'),
    silent('c', { order: 3, tells: ['load', 'processes'] }, 'create extension c;'),
    { name: 'd', order: 4, gather: async () => ({ status: 'ok', facts: { hostname: 'db1' } }) },
  ];

  it('is skipped with the reasons of those who could, and the first mend among them', async () => {
    const families = ['load', 'processes', 'os_info'] as const;
    const found = await collectHost(input, { families, sources });
    expect(found.families.get('load')).toMatchObject({ kind: 'skipped', mend: 'install b' });
    const processes = found.families.get('processes');
    expect(processes).toMatchObject({ kind: 'skipped', mend: 'create extension c;' });
    expect(processes).toMatchObject({ reason: expect.stringContaining('d: It does not tell this here.') });
    expect(JSON.stringify(processes)).not.toContain('b is not there');
    expect(found.families.get('os_info')).toMatchObject({ kind: 'ran', rows: [{ host_name: 'db1' }] });
  });
});
