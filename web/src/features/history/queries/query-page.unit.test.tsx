// One statement on the screen: charts beside the time before, figures with their change, waits or why there are none, and
// where it runs.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { changeText } from '../../../lib/change.ts';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { ExplainCalls } from '../../../testing/explain.tsx';
import { show } from '../../../testing/show.tsx';
import type { QueryDetail } from './query-detail.ts';
import { QueryPage } from './query-page.tsx';

const FROM = '2026-11-20T10:00:00.000Z';
const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';
const BUCKETS = 120;

const figure = (metric: string, total: number | null, compared_total: number | null) => ({
  metric,
  unit: metric === 'calls' ? 'count' : 'ms',
  description: `Meaning of ${metric}.`,
  total,
  compared_total,
  per_second: metric === 'mean_time' ? null : (total ?? 0) / 7200,
  compared_per_second: null,
});
const few = (first: number) => [first, null, first + 1, ...Array(BUCKETS - 3).fill(null)];

const DETAIL: QueryDetail = {
  connection_id: 1,
  queryid: '-12',
  query: 'select *\n  from orders',
  is_own: true,
  first_seen: FROM,
  last_seen: FROM,
  start_time: FROM,
  end_time: '2026-11-20T12:00:00.000Z',
  compared_start_time: '2026-11-20T08:00:00.000Z',
  bucket_seconds: 60,
  figures: [figure('calls', 7200, 3600), figure('mean_time', 12.5, null), figure('total_plan_time', 0, 0)],
  series: [
    { metric: 'calls', values: few(5), compared: few(2) },
    { metric: 'mean_time', values: few(12), compared: Array(BUCKETS).fill(null) },
    { metric: 'total_plan_time', values: Array(BUCKETS).fill(0), compared: [] },
  ],
  places: [
    {
      database_name: 'shop',
      userid: '10',
      username: null,
      first_seen: FROM,
      last_seen: FROM,
      figures: [figure('calls', 7000, null)],
    },
  ],
  waits: {
    start_time: FROM,
    end_time: '2026-11-20T12:00:00.000Z',
    events: [
      { wait_class: 'IO', wait_event: 'DataFileRead', session_seconds: 90, percent: 75 },
      { wait_class: null, wait_event: null, session_seconds: 30, percent: 25 },
    ],
    reason: null,
  },
};

const ANSWERS: Answers = {
  ...EVERYWHERE,
  getConnectionCoverage: new Refusal(500, 'Not today.'),
  listTimelineEvents: { events: [], total_count: 0 },
  listFindings: new Refusal(500, 'Not today.'),
  getQueryDetail: DETAIL,
  listQueryPlans: {
    connection_id: 1,
    queryid: '-12',
    plans: [],
    regression: null,
    reason: 'None.',
    mend: null,
  },
};

async function open(answers: Answers = {}, search = '') {
  const api = await startApi({ ...ANSWERS, ...answers });
  const at = `/servers/1/queries/-12?${WINDOW}${search}`;
  const shown = show(<QueryPage />, { at, path: '/servers/:id/queries/:queryid' });
  const asked = () =>
    api.sent.filter(({ operation }) => operation === 'getQueryDetail').map(({ path }) => path);
  return { ...shown, asked };
}

const rowsOf = async (name: string) => {
  const region = within(await screen.findByRole('region', { name }));
  return (await region.findAllByRole('row')).map(({ textContent }) => textContent).slice(1);
};

it('shows what it cost beside the time before, what it waited for and where it runs', async () => {
  const { user, asked } = await open();
  const text = await screen.findByText(/^select\s+\*\s+from\s+orders$/);
  // In lines of its own, as it is stored on request.
  await expect.poll(() => text.textContent).toBe('select\n  *\nfrom\n  orders');
  await user.click(screen.getByRole('button', { name: 'As stored' }));
  expect(text.textContent).toBe(DETAIL.query);
  screen.getByRole('heading', { name: 'SELECT orders', level: 1 });
  screen.getByText(/queryid -12/);
  screen.getByRole('button', { name: 'Copy queryid' });
  expect(asked()[0]).toMatch(/^\/api\/v1\/connections\/1\/queries\/-12\?/);
  expect(Object.fromEntries(new URLSearchParams(asked()[0]?.split('?')[1]))).toEqual({
    start_time: FROM,
    end_time: '2026-11-20T12:00:00.000Z',
    buckets: '120',
    compare: 'previous',
  });
  const calls = await screen.findByRole('figure', { name: 'Calls' });
  expect(
    [...calls.querySelectorAll('path[data-name]')].map((path) => path.getAttribute('data-name')),
  ).toEqual(['calls', 'calls, the time before']);
  // Over the whole window, and against the time before.
  expect(screen.getByRole('region', { name: 'Calls' }).textContent).toMatch(/^Calls7,200 ×2/);
  const mean = screen.getByRole('figure', { name: 'Mean time' });
  expect(mean.querySelectorAll('path[data-name]').length).toBe(1);
  expect(screen.queryByRole('figure', { name: 'Total plan time' })).toBeNull();
  expect(screen.queryByRole('region', { name: 'Figures' })).toBeNull();
  await user.click(screen.getByText('All figures and charts'));
  const figures = await rowsOf('Figures');
  expect(figures[0]).toMatch(/^Meaning of calls.calls7,2001 \/s3,600×2$/);
  expect(figures[1]).toMatch(/12.5 ms.*It is no count.*Not measured in this time.*Not known of both times/);
  expect(await rowsOf('Waits')).toEqual([
    'IO: DataFileRead75 %1 min 30 s',
    'CPU: running, or ready to run25 %30 s',
  ]);
  expect((await rowsOf('Where it runs'))[0]).toMatch(/^shopa role that is gone \(10\).*Not measured.*7,000/);
  screen.getByText('Matriarch');
});

