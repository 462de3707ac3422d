import { describe, expect, it } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { cleanFacts } from './clean.ts';
import { collectHost } from './collect.ts';
import { type Answer, mergeRows, missing, SYSTEM_FIELDS } from './merge.ts';
import type { HostFacts, HostInput, HostSource } from './types.ts';

const T0 = Date.parse('2026-11-20T10:00:00Z');
const says = (source: string, facts: HostFacts, observed_at = T0): Answer => ({
  source,
  outcome: { status: 'ok', facts },
  observed_at,
});
const FULL: HostFacts = {
  os_name: 'Debian GNU/Linux',
  os_version: '12 (bookworm)',
  architecture: 'x86_64',
  hostname: 'db1',
  cpu_model: 'AMD EPYC',
  cpu_cores: 8,
  cpu_logical: 16,
  cpu_clock_speed: 2_450_000_000,
  memory_total_bytes: 1000,
  memory_used_bytes: 400,
  memory_free_bytes: 100,
  swap_total_bytes: 0,
  swap_used_bytes: 0,
  disks: [],
};

/** The rows that are values, without what became of each source. */
const valuesOf = (answers: readonly Answer[]) =>
  mergeRows(answers).flatMap((row) => (row.kind === 'value' ? [row] : []));

describe('values', () => {
  it('takes each field from the first source that knows it, with source and time', () => {
    const rows = valuesOf([
      says('node_exporter', { hostname: 'db1' }, T0 + 1000),
      says('system_stats', { hostname: 'other', cpu_model: 'EPYC' }, T0 + 2000),
    ]);
    expect(rows).toEqual([
      {
        kind: 'value',
        field: 'hostname',
        value: 'db1',
        source: 'node_exporter',
        observed_at: '2026-11-20T10:00:01.000Z',
      },
      {
        kind: 'value',
        field: 'cpu_model',
        value: 'EPYC',
        source: 'system_stats',
        observed_at: '2026-11-20T10:00:02.000Z',
      },
    ]);
  });

  it('never mixes used bytes of one source with the total of another', () => {
    const rows = valuesOf([
      says('first', { memory_total_bytes: 100 }),
      says('second', {
        memory_total_bytes: 900,
        memory_used_bytes: 800,
        swap_total_bytes: 5,
        swap_used_bytes: 1,
      }),
    ]);
    expect(rows.map(({ field, source }) => `${field} ${source}`)).toEqual([
      'memory_total_bytes first',
      'swap_total_bytes second',
      'swap_used_bytes second',
    ]);
  });
});

describe('cleanFacts', () => {
  it('drops numbers that cannot be', () => {
    const facts = cleanFacts({
      cpu_cores: 0,
      cpu_logical: Number.NaN,
      cpu_clock_speed: Number.POSITIVE_INFINITY,
      memory_total_bytes: -1,
      swap_total_bytes: 2 ** 60,
      cgroup_cpu_limit: 0,
    });
    expect([...facts.keys()]).toEqual([]);
  });
  it('cuts texts and control characters, and lists', () => {
    const facts = cleanFacts({
      hostname: `db\u0000\u202e1\n${'x'.repeat(1000)}`,
      os_name: ' \t ',
      disks: Array.from({ length: 500 }, (_, n) => ({
        mount_point: `/d${n}`,
        filesystem_type: 'xfs',
        total_bytes: 10,
        used_bytes: n === 0 ? -5 : 5,
        free_bytes: 5,
      })),
    });
    expect(String(facts.get('hostname'))).toMatch(/^db 1 x+$/);
    expect(String(facts.get('hostname'))).toHaveLength(255);
    expect(facts.has('os_name')).toBe(false);
    expect(facts.get('disks')).toHaveLength(64);
    expect(facts.get('disks')).not.toContainEqual(expect.objectContaining({ mount_point: '/d0' }));
  });
});

