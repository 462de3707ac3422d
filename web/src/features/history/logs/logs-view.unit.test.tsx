// The log of a server on the screen: a chart of what was counted, classes that narrow the events, texts for those who may read them, and
// what turns reading on where nothing is read.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Events, startApi } from '../../../testing/api.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { LogsView } from './logs-view.tsx';
import type { LogCounts, LogEvent } from './logs-words.ts';

const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';
const AT = '2026-11-20T11:30:00.000Z';

const COUNTS: LogCounts = {
  connection_id: 1,
  start_time: '2026-11-20T10:00:00.000Z',
  end_time: '2026-11-20T12:00:00.000Z',
  bucket_seconds: 120,
  reading: {
    state: 'reading',
    format: 'stderr',
    since: '2026-11-20T10:30:00.000Z',
    looked_at: AT,
    read_until: null,
    reason: null,
    mend: null,
  },
  total_events: 90,
  classes: [
    {
      class: 'deadlock',
      title: 'Deadlock',
      weight: 'warning',
      meaning: 'Two or more transactions waited for each other.',
      remedy: 'Lock in the same order.',
      events: 90,
      kept: 2,
      values: Array.from({ length: 60 }, (_none, bucket) => (bucket < 15 ? null : 2)),
    },
  ],
  sqlstates: [{ sqlstate: '40P01', events: 90 }],
  names: {
    ...{ start_time: '2026-11-20T10:30:00.000Z', end_time: '2026-11-20T12:00:00.000Z' },
    users: [
      { name: 'app', events: 80, errors: 75 },
      { name: '(others)', events: 2, errors: 0 },
    ],
    applications: [{ name: 'checkout', events: 70, errors: 70 }],
  },
  gap_bytes: 0,
  gaps: [],
};

const EVENT: LogEvent = {
  id: '7',
  occurred_at: AT,
  class: 'deadlock',
  title: 'Deadlock',
  weight: 'warning',
  severity: 'ERROR',
  sqlstate: '40P01',
  database_name: 'shop',
  user_name: 'app',
  application_name: null,
  process_id: '30444',
  queryid: '-42',
  message: 'deadlock <b>detected</b>',
  detail: 'Process 30444 waits.',
  hint: null,
  context: null,
  statement: 'update orders set state = $1',
  figures: {},
  is_cut: false,
  deadlock_sides: null,
};

async function open(answers: Answers = {}, window = WINDOW) {
  const api = await startApi({
    listTimelineEvents: { events: [], total_count: 0 },
    getUserInfo: ADMIN,
    listLogSearches: { searches: [] },
    getConnectionLogCounts: COUNTS,
    listConnectionLogEvents: ({ path }) =>
      path.includes('cursor=')
        ? {
            events: [{ ...EVENT, id: '6', message: 'the one before' }],
            next_cursor: null,
            searched_back_to: null,
          }
        : { events: [EVENT], next_cursor: '1-7', searched_back_to: null },
    ...answers,
  });
  const shown = show(<LogsView id={1} />, { at: `/servers/1?tab=logs&${window}` });
  const asked = (operation: string) =>
    api.sent
      .filter((one) => one.operation === operation)
      .map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));
  return { ...shown, asked };
}

it('draws counts of buckets, leaves open what was not read, and shows texts with their time', async () => {
  const { asked } = await open();
  const chart = await screen.findByRole('figure', { name: 'Log events' });
  within(chart).getByText('Not measured before 10:30.');
  screen.getByText(/^\d+ events, counted every \d+ min$/);
  expect(within(chart).getByRole('slider').getAttribute('aria-valuetext')).toBe(
    '2026-11-20 11:59:00 to 12:00:00, Deadlock 2',
  );
  expect(asked('getConnectionLogCounts')[0]).toEqual({
    start_time: '2026-11-20T10:00:00.000Z',
    end_time: '2026-11-20T12:00:00.000Z',
    buckets: '120',
  });
  const events = within(await screen.findByRole('region', { name: 'Events' }));
  await events.findByText('ERROR: deadlock <b>detected</b>');
  events.getByText(/2026-11-20 11:30:00/);
  events.getByText('app@shop, PID 30444, 40P01');
  events.getByText('update orders set state = $1');
});

