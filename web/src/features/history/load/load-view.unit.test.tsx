// The load of a server: what is asked for, areas on top of each other with the processors beside, splits and comparisons in
// the address, and words where something is not known.
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Coverage } from '../../../api/types.ts';
import { type Answers, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { ServerHistory } from '../activity/server-history.tsx';
import { LoadView } from './load-view.tsx';
import type { Load } from './load-words.ts';
import { LoadPanel } from './server-load.tsx';

const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';

/** A value a minute: two on the processor, four behind locks in the second hour, nothing known for ten minutes. */
const values = (of: (minute: number) => number) =>
  Array.from({ length: 120 }, (_none, minute) => (minute >= 30 && minute < 40 ? null : of(minute)));

const member = (name: string | null, mean: number, more = {}) => ({
  name,
  is_rest: false,
  mean,
  values: values(() => mean),
  ...more,
});

const LOAD: Load = {
  connection_id: 1,
  split_by: 'wait_class',
  bucket_seconds: 60,
  start_time: '2026-11-20T10:00:00.000Z',
  end_time: '2026-11-20T12:00:00.000Z',
  coverage: 0.9,
  read: [
    {
      tier: 'samples',
      resolution_seconds: 1,
      members_per_span: null,
      start_time: '2026-11-20T10:00:00.000Z',
      end_time: '2026-11-20T12:00:00.000Z',
    },
  ],
  processors: { count: 8, reason: null, as_of: '2026-11-20T11:00:00.000Z' },
  total: { mean: 4, values: values((minute) => (minute < 60 ? 2 : 6)) },
  members: [
    member('CPU', 3, { values: values(() => 2) }),
    member('Lock', 1, { values: values((minute) => (minute < 60 ? 0 : 4)) }),
  ],
  members_reason: null,
};

const STATEMENTS: Load = {
  ...LOAD,
  split_by: 'statement',
  compared: { start_time: LOAD.start_time, end_time: LOAD.end_time, coverage: 1, read: [] },
  total: { ...LOAD.total, compared_mean: 5, compared: values(() => 5) },
  members: [
    member('7', 3, { database: 'shop', query_text: 'select *\nfrom orders', compared_mean: 1.5 }),
    member('9', 0.5, { database: 'shop', query_text: null, compared_mean: null }),
    member(null, 0.25, { database: null, query_text: null, compared_mean: null }),
    member(null, 0.25, { is_rest: true, compared_mean: null }),
  ],
};

const paramsOf = (path: string) => new URLSearchParams(path.split('?')[1]);

const COVERAGE: Coverage = {
  connection_id: 1,
  own_cost: {
    ...{ cost_percent: null, sessions: null, measured_at: null },
    ...{ statement_entries: null, statement_entries_limit: null },
  },
  newest_gap: null,
  counts: { collected: 1, incomplete: 0, missing: 0, waiting: 0, switched_off: 0, not_applicable: 0 },
  probes: [],
  remedies: [],
  host_sources: [],
  host_values: [],
};

async function open(answers: Answers = {}, more = '') {
  const api = await startApi({
    listTimelineEvents: { events: [], total_count: 0 },
    getConnectionCoverage: COVERAGE,
    getConnectionLoad: ({ path }) => (paramsOf(path).get('split_by') === 'statement' ? STATEMENTS : LOAD),
    ...answers,
  });
  const shown = show(<LoadView id={1} />, { at: `/servers/1?tab=load&${WINDOW}${more}` });
  const asked = () =>
    api.sent.filter(({ operation }) => operation === 'getConnectionLoad').map(({ path }) => paramsOf(path));
  return { ...shown, asked };
}

it('draws classes of wait on top of each other, with the processors, and leaves gaps open', async () => {
  const { asked } = await open();
  const chart = await screen.findByRole('figure', { name: 'Active sessions' });
  expect(Object.fromEntries(asked()[0] ?? [])).toEqual({
    split_by: 'wait_class',
    buckets: '120',
    start_time: '2026-11-20T10:00:00.000Z',
    end_time: '2026-11-20T12:00:00.000Z',
  });
  for (const name of ['CPU', 'Lock']) {
    const area = chart.querySelector(`path[data-area=${name}]`)?.getAttribute('d') ?? '';
    expect(area.match(/M/g)?.length).toBe(2);
  }
  const slider = within(chart).getByRole('slider');
  expect(slider.getAttribute('aria-valuetext')).toBe('2026-11-20 11:59:00 to 12:00:00, CPU 2, Lock 4');
  within(chart).getByText('8 CPUs');
  within(chart).getByText('Not measured from 10:30 to 10:40.');
  screen.getByText('Average active sessions, sampled every second.');
  const rows = within(screen.getByRole('table', { name: 'Members of the load' })).getAllByRole('row');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'Wait classSessionsShare',
    'CPU375 %',
    'Lock125 %',
  ]);
});

