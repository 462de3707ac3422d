// The sessions of a server at a moment: which moment is asked for and said, how another one is chosen, what is listed, and
// what stands there where nothing is known.
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, startApi } from '../../../testing/api.ts';
import { loadFor, momentAt, sessionRow } from '../../../testing/moment.ts';
import { show } from '../../../testing/show.tsx';
import { SessionsView } from './sessions-view.tsx';

const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';
const LOCK = { wait_event_type: 'Lock', wait_event: 'transactionid' };

const ROWS = [
  sessionRow(9, {
    state: null,
    backend_type: 'walwriter',
    user_name: null,
    query: null,
    transaction_seconds: null,
  }),
  sessionRow(11, { ...LOCK, query: 'update stock set n = 1', transaction_seconds: 5 }),
  sessionRow(12, { state: 'idle in transaction', application_name: 'nightly', transaction_seconds: 600 }),
  sessionRow(13, { state: 'idle', transaction_seconds: null, query: null }),
];

const atOf = (path: string) => new URLSearchParams(path.split('?')[1]).get('at');

async function open(search: string, answers: Answers = {}) {
  const api = await startApi({
    listTimelineEvents: { events: [], total_count: 0 },
    getConnectionLoad: ({ path }) => loadFor(path),
    getConnectionMoment: ({ path }) => {
      const at = atOf(path) ?? '2026-11-20T13:00:00.000Z';
      return momentAt(at, {
        sessions: { as_of: '2026-11-20T10:59:12.000Z', reason: null, total_count: 4, rows: ROWS },
        waits: {
          as_of: at,
          reason: null,
          active_count: 1,
          idle_in_transaction_count: 1,
          classes: [{ wait_class: 'Lock', sessions: 1 }],
          combinations: [],
        },
      });
    },
    ...answers,
  });
  const shown = show(<SessionsView id={1} />, { at: `/servers/1?tab=sessions&${search}` });
  const asked = () =>
    api.sent.filter(({ operation }) => operation === 'getConnectionMoment').map(({ path }) => atOf(path));
  return { ...shown, asked };
}

const pids = async () => {
  const table = await screen.findByRole('table', { name: 'Sessions' });
  return within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.querySelector('td')?.textContent);
};

it('shows the state of the moment in the address, says so, and of when each part is', async () => {
  const { asked } = await open(`${WINDOW}&at=2026-11-20T11:00:00Z`);
  expect(await pids()).toEqual(['11', '12', '13', '9']);
  expect(asked()).toEqual(['2026-11-20T11:00:00.000Z']);
  const bar = within(screen.getByRole('region', { name: 'Moment shown' }));
  expect(bar.getByRole('status').textContent).toBe('The state of 2026-11-20 11:00:00 (UTC)');
  const list = within(screen.getByRole('region', { name: 'Sessions' }));
  expect(list.getByText(/^read at/).textContent).toBe('read at 2026-11-20 10:59:12');
  list.getByText('Lock: transactionid');
  const waits = within(screen.getByRole('region', { name: 'Active sessions' }));
  expect(waits.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '1 active',
    '1 Lock',
    '1 idle in transaction',
  ]);
});

it('is of the end of a window that stands still, and of now while it follows the clock', async () => {
  const past = await open(WINDOW);
  await pids();
  expect(past.asked()).toEqual(['2026-11-20T12:00:00.000Z']);
  past.unmount();
  const now = await open('');
  await pids();
  expect(now.asked()).toEqual([null]);
  const bar = within(screen.getByRole('region', { name: 'Moment shown' }));
  expect(bar.getByRole('status').textContent).toMatch(/^Now\./);
});

it('steps to other moments, by buttons and in the chart with keys; back undoes it, and Now follows again', async () => {
  const { user, router, asked } = await open(`${WINDOW}&at=2026-11-20T11:00:00Z`);
  await pids();
  const at = () => new URLSearchParams(router.state.location.search).get('at');
  await user.click(screen.getByRole('button', { name: '1 min earlier' }));
  expect(at()).toBe('2026-11-20T10:59:00Z');
  await expect.poll(() => asked().at(-1)).toBe('2026-11-20T10:59:00.000Z');
  const slider = within(await screen.findByRole('figure', { name: 'Active sessions' })).getByRole('slider');
  fireEvent.keyDown(slider, { key: 'Home' });
  fireEvent.keyDown(slider, { key: 'Enter' });
  await expect.poll(at).toBe('2026-11-20T10:00:30Z');
  await user.click(screen.getByRole('button', { name: '5 min earlier' }));
  // Beyond the window, which moves along.
  expect(Object.fromEntries(new URLSearchParams(router.state.location.search))).toMatchObject({
    at: '2026-11-20T09:55:30Z',
    from: '2026-11-20T09:55:30Z',
    to: '2026-11-20T11:55:30Z',
  });
  await router.navigate(-3);
  expect(at()).toBe('2026-11-20T11:00:00Z');
  await user.click(screen.getByRole('button', { name: 'Now' }));
  expect(router.state.location.search).toBe('?tab=sessions&zone=utc');
});

