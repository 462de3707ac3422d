// The charts of a server: what is asked for, what stands on the screen where nothing was measured, moments and windows by
// keys, and the numbers behind it.

import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Coverage } from '../../../api/types.ts';
import { MINUTE_MS } from '../../../lib/units.ts';
import { type Answers, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { ActivityView } from './activity-view.tsx';
import { reasonOf } from './answers.ts';

const FROM = Date.parse('2026-11-20T10:00:00Z');
const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';

const point = (minute: number, value: number | null) => ({
  time: new Date(FROM + minute * MINUTE_MS).toISOString(),
  value,
});

const entry = (probe: string, status: 'ok' | 'missing_grant', reason: string | null) => ({
  probe,
  database_name: null,
  status,
  reason,
  mend: null,
  checked_at: null,
  collected_at: null,
  took_ms: null,
  row_count: null,
  interval_seconds: 60,
  effective_interval_seconds: 60,
  cost_percent: null,
});
const probes: Coverage['probes'] = [
  entry('pg_stat_database', 'ok', null),
  { ...entry('pg_stat_replication', 'ok', null), row_count: 0 },
  entry('pg_stat_wal', 'missing_grant', 'The role may not read it.'),
];

/** Commits from minute 0 to 3 and 6 to 7; everything else is empty. */
const COMMITS = [0, 1, 2, 3, null, null, 6, 7].map((value, minute) => point(minute, value));

const COVERAGE: Coverage = {
  connection_id: 1,
  own_cost: {
    cost_percent: null,
    sessions: null,
    measured_at: null,
    statement_entries: null,
    statement_entries_limit: null,
  },
  newest_gap: null,
  counts: { collected: 1, incomplete: 0, missing: 1, waiting: 0, switched_off: 0, not_applicable: 0 },
  probes,
  remedies: [],
  host_sources: [],
  host_values: [],
};

const ANSWERS: Answers = {
  getConnectionCoverage: COVERAGE,
  queryMetrics: ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1]);
    return (query.get('metrics') ?? '').split(',').map((metric) => ({
      name: metric,
      metric,
      unit: metric.endsWith('_per_sec') ? 'count/s' : 'count',
      description: `Meaning of ${metric}.`,
      data: metric === 'xact_commit_per_sec' ? COMMITS : [],
    }));
  },
  listTimelineEvents: {
    total_count: 1,
    events: [
      {
        id: 'restart-1',
        event_type: 'restart',
        connection_id: 1,
        server_name: 'orders',
        occurred_at: '2026-11-20T10:06:30.000Z',
        severity: 'warning',
        title: 'Server restarted',
        summary: 'orders was started at 10:06.',
      },
    ],
  },
};

async function open(search = WINDOW) {
  const api = await startApi(ANSWERS);
  const shown = show(<ActivityView id={1} />, { at: `/servers/1?tab=activity&${search}` });
  const chart = await screen.findByRole('figure', { name: 'Transactions' });
  await screen.findByText('orders was started at 10:06.');
  const slider = within(chart).getByRole('slider');
  const said = () => slider.getAttribute('aria-valuetext');
  return { ...shown, api, chart, slider, said };
}

it('asks for one grid for all, by the window of the address', async () => {
  const { api } = await open();
  await expect.poll(() => api.sent.filter(({ operation }) => operation === 'queryMetrics').length).toBe(8);
  for (const { operation, path } of api.sent) {
    const query = new URLSearchParams(path.split('?')[1]);
    if (operation === 'getConnectionCoverage') continue;
    expect([query.get('start_time'), query.get('end_time')]).toEqual([
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T12:00:00.000Z',
    ]);
    if (operation === 'queryMetrics') expect(query.get('buckets')).toBe('120');
  }
});

it('marks a dropped index, which is told only to those who ask for it', async () => {
  const { api } = await open();
  await expect.poll(() => api.sent.some(({ operation }) => operation === 'listTimelineEvents')).toBe(true);
  const path = api.sent.find(({ operation }) => operation === 'listTimelineEvents')?.path ?? '';
  const asked = new URLSearchParams(path.split('?')[1]);
  // The API refuses such types without it.
  expect(asked.get('include')).toBe('changes');
  const types = asked.get('event_types')?.split(',');
  expect(types).toEqual(expect.arrayContaining(['index_dropped', 'config_change', 'alert_fired']));
});