it('draws and counts the events of a day earlier where it is compared with that', async () => {
  const before = { ...COUNTS, start_time: '2026-11-19T10:00:00.000Z', end_time: '2026-11-19T12:00:00.000Z' };
  const [deadlocks] = COUNTS.classes;
  const { user, asked } = await open(
    {
      getConnectionLogCounts: ({ path }) =>
        path.includes('2026-11-19')
          ? { ...before, classes: deadlocks ? [{ ...deadlocks, events: 7, values: Array(60).fill(5) }] : [] }
          : COUNTS,
    },
    `${WINDOW}&compare=day`,
  );
  const chart = await screen.findByRole('figure', { name: 'Log events' });
  await expect
    .poll(() => within(chart).getByRole('slider').getAttribute('aria-valuetext'))
    .toBe('2026-11-20 11:59:00 to 12:00:00, Deadlock 2, Before 5');
  expect(asked('getConnectionLogCounts').map(({ start_time }) => start_time)).toContain(before.start_time);
  await user.click(screen.getByRole('button', { name: 'Classes and users' }));
  within(screen.getByRole('region', { name: 'Classes' })).getByRole('cell', { name: '7' });
});

it('leads to older events and back, and to those of one class', async () => {
  const { user, router, asked } = await open();
  await user.click(await screen.findByRole('button', { name: 'Older events' }));
  await screen.findByText('ERROR: the one before');
  expect(asked('listConnectionLogEvents').at(-1)?.cursor).toBe('1-7');
  await user.click(screen.getByRole('button', { name: 'Newer events' }));
  await screen.findByText(/detected/);
  const chip = screen.getByRole('button', { name: /^Deadlock \d+$/ });
  await user.click(chip);
  await expect.poll(() => asked('listConnectionLogEvents').at(-1)?.class).toBe('deadlock');
  expect(router.state.location.search).toContain('class=deadlock');
  expect(chip.getAttribute('aria-pressed')).toBe('true');
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(router.state.location.search).not.toContain('class=');
  await user.click(screen.getByRole('button', { name: 'Classes and users' }));
  const classes = within(screen.getByRole('region', { name: 'Classes' }));
  await user.click(classes.getByRole('button', { name: 'Deadlock' }));
  expect(router.state.location.search).toContain('class=deadlock');
});

it('says what turns reading on where the log was never read, and asks for no texts', async () => {
  const reason = 'The log of this server has never been read.';
  const { asked } = await open({
    getConnectionLogCounts: {
      ...COUNTS,
      total_events: 0,
      classes: [],
      reading: {
        state: 'never',
        format: null,
        since: null,
        looked_at: null,
        read_until: null,
        reason,
        mend: 'create schema x;',
      },
    },
  });
  const panel = within(await screen.findByRole('region', { name: 'Turn on log reading' }));
  panel.getByText(reason);
  panel.getByText('create schema x;');
  expect(screen.queryByRole('figure', { name: 'Log events' })).toBeNull();
  expect(asked('listConnectionLogEvents')).toEqual([]);
});

it('says which bytes are lost, and that texts need a permission', async () => {
  const gap = { noticed_at: AT, file_name: 'a.log', bytes: 2_097_152, reason: 'removed' as const };
  const { asked } = await open({
    getUserInfo: { ...ADMIN, is_superuser: false, admin_permissions: [] },
    getConnectionLogCounts: { ...COUNTS, gap_bytes: 2_097_152, gaps: [gap] },
  });
  await screen.findByText('You may not read texts of the log');
  screen.getByText('2 MB of the log could not be read in this time.');
  screen.getByText('2 MB of a.log: removed before it was read');
  expect(asked('listConnectionLogEvents')).toEqual([]);
});

/** Answers nothing before so many pages were searched. */
const foundBehind = (pages: number) => ({
  listConnectionLogEvents: ({ path }: { path: string }) => {
    const page = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
    return path.includes('search=') && page < pages
      ? { events: [], next_cursor: `${page + 1}-7`, searched_back_to: AT }
      : { events: [EVENT], next_cursor: null, searched_back_to: null };
  },
});

it('searches on by itself where a page found nothing', async () => {
  const { asked } = await open(foundBehind(3), `${WINDOW}&search=rare`);
  await screen.findByText('ERROR: deadlock <b>detected</b>');
  expect(asked('listConnectionLogEvents').map(({ cursor }) => cursor)).toEqual([
    undefined,
    ...['1-7', '2-7', '3-7'],
  ]);
  expect(screen.queryByText(/No match/)).toBeNull();
});