describe('cleanFacts of what changes', () => {
  const device = {
    device_name: 'sda',
    total_reads: 1,
    total_writes: 1,
    read_bytes: 1,
    write_bytes: 1,
    read_time_ms: 1,
    write_time_ms: 1,
  };
  it('leaves out members that cannot be, and ends lists', () => {
    const odd = [
      { ...device, read_bytes: Number.NaN },
      { ...device, total_writes: -1 },
      { ...device, device_name: '\u0000' },
      { ...device, write_bytes: 2 ** 60 },
    ];
    expect(cleanFacts({ io_devices: [...odd, device] }).get('io_devices')).toEqual([device]);
    const many = Array.from({ length: 500 }, (_, n) => ({ ...device, device_name: `sd${n}` }));
    expect(cleanFacts({ io_devices: many }).get('io_devices')).toHaveLength(64);
  });
  it('cuts names of processes, and knows no load, time or pressure of nonsense', () => {
    const facts = cleanFacts({
      processes: [{ pid: 7, name: `postgres: \u202e${'x'.repeat(999)}` }],
      load: { one: 1, five: Number.POSITIVE_INFINITY, fifteen: 1 },
      cpu_times: { user: Number.NaN, system: 1, idle: 1 },
      process_counts: { total: -1, running: 0, sleeping: 0, stopped: 0, zombie: 0 },
      pressure: { io_some_avg10: Number.NaN, cpu_some_ms: 5 },
    });
    expect([...facts.keys()].sort()).toEqual(['pressure', 'processes']);
    expect(facts.get('pressure')).toEqual({ cpu_some_ms: 5 });
    expect(JSON.stringify(facts.get('processes'))).toMatch(/"postgres: {2}x{1,245}"/);
  });
});

describe('collectHost', () => {
  const input: HostInput = {
    query: async () => [],
    node_exporter_url: null,
    allow_private_networks: true,
    clock: manualClock(T0),
    signal: new AbortController().signal,
  };
  const source = (name: string, order: number, gather: HostSource['gather']): HostSource => ({
    name,
    order,
    gather,
  });

  it('asks in order, and nobody once everything is known', async () => {
    const asked: string[] = [];
    const sources = ['c', 'b', 'a'].map((name, index) =>
      source(name, 30 - index * 10, async () => {
        asked.push(name);
        return { status: 'ok', facts: name === 'b' ? FULL : { hostname: name } };
      }),
    );
    const { origins: rows } = await collectHost(input, { sources });
    expect(asked).toEqual(['a', 'b']);
    expect(rows).toContainEqual(expect.objectContaining({ field: 'hostname', value: 'a', source: 'a' }));
    expect(rows).toContainEqual(expect.objectContaining({ field: 'cpu_model', source: 'b' }));
    expect(rows.filter(({ kind }) => kind === 'source')).toHaveLength(2);
  });

  it('makes a stored reason of a source that throws, without the words of the server', async () => {
    const failing = [
      source('a', 1, async () => {
        throw Object.assign(new Error('permission denied for secret thing'), { code: '42501' });
      }),
    ];
    const { origins } = await collectHost(input, { sources: failing });
    expect(origins).toEqual([
      {
        kind: 'source',
        source: 'a',
        status: 'unavailable',
        reason: 'The source could not be read (SQLSTATE 42501).',
        mend: null,
      },
    ]);
  });

  it('stores reasons and mends beside values', () => {
    const rows = mergeRows([
      says('local', { hostname: 'db1' }),
      { source: 'x', outcome: { status: 'unavailable', reason: 'No.', mend: 'do it;' }, observed_at: T0 },
    ]);
    expect(rows.slice(1)).toEqual([
      { kind: 'source', source: 'local', status: 'ok', reason: null, mend: null },
      { kind: 'source', source: 'x', status: 'unavailable', reason: 'No.', mend: 'do it;' },
    ]);
    expect([...missing([says('local', FULL)], SYSTEM_FIELDS)]).toEqual([]);
    expect([...missing([says('local', { ...FULL, cpu_model: '' })], SYSTEM_FIELDS)]).toEqual(['cpu_model']);
  });
});