it('never passes the state of one moment off as that of another', async () => {
  const { user } = await open(WINDOW);
  await pids();
  await user.click(screen.getByRole('button', { name: 'Now' }));
  expect(screen.queryByRole('table', { name: 'Sessions' })).toBeNull();
  await pids();
  // What is said to those who listen does not change every second.
  expect(screen.getByRole('region', { name: 'Moment shown' }).querySelector('[role=status] time')).toBeNull();
});

it('narrows and sorts the list', async () => {
  const { user, router } = await open(WINDOW);
  await pids();
  await user.click(screen.getByRole('button', { name: /^Transaction/ }));
  expect(await pids()).toEqual(['12', '11', '9', '13']);
  await user.type(screen.getByRole('searchbox'), 'NIGHT');
  expect(await pids()).toEqual(['12']);
  screen.getByText('1 of 4 sessions');
  await user.clear(screen.getByRole('searchbox'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'idle');
  expect(await pids()).toEqual(['13']);
  expect(new URLSearchParams(router.state.location.search).get('state')).toBe('idle');
  await user.type(screen.getByRole('searchbox'), 'nothing like it');
  await screen.findByText('No session matches');
});

it('says why nothing is known', async () => {
  await open(WINDOW, {
    getConnectionMoment: momentAt('2026-11-20T12:00:00.000Z', {
      sessions: { as_of: null, reason: 'Samples are kept for 7 days.', total_count: null, rows: null },
    }),
  });
  await screen.findByText('Samples are kept for 7 days.');
  expect(screen.queryByRole('table', { name: 'Sessions' })).toBeNull();
});

const DEADLOCK = {
  id: '1',
  occurred_at: '2026-11-20T12:00:01.000Z',
  class: 'deadlock',
  title: 'Deadlock',
  weight: 'warning',
  severity: 'ERROR',
  sqlstate: '40P01',
  database_name: 'shop',
  user_name: 'app',
  application_name: null,
  process_id: '30444',
  queryid: null,
  deadlock_sides: null,
  message: 'deadlock detected',
  detail: 'Process 30444 waits.',
  hint: null,
  context: null,
  statement: null,
  figures: {},
  is_cut: false,
} as const;

const VACUUM = {
  ...DEADLOCK,
  ...({ id: '2', class: 'autovacuum', title: 'Autovacuum run', weight: 'normal', severity: 'LOG' } as const),
  sqlstate: '00000',
  message: 'automatic vacuum of table "a.b.c": index scans: 0\npages: 0 removed',
} as const;

const logsWith = (more: Partial<ReturnType<typeof momentAt>['logs']>) => {
  const moment = momentAt('2026-11-20T12:00:00.000Z');
  return { getConnectionMoment: { ...moment, logs: { ...moment.logs, ...more } } };
};
const logPanel = async () => within(await screen.findByRole('region', { name: 'Log around this moment' }));

it('shows what the log says around the moment, and that there is more', async () => {
  const classes = [{ class: 'deadlock', title: 'Deadlock', weight: 'warning', events: 3 }] as const;
  await open(WINDOW, logsWith({ classes: [...classes], events: [DEADLOCK, VACUUM], is_cut: true }));
  const panel = await logPanel();
  const counts = within(panel.getByRole('list', { name: 'Events by class' }));
  expect(counts.getByRole('listitem').textContent).toBe('3 Deadlock');
  const events = within(panel.getByRole('list', { name: 'Events around this moment' }));
  events.getByText('ERROR: deadlock detected');
  events.getByText('app@shop, PID 30444, 40P01');
  events.getByText('app@shop, PID 30444');
  // Of several lines, the first one is shown, and the others unfold.
  const summary = events
    .getByText('LOG: automatic vacuum of table "a.b.c": index scans: 0')
    .closest('summary');
  expect(summary?.textContent).not.toContain('pages');
  events.getByText(/^automatic vacuum.*\spages: 0 removed$/s);
  panel.getByText(/^2 events from .* alone, since there are many/);
});

const NEED = 'Texts need read_logs.';
const UNREAD = 'The log is not read.';
const IN_PART = 'The log has been read up to 12:00.';

it.each([
  ['was not read', UNREAD, { classes: null, events: null, as_of: null, reason: UNREAD }],
  ['may not be read by this user', NEED, { events: null, events_reason: NEED }],
  ['was read in part', IN_PART, { reason: IN_PART }],
])('says that the log %s', async (_name, said, more) => {
  await open(WINDOW, logsWith(more));
  const panel = await logPanel();
  panel.getByText(said);
});
