// Checkpoints of the log on the chart of WAL: which are marked, and what is said where they are not known.
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { MINUTE_MS } from '../../../lib/units.ts';
import { startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { ActivityView } from './activity-view.tsx';
import { checkpointsText } from './checkpoints-chart.tsx';

type Answer = OperationTypes['listConnectionCheckpoints']['result'];

const FROM = Date.parse('2026-11-20T10:00:00Z');
const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';
const iso = (minute: number) => new Date(FROM + minute * MINUTE_MS).toISOString();

const checkpoint = (minute: number, cause: Answer['checkpoints'][number]['cause']) => ({
  id: String(minute),
  kind: 'checkpoint' as const,
  cause,
  started_at: cause === null ? null : iso(minute),
  ended_at: iso(minute + 1),
  buffers: 9000,
  wal_added: 0,
  wal_removed: 0,
  wal_recycled: 0,
  write_seconds: 60,
  sync_seconds: 0,
  total_seconds: 60,
  longest_sync_seconds: 0,
  distance_bytes: 1,
});

const FOUND: Answer = {
  connection_id: 1,
  start_time: iso(0),
  end_time: iso(120),
  reading: {
    state: 'reading',
    format: 'stderr',
    since: iso(-600),
    looked_at: iso(120),
    read_until: null,
    reason: null,
    mend: null,
  },
  is_logged: true,
  checkpoints: [checkpoint(80, 'wal'), checkpoint(60, 'time'), checkpoint(30, 'time'), checkpoint(5, null)],
  is_cut: false,
};

async function open(checkpoints: Answer) {
  const api = await startApi({
    listTimelineEvents: { events: [], total_count: 0 },
    getConnectionCoverage: {
      ...{ connection_id: 1, newest_gap: null, probes: [], remedies: [], host_sources: [], host_values: [] },
      own_cost: {
        ...{ cost_percent: null, sessions: null, measured_at: null },
        ...{ statement_entries: null, statement_entries_limit: null },
      },
      counts: { collected: 1, incomplete: 0, missing: 0, waiting: 0, switched_off: 0, not_applicable: 0 },
    },
    queryMetrics: ({ path }) => {
      const query = new URLSearchParams(path.split('?')[1]);
      return (query.get('metrics') ?? '').split(',').map((metric) => ({
        ...{ name: metric, metric, unit: 'bytes/s', description: metric },
        data: Array.from({ length: 120 }, (_none, minute) => ({ time: iso(minute), value: 1000 })),
      }));
    },
    listConnectionCheckpoints: checkpoints,
  });
  show(<ActivityView id={1} />, { at: `/servers/1?tab=activity&${WINDOW}` });
  const chart = await screen.findByRole('figure', { name: 'WAL' });
  return { api, chart };
}

it('are flags on this chart alone, of which those by WAL volume stand out', async () => {
  const { chart, api } = await open(FOUND);
  await screen.findByText('Checkpoints in the log: 1 requested by WAL volume, 2 timed, 1 cause not known.');
  const flags = [...chart.querySelectorAll('[data-severity]')].map((flag) => [
    flag.getAttribute('data-severity'),
    flag.querySelector('title')?.textContent,
  ]);
  expect(flags).toContainEqual(['warning', expect.stringMatching(/requested by WAL volume, 9,000 buffers/)]);
  // Those that would stand on each other are one flag.
  expect(flags.flatMap(([, title]) => title?.match(/Checkpoint, /g) ?? []).length).toBe(4);
  const slider = within(chart).getByRole('slider');
  fireEvent.keyDown(slider, { key: 'Home' });
  for (let minute = 0; minute < 6; minute += 1) fireEvent.keyDown(slider, { key: 'ArrowRight' });
  expect(slider.getAttribute('aria-valuetext')).toMatch(/Checkpoint, cause not known/);
  const others = screen.getByRole('figure', { name: 'Transactions' });
  expect(others.querySelectorAll('[data-severity]').length).toBe(0);
  const asked = api.sent.filter(({ operation }) => operation === 'listConnectionCheckpoints');
  expect(asked.length).toBe(1);
  expect(new URLSearchParams(asked[0]?.path.split('?')[1]).get('start_time')).toBe(iso(0));
});

it.each([
  ['the log is not read', { reading: { ...FOUND.reading, state: 'never' as const } }, /not read/],
  ['they are not logged', { is_logged: false }, /log_checkpoints is off/],
  ['there was none', {}, /no checkpoint in this time/],
])('says that %s', (_name, more, expected) => {
  expect(checkpointsText({ ...FOUND, checkpoints: [], ...more })).toMatch(expected);
});

it('says that only the newest are marked', () => {
  expect(checkpointsText({ ...FOUND, is_cut: true })).toMatch(/Only the newest 4 checkpoints are marked\.$/);
});