it('draws no line through a gap, and says it in words', async () => {
  const { chart } = await open();
  const line = chart.querySelector('path[data-name=xact_commit_per_sec]')?.getAttribute('d') ?? '';
  expect(line.match(/M/g)?.length).toBe(2);
  expect(line.match(/L/g)?.length).toBe(4);
  expect(within(chart).getByText('Not measured from 10:04 to 10:06.')).toBeTruthy();
});

it('says why there is nothing, with the way to Coverage', async () => {
  await open();
  const wal = within(await screen.findByRole('region', { name: 'WAL' }));
  await wal.findByText('Grant missing: The role may not read it.');
  expect(wal.getByRole('link').getAttribute('href')).toBe('/servers/1?tab=coverage&find=pg_stat_wal');
  expect(screen.queryByRole('figure', { name: 'WAL' })).toBeNull();
  const lag = within(await screen.findByRole('region', { name: 'Replication lag' }));
  await lag.findByText('It is read every minute, and there was no row when it was read last.');
});

it('names only reasons that are of what the chart shows', async () => {
  const reason = 'track_io_timing is off, so times of reads and writes stay zero.';
  const lacking = [{ reason, metrics: ['blk_read_time', 'blk_read_time_per_sec'] }];
  const own = {
    ...entry('pg_stat_database', 'ok', reason),
    status: 'incomplete' as const,
    row_count: 1,
    lacking,
  };
  expect(reasonOf([own], 'pg_stat_database', { metrics: ['deadlocks'] })).toBe(
    'It is read every minute; an increase needs two readings.',
  );
  expect(reasonOf([own], 'pg_stat_database', { metrics: ['blk_read_time_per_sec'] })).toContain(reason);
  const all = { ...own, lacking: [...lacking, { reason: 'Nothing is counted.', metrics: null }] };
  expect(reasonOf([all], 'pg_stat_database', { metrics: ['deadlocks'] })).toMatch(/: Nothing is counted\.$/);
});

it('says by when what was read once is read again, and needs two readings of nothing that was read before', () => {
  const read = (probe: string, collected_at: string) => ({
    ...entry(probe, 'ok', null),
    row_count: 1,
    collected_at,
  });
  const clock = { now: Date.parse('2026-11-20T10:00:20Z'), zone: 'UTC' };
  const probe = 'pg_stat_wal';
  const first = [read('pg_settings', '2026-11-20T10:00:00Z'), read(probe, '2026-11-20T10:00:02Z')];
  expect(reasonOf(first, probe, { clock, isBrief: true })).toBe('Needs two readings. Next reading by 10:02.');
  expect(reasonOf(first, probe, { clock })).toMatch(/needs two readings\. Next reading by 10:02\.$/);
  const known = [read('pg_settings', '2026-11-20T09:50:00Z'), read(probe, '2026-11-20T10:00:02Z')];
  expect(reasonOf(known, probe, { clock, isBrief: true })).toBe(
    'It is read every minute. Next reading by 10:02.',
  );
});

it('is walked by keys, names what happened, and shows what was chosen; back undoes it', async () => {
  const { slider, said, router, chart } = await open();
  expect(said()).toMatch(/^2026-11-20 10:07:00 to 10:08:00, Commits 7 \/s, Rollbacks not measured$/);
  const press = (key: string, shiftKey = false) => fireEvent.keyDown(slider, { key, shiftKey });
  press('Home');
  expect(said()).toMatch(/10:00:00/);
  press('Escape');
  press('ArrowLeft');
  press('ArrowLeft');
  expect(said()).toMatch(/^2026-11-20 10:06:00 to 10:07:00, Commits 6 \/s, .*, Server restarted$/);
  press('ArrowLeft');
  expect(said()).toMatch(/10:05:00 to 10:06:00, Commits not measured/);
  press('Home');
  expect(said()).toMatch(/10:00:00 to 10:01:00, Commits 0 \/s/);
  press('PageUp', true);
  // The gap of the window, and what is being chosen.
  expect(chart.querySelectorAll('svg rect').length).toBe(2);
  press('Enter');
  await expect.poll(() => router.state.location.search).toMatch(/from=2026-11-20T10%3A00%3A30Z/);
  expect(router.state.location.search).toMatch(/to=2026-11-20T10%3A10%3A30Z/);
  await router.navigate(-1);
  expect(new URLSearchParams(router.state.location.search).get('to')).toBe('2026-11-20T12:00:00Z');
});