it('lists the largest share first, and a row shows its area alone in the chart', async () => {
  const { user } = await open({
    getConnectionLoad: { ...LOAD, members: [member('CPU', 1), member('Lock', 3)] },
  });
  const chart = await screen.findByRole('figure', { name: 'Active sessions' });
  const area = (name: string) => chart.querySelector(`path[data-name=${name}]`)?.getAttribute('d');
  const table = screen.getByRole('table', { name: 'Members of the load' });
  const first = within(table).getAllByRole('row')[1];
  expect(first?.textContent).toBe('Lock375 %');
  // The colour of its area, whatever its place in the table.
  expect(first?.querySelector('line')?.getAttribute('stroke')).toBe('var(--series-3)');
  const pick = within(table).getByRole('button', { name: 'Lock: show alone in the chart' });
  await user.click(pick);
  expect([area('CPU'), pick.getAttribute('aria-pressed')]).toEqual(['', 'true']);
  expect(area('Lock')).toMatch(/^M/);
  await user.click(pick);
  expect(area('CPU')).toMatch(/^M/);
});

it('a class of waits that is not known here has its own colour and name', async () => {
  const members = ['Buffer', 'Novelty', 'CPU', 'Anew', 'BufferPin'].map((name, index) =>
    member(name, 9 - index),
  );
  await open({ getConnectionLoad: { ...LOAD, members } });
  const table = await screen.findByRole('table', { name: 'Members of the load' });
  const rows = within(table).getAllByRole('row').slice(1);
  const looks = rows.map((row) => [
    row.textContent?.match(/^[A-Za-z]+/)?.[0],
    row.querySelector('line')?.getAttribute('stroke'),
  ]);
  expect(looks).toEqual([
    ['Buffer', 'var(--series-10)'],
    ['Novelty', 'var(--series-12)'],
    ['CPU', 'var(--series-1)'],
    ['Anew', 'var(--series-11)'],
    ['BufferPin', 'var(--series-7)'],
  ]);
});

it('leads to the sessions and locks of the moment that is chosen in the chart', async () => {
  await open();
  const slider = within(await screen.findByRole('figure', { name: 'Active sessions' })).getByRole('slider');
  screen.getByText(/^At 2026-11-20 12:00:00: /);
  fireEvent.keyDown(slider, { key: 'Home' });
  fireEvent.keyDown(slider, { key: 'Enter' });
  await screen.findByText(/^At 2026-11-20 10:00:30: /);
  const address = screen.getByRole('link', { name: 'locks' }).getAttribute('href') ?? '';
  expect(Object.fromEntries(new URLSearchParams(address.split('?')[1]))).toEqual({
    tab: 'locks',
    from: '2026-11-20T10:00:00Z',
    to: '2026-11-20T12:00:00Z',
    zone: 'utc',
    at: '2026-11-20T10:00:30Z',
  });
});

it('splits by what is chosen, compares, and keeps both in the address', async () => {
  const { user, router, asked } = await open();
  await screen.findByRole('figure', { name: 'Active sessions' });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Split by' }), 'statement');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Compare with' }), 'day');
  await expect.poll(() => asked().at(-1)?.get('compare')).toBe('day');
  expect(asked().at(-1)?.get('split_by')).toBe('statement');
  const search = new URLSearchParams(router.state.location.search);
  expect([search.get('split'), search.get('compare')]).toEqual(['statement', 'day']);
  const table = await screen.findByRole('table', { name: 'Members of the load' });
  await within(table).findAllByText(/^select \*\s+from orders$/);
  const rows = within(table)
    .getAllByRole('row')
    .map(({ textContent }) => textContent);
  const chart = screen.getByRole('figure', { name: 'Active sessions' });
  expect(chart.querySelector('path[data-name=Before]')?.getAttribute('d')).toMatch(/^M/);
  expect(chart.querySelector('path[data-area=Before]')).toBeNull();
  expect(rows[1]).toMatch(/31\.575 %$/);
  expect(rows[2]).toMatch(/^90\.5–Not sampled12\.5 %$/);
  expect(rows[3]).toMatch(/^Statements without an id/);
  expect(rows[4]).toMatch(/^All others/);
});

