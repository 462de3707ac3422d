// The statements of a server: what is asked for by the address, how they stand in the list, which are ours, how thousands
// are read, and files of all that match.

import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../../lib/units.ts';
import { type Answers, Part, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { QueriesView } from './queries-view.tsx';

const FROM = '2026-11-20T10:00:00Z';
const WINDOW = `from=${FROM}&to=2026-11-20T12:00:00Z&zone=utc`;

const statement = (queryid: string, query: string, load_percent: number) => ({
  queryid,
  database_name: 'shop',
  query,
  calls: 7200,
  total_exec_time: 90_000,
  mean_exec_time: 12.5,
  rows: 14_400,
  shared_blks_hit: 9900,
  shared_blks_read: 100,
  load_percent,
  is_own: query === '' ? null : query.includes('probe.'),
});

const STATEMENTS = [
  statement('11', 'select *\n  from orders\n  where customer = $1', 61.2),
  statement('-12', 'select /* probe.pg_stat_io */ 1', 3),
  statement('13', '', 0.5),
];

/** Counted in the first hour of two. */
const CALLS = Array.from({ length: 60 }, (_, minute) => ({
  time: new Date(Date.parse(FROM) + minute * MINUTE_MS).toISOString(),
  value: 6,
}));

const entry = (status: 'ok' | 'missing_extension', reason: string | null) => ({
  probe: 'pg_stat_statements',
  database_name: null,
  status,
  reason,
  mend: null,
  checked_at: null,
  collected_at: null,
  took_ms: null,
  row_count: null,
  interval_seconds: 300,
  effective_interval_seconds: 300,
  cost_percent: null,
});

const COVERAGE = {
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
  probes: [entry('ok', null)],
  remedies: [],
  host_sources: [],
  host_values: [],
};

const ANSWERS: Answers = {
  getConnectionCoverage: COVERAGE,
  listTimelineEvents: { events: [], total_count: 0 },
  queryMetrics: ({ path }) =>
    (new URLSearchParams(path.split('?')[1]).get('metrics') ?? '').split(',').map((metric) => ({
      name: metric,
      metric,
      unit: 'count/s',
      data: metric === 'calls_per_sec' ? CALLS : [],
    })),
  listTopQueries: new Part(STATEMENTS, 250),
};

async function open(search = '', answers: Answers = {}) {
  const api = await startApi({ ...ANSWERS, ...answers });
  const shown = show(<QueriesView id={1} />, { at: `/servers/1?tab=queries&${WINDOW}${search}` });
  const asked = () =>
    api.sent
      .filter(({ operation }) => operation === 'listTopQueries')
      .map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));
  return { ...shown, api, asked };
}

const rowOf = async (text: RegExp) => {
  const table = await screen.findByRole('table', { name: 'Statements by what they cost' });
  return within(table)
    .getAllByRole('row')
    .find((row) => text.test(row.textContent));
};

it('asks for the window, the order and the choice of the address', async () => {
  const { asked } = await open('&sort=-calls&database=shop&q=orders');
  await screen.findByText('250 statements');
  expect(asked()).toEqual([
    {
      connection_id: '1',
      start_time: '2026-11-20T10:00:00.000Z',
      end_time: '2026-11-20T12:00:00.000Z',
      order_by: 'calls',
      order: 'desc',
      limit: '100',
      offset: '0',
      search: 'orders',
      database_name: 'shop',
      exclude_collector: 'true',
      // Each is shown beside the time before, with its course over the window.
      compare: 'previous',
      course_buckets: '30',
    },
  ]);
});

it('shows those of Matriarch on request only', async () => {
  const { user, router, asked } = await open();
  await screen.findByText('250 statements');
  await user.click(screen.getByLabelText('With those of Matriarch'));
  await expect.poll(() => asked().at(-1)).not.toHaveProperty('exclude_collector');
  expect(new URLSearchParams(router.state.location.search).get('own')).toBe('with');
});

it('shows all statements together as figures, and as charts on request', async () => {
  const { user } = await open();
  const figures = within(await screen.findByLabelText('All statements'));
  await expect
    .poll(() => figures.getByText('Calls').parentElement?.textContent)
    .toMatch(/6 \/s10:59:00 to 11:00:00/);
  expect(screen.queryByRole('figure')).toBeNull();
  await user.click(screen.getByText('Charts of all statements'));
  await screen.findByRole('figure', { name: 'Calls' });
});