it('has the same numbers as a table, with gaps that are no zeros', async () => {
  const { chart } = await open();
  fireEvent.click(within(chart).getByRole('button', { name: 'Numbers and meaning of Transactions' }));
  const numbers = within(await within(chart).findByRole('region', { name: 'Numbers of Transactions' }));
  const rows = (await numbers.findAllByRole('row')).map(({ textContent }) => textContent);
  within(chart).getByText('Meaning of xact_commit_per_sec.');
  expect(rows.length).toBe(9);
  expect(rows[1]).toMatch(/^2026-11-20 10:00:00 to 10:01:000 \/s/);
  expect(rows[5]).toMatch(/^2026-11-20 10:04:00 to 10:05:00–Not measured/);
});

it('shows another window beside this one as thin lines, by name in legend and table, and in the address', async () => {
  const { api, user, router, chart, said } = await open();
  api.answer({
    queryMetrics: ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1]);
      return (query.get('metrics') ?? '').split(',').map((metric) => ({
        name: metric,
        metric,
        unit: 'count/s',
        data:
          metric === 'xact_commit_per_sec'
            ? COMMITS.map((one, minute) => ({ ...one, compared: minute < 6 ? 10 + minute : null }))
            : [],
      }));
    },
  });
  await user.selectOptions(screen.getByLabelText('Compare with'), 'With a day earlier');
  await expect.poll(said).toMatch(/Commits 7 \/s,.*Commits, a day earlier not measured/);
  const asked = api.sent.findLast(({ operation }) => operation === 'queryMetrics');
  expect(new URLSearchParams(asked?.path.split('?')[1]).get('compare')).toBe('day');
  expect(new URLSearchParams(router.state.location.search).get('compare')).toBe('day');
  const line = chart.querySelector('path[data-name="xact_commit_per_sec, a day earlier"]');
  const own = chart.querySelector('path[data-name=xact_commit_per_sec]');
  expect(line?.getAttribute('stroke')).toBe(own?.getAttribute('stroke'));
  expect([line?.hasAttribute('data-thin'), own?.hasAttribute('data-thin')]).toEqual([true, false]);
  // What nobody measured in this window stays said, though the other one has it.
  expect(within(chart).getByText('Not measured from 10:04 to 10:06.')).toBeTruthy();
  const legend = within(chart)
    .getAllByRole('rowheader')
    .map(({ textContent }) => textContent);
  expect(legend.filter((text) => /a day earlier/.test(text))).toHaveLength(1);
  fireEvent.click(within(chart).getByRole('button', { name: 'Numbers and meaning of Transactions' }));
  const numbers = within(await within(chart).findByRole('region', { name: 'Numbers of Transactions' }));
  const head = (await numbers.findAllByRole('columnheader')).map(({ textContent }) => textContent);
  expect(head).toEqual(['Time (UTC)', 'Commits', 'Rollbacks', 'Commits, a day earlier']);
  await user.selectOptions(screen.getByLabelText('Compare with'), 'No comparison');
  expect(router.state.location.search).not.toMatch(/compare/);
  await router.navigate(-1);
  await expect.poll(() => router.state.location.search).toMatch(/compare=day/);
});

it('sets another window with presets and fields, and refuses what cannot be shown', async () => {
  const { user, router } = await open();
  await user.click(screen.getByRole('button', { name: /Choose other times/ }));
  const [from, to] = [screen.getByLabelText('From'), screen.getByLabelText('To')];
  fireEvent.change(from, { target: { value: '2026-11-20T09:00' } });
  fireEvent.change(to, { target: { value: '2026-11-20T08:00' } });
  await user.click(screen.getByRole('button', { name: 'Show' }));
  expect(screen.getByRole('alert').textContent).toBe('The end has to be later than the beginning.');
  fireEvent.change(to, { target: { value: '2026-11-20T09:30' } });
  await user.click(screen.getByRole('button', { name: 'Show' }));
  const shown = () => Object.fromEntries(new URLSearchParams(router.state.location.search));
  expect(shown()).toEqual({
    tab: 'activity',
    from: '2026-11-20T09:00:00Z',
    to: '2026-11-20T09:30:00Z',
    zone: 'utc',
  });
  await user.click(screen.getByRole('button', { name: 'Last 24h' }));
  expect(shown()).toEqual({ tab: 'activity', range: '24h', zone: 'utc' });
  await user.click(screen.getByRole('button', { name: 'Live' }));
  expect(Date.parse(shown().to ?? '') - Date.parse(shown().from ?? '')).toBe(86_400_000);
  await router.navigate(-2);
  expect(shown().from).toBe('2026-11-20T09:00:00Z');
});
