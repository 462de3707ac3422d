// Runs of autovacuum on the tab of tables: what is asked for, what a run says, and what the list does not have.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { type Answers, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { TablesView } from './tables-view.tsx';
import { lacksOf } from './vacuum-runs.tsx';

type Answer = OperationTypes['listConnectionVacuumRuns']['result'];
type Run = Answer['runs'][number];

const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';

const run = (id: string, more: Partial<Run> = {}): Run => ({
  id,
  ended_at: '2026-11-20T11:00:00.000Z',
  kind: 'vacuum',
  table: 'shop.public.orders',
  elapsed_seconds: 142,
  pages_removed: 0,
  pages_remain: 10,
  pages_scanned: 10,
  tuples_removed: 2_400_000,
  tuples_remain: 9,
  tuples_not_removable: 0,
  index_scans: 1,
  buffer_hits: 1,
  buffer_reads: 1,
  buffers_dirtied: 1,
  wal_records: 1,
  wal_bytes: 1024 * 1024,
  read_ms: null,
  write_ms: null,
  ...more,
});

const FOUND: Answer = {
  connection_id: 1,
  start_time: '2026-11-20T10:00:00.000Z',
  end_time: '2026-11-20T12:00:00.000Z',
  reading: {
    state: 'reading',
    format: 'stderr',
    since: '2026-11-01T10:00:00.000Z',
    looked_at: '2026-11-20T12:00:00.000Z',
    read_until: null,
    reason: null,
    mend: null,
  },
  min_duration_ms: 0,
  analyze_min_duration_ms: null,
  events_logged: 2,
  events_kept: 2,
  runs: [
    run('1', { kind: 'cancelled', elapsed_seconds: null, tuples_removed: null, tuples_not_removable: null }),
    run('2', { tuples_not_removable: 70_000 }),
  ],
  is_cut: false,
};

const TABLE = {
  connection_id: 1,
  collected_at: '2026-11-20T11:55:00.000Z',
  database_name: 'shop',
  relid: 16_384,
  schemaname: 'public',
  relname: 'orders',
  last_vacuum: null,
  last_autovacuum: '2026-11-20T11:00:00.000Z',
};

async function open(search = '', found: Answer = FOUND) {
  const answers: Answers = {
    listTimelineEvents: { events: [], total_count: 0 },
    queryMetrics: [],
    getLatestMetrics: { rows: [TABLE], total_count: 1 },
    getConnectionCoverage: {
      ...{ connection_id: 1, newest_gap: null, probes: [], remedies: [], host_sources: [], host_values: [] },
      own_cost: {
        ...{ cost_percent: null, sessions: null, measured_at: null },
        ...{ statement_entries: null, statement_entries_limit: null },
      },
      counts: { collected: 1, incomplete: 0, missing: 0, waiting: 0, switched_off: 0, not_applicable: 0 },
    },
    listConnectionVacuumRuns: found,
  };
  const api = await startApi(answers);
  const shown = show(<TablesView id={1} />, { at: `/servers/1?tab=tables&${WINDOW}${search}` });
  const asked = () =>
    api.sent
      .filter(({ operation }) => operation === 'listConnectionVacuumRuns')
      .map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));
  return { ...shown, asked };
}

it('show a run that the log calls 0.00 s as shorter than the log says', async () => {
  await open('&list=vacuum', { ...FOUND, runs: [run('3', { elapsed_seconds: 0 })] });
  expect(await screen.findByText('< 10 ms')).toBeDefined();
});

it('lead from a table to its runs in the log, and from there to those of all tables', async () => {
  const { user, asked } = await open();
  await user.click(await screen.findByRole('button', { name: /vacuum runs of shop\.public\.orders$/ }));
  const table = await screen.findByRole('table', { name: 'Vacuum runs' });
  expect(asked().at(-1)).toEqual({
    start_time: '2026-11-20T10:00:00.000Z',
    end_time: '2026-11-20T12:00:00.000Z',
    table: 'shop.public.orders',
  });
  const [, cancelled, run] = within(table).getAllByRole('row');
  expect(cancelled?.textContent).toMatch(/Cancelled by a lock request/);
  expect(cancelled?.textContent).not.toMatch(/\b0\b/);
  expect(run?.textContent).toMatch(/2 min 22 s/);
  expect(run?.textContent).toMatch(/2\.4/);
  expect(run?.textContent).toMatch(/70/);
  await user.click(screen.getByRole('button', { name: /show all tables/ }));
  await expect.poll(() => asked().at(-1)).not.toHaveProperty('table');
  await user.type(screen.getByLabelText('Search tables'), 'ord');
  await expect.poll(() => asked().at(-1)).toMatchObject({ search: 'ord' });
});

it('say that there is none, and what turns the log on', async () => {
  const reading = {
    ...FOUND.reading,
    state: 'never',
    since: null,
    reason: 'Never read.',
    mend: 'create …',
  } as const;
  await open('&list=vacuum', { ...FOUND, runs: [], reading });
  await screen.findByText('No run is known');
  screen.getByText('Never read.');
  screen.getByText('create …');
});

it.each([
  ['nothing', {}, []],
  ['that none are logged', { min_duration_ms: -1 }, [/is -1/]],
  ['that short ones are not', { min_duration_ms: 600_000 }, [/^Runs shorter than 10 min are not logged/]],
  [
    'each kind by its own setting, where there are two',
    { min_duration_ms: 600_000, analyze_min_duration_ms: -1 },
    [/^Vacuums shorter than 10 min are/, /^log_autoanalyze_min_duration is -1: analyzes are not/],
  ],
  ['that not all are kept', { events_logged: 3000 }, [/has 3,000 runs .* 2 are kept/]],
  ['that not all are listed', { is_cut: true }, [/newest 2 are listed/]],
  ['since when', { start_time: '2026-10-01T00:00:00.000Z' }, [/since 2026-11-01 10:00 UTC/]],
])('say what is not in the list: %s', (_name, more, expected) => {
  expect(lacksOf({ ...FOUND, ...more })).toEqual(expected.map((one) => expect.stringMatching(one)));
});