it('is split over more than a day as well, and says where only the largest are known', async () => {
  const api = await startApi({
    listTimelineEvents: { events: [], total_count: 0 },
    getConnectionLoad: { ...STATEMENTS, members: [], members_reason: 'Only the class of wait is known.' },
  });
  show(<LoadView id={1} />, {
    at: '/servers/1?tab=load&from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z&split=statement',
  });
  await expect
    .poll(() => api.sent.find(({ operation }) => operation === 'getConnectionLoad')?.path)
    .toMatch(/split_by=statement/);
  expect(screen.getByRole('option', { name: 'Role' })).toHaveProperty('disabled', false);
  await screen.findByText('Only the class of wait is known.');
  expect(screen.queryByText('No session was seen at work in this time.')).toBeNull();
});

it('says what is not known', async () => {
  await open({
    getConnectionLoad: {
      ...LOAD,
      processors: { count: null, reason: 'No source knows it.', as_of: null },
      members_reason: 'Only the class of wait is known.',
    },
  });
  await screen.findByText(
    'Average active sessions, sampled every second. The number of CPUs is not known: No source knows it. Only the class of wait is known.',
  );
});

it('says that nothing was sampled', async () => {
  await open({
    getConnectionLoad: {
      ...LOAD,
      coverage: 0,
      read: [],
      members: [],
      total: { mean: null, values: values(() => 0) },
    },
  });
  await screen.findByText('Sessions of this server were not sampled in this time.');
  await screen.findByText('No session was seen at work in this time.');
});

it('stands at the head of the page with alerts and restarts as flags, and leads to its splits', async () => {
  const event = { connection_id: 1, server_name: 'shop-1', summary: '', severity: 'info' as const };
  const at = (minute: string) => `2026-11-20T11:${minute}:00.000Z`;
  await startApi({
    getConnectionLoad: LOAD,
    listTimelineEvents: ({ path }) => {
      expect(paramsOf(path).get('event_types')?.split(',')).toEqual(
        expect.arrayContaining(['alert_fired', 'blackout_started', 'restart']),
      );
      return {
        events: [
          {
            ...event,
            id: 'a',
            event_type: 'alert_fired',
            occurred_at: at('30'),
            title: 'Sessions are blocked',
            severity: 'critical',
          },
          {
            ...event,
            id: 'b',
            event_type: 'restart',
            occurred_at: at('10'),
            title: 'The server was restarted',
          },
        ],
        total_count: 2,
      };
    },
  });
  show(<ServerHistory id={1}>{({ time }) => <LoadPanel id={1} isLive={time.isLive} />}</ServerHistory>, {
    at: `/servers/1?${WINDOW}`,
  });
  const chart = await screen.findByRole('figure', { name: 'Active sessions' });
  await expect.poll(() => chart.querySelectorAll('[data-severity=critical]').length).toBe(1);
  const slider = within(chart).getByRole('slider');
  fireEvent.keyDown(slider, { key: 'End' });
  for (let step = 0; step < 29; step += 1) fireEvent.keyDown(slider, { key: 'ArrowLeft' });
  expect(slider.getAttribute('aria-valuetext')).toContain('Sessions are blocked');
  const address =
    screen.getByRole('link', { name: 'By statement, user and more' }).getAttribute('href') ?? '';
  expect(Object.fromEntries(new URLSearchParams(address.split('?')[1]))).toEqual({
    ...Object.fromEntries(new URLSearchParams(WINDOW)),
    tab: 'load',
  });
});

it('says that sessions hide what they do, and where that is mended', async () => {
  const reason = '1 session hides its activity (role app): track_activities is off there.';
  const hidden = {
    ...{ probe: 'pg_stat_activity', database_name: null, status: 'incomplete' as const, reason, mend: null },
    ...{ lacking: [{ reason, metrics: null }], checked_at: null, collected_at: null, took_ms: null },
    ...{ row_count: 3, interval_seconds: 60, effective_interval_seconds: 60, cost_percent: null },
  };
  await open({ getConnectionCoverage: { ...COVERAGE, probes: [hidden] } });
  await screen.findByText(reason, { exact: false });
  screen.getByRole('link', { name: 'pg_stat_activity in Coverage' });
});

it('a class of wait has the same colour whichever others are there', async () => {
  const colourOf = async (members: Load['members']) => {
    const { unmount } = await open({ getConnectionLoad: { ...LOAD, members } });
    const chart = await screen.findByRole('figure', { name: 'Active sessions' });
    const fill = chart.querySelector('path[data-area=Lock]')?.getAttribute('fill');
    unmount();
    return fill;
  };
  const [cpu, lock] = LOAD.members;
  if (!cpu || !lock) throw new Error('no members');
  const alone = await colourOf([lock]);
  expect(await colourOf([cpu, lock])).toBe(alone);
  expect(await colourOf([cpu, { ...cpu, name: 'IO' }, { ...cpu, name: 'LWLock' }, lock])).toBe(alone);
});