it('names verb and tables, and the tags that an application wrote into the text', async () => {
  const tagged = statement('14', "/*route='%2Fcart'*/ select 1 from basket", 2);
  await open('', { listTopQueries: new Part([{ ...tagged, exec_time_course: [1, null, 3] }], 1) });
  const row = await rowOf(/basket/);
  expect(row?.querySelector('a')?.textContent).toMatch(/^SELECT basket /);
  expect(row?.textContent).toMatch(/shop · 14route=\/cart/);
  // One point, a gap, one point.
  expect(row?.querySelector('svg path')?.getAttribute('d')?.match(/M/g)?.length).toBe(2);
});

it('tells what each costs, over the time that was measured, and which are our own', async () => {
  await open();
  const orders = await rowOf(/from orders/);
  // 7200 calls in the one hour of two in which statements were counted.
  await expect.poll(() => orders?.textContent).toMatch(/61.2 %.*2 \/s.*13 ms.*14,400.*100.*9,900/);
  expect(orders?.textContent).not.toMatch(/Matriarch/);
  expect((await rowOf(/probe\./))?.textContent).toMatch(/shop · -12Matriarch/);
  expect((await rowOf(/· 13/))?.textContent).toMatch(/not read yet/);
  const load = screen.getByRole('columnheader', { name: 'Load' });
  expect(load.getAttribute('aria-sort')).toBe('descending');
  const first = orders?.querySelector('a');
  expect(first?.textContent).toBe('SELECT orders select * from orders where customer = $1');
  const [path, query] = (first?.getAttribute('href') ?? '').split('?');
  expect(path).toBe('/servers/1/queries/11');
  expect(new URLSearchParams(query).get('from')).toBe('2026-11-20T10:00:00Z');
});

it('tells against the other window what became slower, what is new, and what nobody knows', async () => {
  const { calls, total_exec_time, rows, shared_blks_hit, shared_blks_read } = statement('11', '', 0);
  const costs = { calls, total_exec_time, rows, shared_blks_hit, shared_blks_read, mean_exec_time: 2.5 };
  const [orders, own, other] = STATEMENTS;
  const compared = [
    { ...orders, compared: costs },
    { ...own, compared: { ...costs, calls: 0, total_exec_time: 0, mean_exec_time: 0 } },
    { ...other, compared: null },
  ];
  const { asked } = await open('&compare=day', { listTopQueries: new Part(Object.assign([], compared), 3) });
  const slower = await rowOf(/from orders/);
  expect(slower?.textContent).toMatch(/61.2 %\s*same.*13 ms\s*×5/);
  expect((await rowOf(/probe\./))?.textContent).toMatch(/3 %\s*new.*new/);
  expect((await rowOf(/· 13/))?.innerHTML).toContain('Its database was not measured in the other window');
  expect(asked().at(-1)).toMatchObject({ compare: 'day' });
});

it('sorts and searches on the server, and keeps all of it in the address', async () => {
  const { user, router, asked } = await open();
  await screen.findByText('250 statements');
  await user.click(screen.getByRole('button', { name: 'Mean' }));
  await expect.poll(() => asked().at(-1)).toMatchObject({ order_by: 'mean_exec_time', offset: '0' });
  await user.type(screen.getByLabelText('Search statements'), 'cust');
  await expect.poll(() => asked().at(-1)).toMatchObject({ search: 'cust', order_by: 'mean_exec_time' });
  // What is typed is asked for once it stands still.
  expect(asked().some(({ search }) => search === 'c')).toBe(false);
  const shown = Object.fromEntries(new URLSearchParams(router.state.location.search));
  expect(shown).toMatchObject({ tab: 'queries', sort: '-mean_exec_time', q: 'cust' });
});

/** So many statements, answered part by part. */
const many = (count: number): Answers => ({
  listTopQueries: ({ path }) => {
    const offset = Number(new URLSearchParams(path.split('?')[1]).get('offset'));
    const rows = Array.from({ length: Math.min(100, count - offset) }, (_, at) =>
      statement(String(offset + at), `select ${offset + at}, "=x"`, 1),
    );
    return new Part(rows, count);
  },
});

const focused = () => document.activeElement?.textContent;