it('narrows the events by text, severity, SQLSTATE and database, and says how far a search came', async () => {
  const { user, router, asked } = await open(foundBehind(25));
  const filters = within(await screen.findByLabelText('Filters of events'));
  await user.type(filters.getByRole('searchbox', { name: 'Search in texts' }), 'orders');
  await user.selectOptions(filters.getByRole('combobox', { name: 'Severity' }), 'ERROR');
  expect(filters.queryByRole('textbox')).toBeNull();
  await user.click(filters.getByRole('button', { name: 'More filters' }));
  await user.type(filters.getByRole('textbox', { name: 'SQLSTATE' }), '40p0');
  filters.getByText('Five characters, such as 40P01.');
  await user.type(filters.getByRole('textbox', { name: 'SQLSTATE' }), '1');
  await user.type(filters.getByRole('textbox', { name: 'Database' }), 'shop');
  await user.type(filters.getByRole('textbox', { name: 'User' }), 'app');
  await user.type(filters.getByRole('textbox', { name: 'Application' }), 'pay roll');
  await user.type(filters.getByRole('textbox', { name: 'PID' }), '12');
  await user.type(filters.getByRole('textbox', { name: 'Query ID' }), '-42');
  await user.click(filters.getByRole('checkbox', { name: 'Only events that matter' }));
  await expect
    .poll(() => asked('listConnectionLogEvents').at(-1))
    .toMatchObject({ search: 'orders', severity: 'ERROR', sqlstate: '40P01', database_name: 'shop' });
  await expect
    .poll(() => asked('listConnectionLogEvents').at(-1))
    .toMatchObject({ user_name: 'app', application_name: 'pay roll', process_id: '12', queryid: '-42' });
  expect(asked('listConnectionLogEvents').at(-1)?.important).toBe('true');
  await screen.findByText('No match back to 2026-11-20 11:30:00');
  expect(screen.queryByText('No event matches the filters')).toBeNull();
  await user.click(await screen.findByRole('button', { name: 'Search older events' }));
  await screen.findByText('ERROR: deadlock <b>detected</b>');
  expect(router.state.location.search).toContain('search=orders');
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(router.state.location.search).toBe(`?tab=logs&${WINDOW}`.replaceAll(':', '%3A'));
});

const reading = COUNTS.reading;
const frame = (id: string, messages: readonly string[], left_out: number | null = 0) => ({
  ...{ id, event: 'log' },
  data: {
    events: messages.map((message) => ({ ...EVENT, id: `new-${message}`, message })),
    left_out,
    reading,
  },
});

/** The log while it follows the clock. */
const followed = (answers: Answers) => open(answers, 'range=1h&zone=utc');
const lines = () =>
  within(screen.getByRole('region', { name: 'Events' }))
    .getAllByRole('listitem')
    .map((line) => /ERROR: (.*?)(DETAIL|STATEMENT)/.exec(line.textContent ?? '')?.[1]);

it('follows the log: new events come first, each once, and it says how far the log was read and what is left out', async () => {
  const { user, router, asked } = await followed({
    tailConnectionLogEvents: new Events(
      [frame('1-0', []), frame('3-0', ['a', 'b'], 7), frame('3-0', ['b'])],
      true,
    ),
  });
  const live = await screen.findByRole('button', { name: 'Live tail' });
  expect(live.getAttribute('aria-pressed')).toBe('false');
  await user.click(live);
  await screen.findByText(/^Live\. 9 new events\.$/);
  expect(lines()).toEqual(['b', 'a', 'deadlock <b>detected</b>']);
  screen.getByText(/^Log read/);
  screen.getByText(/7 events came at once with others and are not shown here/);
  expect(router.state.location.search).toContain('live=on');
  await user.click(screen.getByRole('button', { name: 'Live tail' }));
  await expect.poll(() => screen.queryByText(/^Live\./)).toBeNull();
  expect(lines()).toEqual(['b', 'a', 'deadlock <b>detected</b>']);
  expect(asked('tailConnectionLogEvents')).toEqual([{}]);
});