it('compares with what is chosen, and says why there are no waits', async () => {
  const reason = 'No session that ran it was sampled.';
  const { user, asked } = await open({
    getQueryDetail: { ...DETAIL, waits: { ...DETAIL.waits, events: [], reason } },
  });
  await screen.findByText(reason);
  await user.selectOptions(screen.getByLabelText('Compare with'), 'With a week earlier');
  await expect.poll(() => asked().at(-1)).toMatch(/compare=week/);
  await expect
    .poll(() => screen.queryByRole('figure', { name: 'Calls' })?.textContent)
    .toMatch(/Calls, a week earlier/);
});

const NO_FINDINGS = {
  findings: [],
  total: 0,
  counts: { info: 0, warning: 0, critical: 0 },
  servers: { judged: 1, waiting: 0, oldest_evaluated_at: FROM },
};
const STALE = {
  ...{ id: 7, connection_id: 1, server_name: 'shop', check: 'statistics_stale', category: 'vacuum' as const },
  ...{ title: 'Stale table statistics', database_name: 'shop', object_name: 'public.orders' },
  ...{ severity: 'info' as const, state: 'open' as const, message: 'Many rows of "public.orders" changed.' },
  ...{ figure: null, figure_unit: null, proof: 'stated' as const, first_seen_at: FROM, opened_at: FROM },
  ...{ last_seen_at: FROM, figured_at: FROM, resolved_at: null, muted_until: null },
};

it('names what became of its tables: an index that was dropped, and statistics that are stale', async () => {
  const dropped = { database: 'shop', schema: 'public', table: 'orders', index: 'orders_day' };
  const details = { change_count: 2, changes: [dropped, { ...dropped, table: 'items', index: 'items_day' }] };
  const event = {
    ...{ id: 'e', event_type: 'index_dropped' as const, connection_id: 1, server_name: 'shop' },
    ...{ severity: 'info' as const, title: '', summary: '', occurred_at: FROM },
  };
  await open({
    listTimelineEvents: { events: [{ ...event, details }], total_count: 1 },
    listFindings: ({ path }) =>
      path.includes('statistics_stale') ? { ...NO_FINDINGS, findings: [STALE] } : NO_FINDINGS,
  });
  const region = within(await screen.findByRole('region', { name: 'Its tables' }));
  await expect.poll(() => region.queryAllByRole('listitem').length).toBe(2);
  region.getByText('Index orders_day of public.orders was dropped');
  expect(region.getByRole('link', { name: 'Stale table statistics' }).getAttribute('href')).toBe(
    '/findings/7',
  );
});

it('says what the server says of one that was never seen', async () => {
  await open({ getQueryDetail: new Refusal(404, 'No statement -12 was ever seen on this server.') });
  await screen.findByText('No statement -12 was ever seen on this server.', { exact: false });
});

it('never shows one statement under the name of another', async () => {
  const { router } = await open({
    getQueryDetail: ({ path }) =>
      path.includes('/13?') ? { ...DETAIL, queryid: '13', query: 'select 13' } : DETAIL,
  });
  await screen.findByText(/^select\s+\*/);
  const there = router.navigate(`/servers/1/queries/13?${WINDOW}`);
  await screen.findByRole('heading', { name: /^(Statement|select) 13$/, level: 1 });
  expect(screen.queryByRole('heading', { name: 'SELECT orders' })).toBeNull();
  expect(screen.queryByText(/^select\s+\*/)).toBeNull();
  await there;
  await screen.findByRole('heading', { name: 'select 13', level: 1 });
});

it.each([
  [2, 1, '×2'],
  [1.2, 1, '+20 %'],
  [0.6, 1, '−40 %'],
  [1.001, 1, 'same'],
  [3, 0, 'new'],
  [0, 0, 'same'],
  [null, 1, null],
  [1, null, null],
])('%j after %j is %s', (now, before, text) => expect(changeText(now, before)).toBe(text));

it('asks the chat about the statement, with its text, its mean time and its calls', async () => {
  await startApi(ANSWERS);
  const asked = new ExplainCalls();
  const at = `/servers/1/queries/-12?${WINDOW}`;
  const { user } = show(asked.around(<QueryPage />), { at, path: '/servers/:id/queries/:queryid' });
  await user.click(await screen.findByRole('button', { name: 'Explain: statement -12' }));
  expect(asked.questions).toMatchObject([
    {
      message: expect.stringMatching(/^What does the statement -12 do/),
      about: {
        ...{ kind: 'statement', queryid: '-12', connection_id: 1, text: DETAIL.query },
        window: { start: FROM, end: '2026-11-20T12:00:00.000Z' },
        compared_window: { start: '2026-11-20T08:00:00.000Z', end: FROM },
        figures: [
          { metric: 'calls', unit: 'count', total: 7200, compared_total: 3600 },
          { metric: 'mean_time', unit: 'ms', total: 12.5, compared_total: null },
          { metric: 'total_plan_time', total: 0 },
        ],
        databases: ['shop'],
      },
    },
  ]);
});
