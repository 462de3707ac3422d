// The machine under a server on the screen: charts of its probes, volumes and processes, and where there is no source of
// such facts the way to have one.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Coverage } from '../../../api/types.ts';
import { type Answers, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { SystemView } from './system-view.tsx';

const coverage = (host_sources: Coverage['host_sources']): Coverage => ({
  connection_id: 1,
  own_cost: {
    cost_percent: null,
    sessions: null,
    measured_at: null,
    statement_entries: null,
    statement_entries_limit: null,
  },
  newest_gap: null,
  counts: { collected: 1, incomplete: 0, missing: 0, waiting: 0, switched_off: 0, not_applicable: 0 },
  probes: ['pg_sys_disk_info', 'pg_sys_cpu_memory_by_process'].map((probe) => ({
    probe,
    database_name: null,
    status: 'missing_source',
    reason: 'No source knows it.',
    mend: null,
    checked_at: null,
    collected_at: null,
    took_ms: null,
    row_count: null,
    interval_seconds: 60,
    effective_interval_seconds: 60,
    cost_percent: null,
  })),
  remedies: [],
  host_sources,
  host_values: [],
});

const LOCAL = { source: 'local', status: 'ok', reason: null, mend: null } as const;
const ANSWERS: Answers = {
  getConnectionCoverage: coverage([LOCAL]),
  listTimelineEvents: { events: [], total_count: 0 },
  queryMetrics: ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1]);
    const time = query.get('start_time') ?? '';
    return (query.get('metrics') ?? '').split(',').map((metric) => ({
      name: metric,
      metric,
      unit: metric.endsWith('_percent') ? 'percent' : 'count',
      data: metric === 'processor_time_percent' ? [{ time, value: 41 }] : [],
    }));
  },
  getLatestMetrics: ({ path }) => {
    const isDisk = path.includes('pg_sys_disk_info');
    const shared = { connection_id: 1, collected_at: '2026-11-20T11:55:00.000Z' };
    const disk = {
      ...shared,
      mount_point: '/data',
      total_space: 100 * 1024 ** 3,
      used_space: 90 * 1024 ** 3,
    };
    const process = { ...shared, pid: 7, name: 'postgres: app', cpu_usage: 99.5, memory_bytes: 1024 ** 2 };
    const rows = isDisk ? [{ ...disk, free_space: 4 * 1024 ** 3, file_system_type: 'ext4' }] : [process];
    return { rows, total_count: rows.length };
  },
};

const AT = '/servers/1?tab=system&from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';

it('shows what the machine did, what its volumes hold and who is busy', async () => {
  await startApi(ANSWERS);
  show(<SystemView id={1} />, { at: AT });
  const chart = await screen.findByRole('figure', { name: 'CPU' });
  expect(within(chart).getByRole('slider').getAttribute('aria-valuetext')).toMatch(
    /CPU busy 41 %, CPU, user not measured/,
  );
  const row = async (name: string) =>
    (await within(await screen.findByRole('region', { name })).findAllByRole('row'))[1]?.textContent;
  expect(await row('Volumes')).toMatch(/^\/data.*ext496 %100 GB4 GB/);
  expect(await row('Busiest processes')).toMatch(/^postgres: app799.5 %1 MB/);
  expect(screen.queryByRole('region', { name: 'Host facts' })).toBeNull();
});

it('says how there could be facts where there is no source of them', async () => {
  await startApi({
    ...ANSWERS,
    getLatestMetrics: { rows: [], total_count: 0 },
    getConnectionCoverage: coverage([
      {
        source: 'system_stats',
        status: 'unavailable',
        reason: 'Not installed.',
        mend: 'create extension system_stats;',
      },
    ]),
  });
  show(<SystemView id={1} />, { at: AT });
  const sources = within(await screen.findByRole('region', { name: 'Host facts' }));
  sources.getByText('create extension system_stats;');
  const volumes = within(screen.getByRole('region', { name: 'Volumes' }));
  await volumes.findByText('No source: No source knows it.');
});