it('goes on where it was when the stream ended, and says that it is not connected', async () => {
  const { user, asked } = await followed({ tailConnectionLogEvents: new Events([frame('5-2', ['a'])]) });
  await user.click(await screen.findByRole('button', { name: 'Live tail' }));
  await screen.findByText('Not connected.');
  await expect
    .poll(() => asked('tailConnectionLogEvents').at(-1), { timeout: 6000 })
    .toEqual({ after: '5-2' });
}, 10_000);

it('says where the log is not read, so that nothing comes', async () => {
  const reason = 'Permission is missing.';
  const unread = { events: [], left_out: 0, reading: { ...reading, state: 'unreadable', reason } };
  const { user } = await followed({
    tailConnectionLogEvents: new Events([{ id: '1-0', event: 'log', data: unread }], true),
  });
  await user.click(await screen.findByRole('button', { name: 'Live tail' }));
  await screen.findByText(/The log is not read, so no events come\. Permission is missing\./);
});

it('keeps what is shown while text in it is selected, and goes on afterwards', async () => {
  const { user } = await followed({
    tailConnectionLogEvents: ({ path }) =>
      new Events([frame('2-0', path.includes('after') ? ['later'] : ['first'])]),
  });
  await user.click(await screen.findByRole('button', { name: 'Live tail' }));
  const first = await screen.findByText('ERROR: first');
  document.getSelection()?.selectAllChildren(first);
  document.dispatchEvent(new Event('selectionchange'));
  const show = await screen.findByRole(
    'button',
    { name: 'Paused while you read: show 1 new' },
    { timeout: 6000 },
  );
  expect(lines()).toEqual(['first', 'deadlock <b>detected</b>']);
  Element.prototype.scrollIntoView ??= () => undefined;
  await user.click(show);
  document.dispatchEvent(new Event('selectionchange'));
  await expect.poll(lines).toEqual(['later', 'first', 'deadlock <b>detected</b>']);
}, 10_000);

it('draws a deadlock as a ring, and leads to the process, the statement and the sessions of that moment', async () => {
  const side = { mode: 'ShareLock', waits_for: 'transaction 7' };
  const sides = [
    { ...side, process_id: '30444', blocked_by: '30451', statement: 'update orders', is_ended: true },
    { ...side, process_id: '30451', blocked_by: '30444', statement: null, is_ended: false },
  ];
  const { user, asked } = await open({
    listConnectionLogEvents: {
      events: [{ ...EVENT, deadlock_sides: sides }],
      next_cursor: null,
      searched_back_to: null,
    },
  });
  await user.click(await screen.findByText(/detected/));
  screen.getByRole('img', {
    name: 'PID 30444 waits for ShareLock on transaction 7, which PID 30451 holds; PID 30451 waits for ShareLock on transaction 7, which PID 30444 holds.',
  });
  screen.getByText(/PostgreSQL ended its transaction/);
  screen.getByText('update orders');
  screen.getByText('The log does not contain its statement.');
  const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
  expect(hrefOf('Statement')).toBe('/servers/1/queries/-42');
  expect(hrefOf('Sessions then')).toBe(
    '/servers/1?tab=sessions&from=2026-11-20T11%3A25%3A00Z&to=2026-11-20T11%3A35%3A00Z&at=2026-11-20T11%3A30%3A00Z',
  );
  await user.click(screen.getByRole('button', { name: 'Events of PID 30444' }));
  await expect.poll(() => asked('listConnectionLogEvents').at(-1)?.process_id).toBe('30444');
});

it('shows who and what the events name most, of which time, and narrows the events to one', async () => {
  const { user, asked } = await open();
  await user.click(await screen.findByRole('button', { name: 'Classes and users' }));
  const panel = within(screen.getByRole('region', { name: 'Users and applications' }));
  panel.getByText('the most frequent, from 2026-11-20 10:30:00 to 2026-11-20 12:00:00');
  expect(panel.queryByRole('button', { name: '(others)' })).toBeNull();
  const rows = within(panel.getByRole('table', { name: 'Users by events of the log' })).getAllByRole('row');
  expect(rows[1]?.textContent).toMatch(/app.*80.*75/);
  await user.click(panel.getByRole('button', { name: 'app' }));
  await user.click(panel.getByRole('button', { name: 'checkout' }));
  await expect
    .poll(() => asked('listConnectionLogEvents').at(-1))
    .toMatchObject({ user_name: 'app', application_name: 'checkout' });
});