it('leads through ten thousand of them by key, and fetches only what comes near the window', async () => {
  const { user, asked } = await open('', many(10_000));
  await screen.findByText('10,000 statements');
  const table = screen.getByRole('table', { name: 'Statements by what they cost' });
  expect(table.getAttribute('aria-rowcount')).toBe('10001');
  screen.getByRole('link', { name: 'select 0, "=x"' }).focus();
  await user.keyboard('{End}');
  // The focus waits in the place of the row, and is on the row once it is there.
  await expect.poll(focused).toBe('select 9999, "=x"');
  expect(document.activeElement?.closest('tr')?.getAttribute('aria-rowindex')).toBe('10001');
  await user.keyboard('{ArrowUp}');
  expect(focused()).toBe('select 9998, "=x"');
  await user.keyboard('{Home}');
  await expect.poll(focused).toBe('select 0, "=x"');
  // The neighbours of both ends, and nothing between them.
  expect(asked().every(({ offset }) => Number(offset) <= 100 || Number(offset) >= 9800)).toBe(true);
  expect(within(table).getAllByRole('row').length).toBeLessThan(100);
});

it('saves all that match, page by page', async () => {
  const { user, asked } = await open('', many(250));
  await screen.findByText('250 statements');
  const before = asked().length;
  const files: Blob[] = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (file) => {
    if (file instanceof Blob) files.push(file);
    return 'blob:x';
  };
  try {
    await user.click(screen.getByRole('button', { name: 'CSV' }));
    await screen.findByText('250 of 250 statements');
    await expect.poll(() => files.length).toBe(1);
    await user.click(screen.getByRole('button', { name: 'JSON' }));
    await expect.poll(() => files.length).toBe(2);
  } finally {
    URL.createObjectURL = make;
  }
  expect(
    asked()
      .slice(before, before + 3)
      .map(({ offset }) => offset),
  ).toEqual(['0', '100', '200']);
  const lines = (await files[0]?.text())?.split('\r\n') ?? [];
  expect(lines.length).toBe(252);
  expect(lines[0]).toMatch(/^queryid,database_name,query,load_percent,calls/);
  expect(lines[250]).toBe('249,shop,"select 249, ""=x""",1,7200,90000,12.5,14400,9900,100,false');
  const json = JSON.parse((await files[1]?.text()) ?? '');
  expect(json).toMatchObject({ connection_id: 1, total_count: 250, start_time: '2026-11-20T10:00:00.000Z' });
  expect(json.statements.length).toBe(250);
});

it('ends a file of many on request, and says where one does not hold them all', async () => {
  const { user, asked } = await open('', many(20_000));
  await screen.findByText('20,000 statements');
  await user.click(screen.getByRole('button', { name: 'JSON' }));
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  await screen.findByText('Stopped: no file was made.');
  const after = asked().length;
  expect(after).toBeLessThan(100);
  expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull();
  const make = URL.createObjectURL;
  URL.createObjectURL = () => 'blob:x';
  try {
    await user.click(screen.getByRole('button', { name: 'JSON' }));
    await screen.findByText('The first 10,000 of 20,000 statements');
  } finally {
    URL.createObjectURL = make;
  }
  expect(asked().length - after).toBe(100);
});

it('says what mends it where statements are not counted', async () => {
  await open('', {
    listTopQueries: new Part([], 0),
    getConnectionCoverage: {
      ...COVERAGE,
      probes: [entry('missing_extension', 'The extension is not there.')],
      remedies: [
        {
          statement: 'create extension pg_stat_statements;',
          database_name: 'postgres',
          run_on: 'server',
          needs_restart: false,
          status: 'missing_extension',
          reason: 'The extension is not there.',
          probes: ['pg_stat_statements'],
          databases: [],
          count: 1,
          checked_at: null,
        },
      ],
    },
  });
  const missing = within(await screen.findByRole('region', { name: 'Not collected' }));
  missing.getByText('create extension pg_stat_statements;');
  missing.getByText('Run in the database postgres');
  await screen.findByText('No statement ran');
});

it('has statements read often while the window ends now, and not for a time that is over', async () => {
  const fixed = await open();
  await screen.findByText('250 statements');
  const watched = ({ sent }: typeof fixed.api) =>
    sent.filter(({ operation }) => operation === 'watchConnectionStatements').map(({ path }) => path);
  expect(watched(fixed.api)).toEqual([]);
  fixed.unmount();
  const api = await startApi({ ...ANSWERS, watchConnectionStatements: undefined });
  show(<QueriesView id={7} />, { at: '/servers/7?tab=queries' });
  await expect.poll(() => watched(api)).toEqual(['/api/v1/connections/7/statements/watch']);
});
