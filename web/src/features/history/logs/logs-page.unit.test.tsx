// The logs of all servers: what is grave stands first and leads to the log of the server with its class; what is not read is said.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { type Answers, Events, startApi } from '../../../testing/api.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { LogsPage } from './logs-page.tsx';

type Counts = OperationTypes['getEstateLogCounts']['result'];

const deadlock = { class: 'deadlock', title: 'Deadlock', weight: 'warning' as const };
const SERVER: Counts['servers'][number] = {
  ...{ connection_id: 7, connection_name: 'orders', state: 'reading', reason: null },
  ...{ critical: 1, warning: 1234, others: 5, values: [0, 3], classes: [{ ...deadlock, events: 1234 }] },
};
const UNREAD = { critical: 0, warning: 0, others: 0, values: [null, null], classes: [] };
const COUNTS: Counts = {
  ...{ start_time: '2026-11-20T10:00:00.000Z', end_time: '2026-11-20T12:00:00.000Z', bucket_seconds: 3600 },
  total_events: 1240,
  classes: [
    { ...deadlock, meaning: 'Waits.', remedy: 'Order.', events: 1240, kept: 3, values: [null, 1240] },
  ],
  servers: [
    SERVER,
    { ...UNREAD, connection_id: 8, connection_name: 'billing', state: 'never', reason: 'Never.' },
    {
      ...UNREAD,
      connection_id: 9,
      connection_name: 'shop',
      state: 'stale',
      reason: 'The log has not been read lately.',
    },
  ],
  left_out: 0,
};

const EVENT = {
  ...{ id: '7', occurred_at: '2026-11-20T11:30:00.000Z', ...deadlock, severity: 'ERROR', sqlstate: '40P01' },
  ...{ database_name: 'shop', user_name: 'app', application_name: null, process_id: '30444', queryid: null },
  ...{ message: 'deadlock detected', detail: null, hint: null, context: null, statement: null },
  ...{ figures: {}, is_cut: false, deadlock_sides: null },
};

const TIME = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z';
const open = async (
  counts: Counts,
  { time = TIME, answers = {} }: { time?: string; answers?: Answers } = {},
) => {
  const api = await startApi({
    getUserInfo: ADMIN,
    getEstateLogCounts: counts,
    listLogSearches: { searches: [] },
    listEstateLogEvents: {
      events: [{ connection_id: 7, connection_name: 'orders', event: EVENT }],
      next_cursor: '1-7',
      searched_back_to: null,
    },
    ...answers,
  });
  const shown = show(<LogsPage />, { at: `/logs?${time}&zone=utc` });
  const asked = () =>
    api.sent
      .filter(({ operation }) => operation === 'listEstateLogEvents')
      .map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));
  return { ...shown, asked };
};

it('leads to the log of a server in the same time, with the class that was clicked', async () => {
  const { user } = await open(COUNTS);
  const chips = within(await screen.findByRole('list', { name: 'Servers by events that matter' }));
  expect(chips.getByRole('link').getAttribute('href')).toMatch(/^\/servers\/7\?tab=logs/);
  await user.click(screen.getByRole('button', { name: 'All servers, 2 not read' }));
  const servers = within(screen.getByRole('region', { name: 'Servers' }));
  const time = 'from=2026-11-20T10%3A00%3A00Z&to=2026-11-20T12%3A00%3A00Z&zone=utc';
  expect(servers.getByRole('link', { name: 'orders' }).getAttribute('href')).toBe(
    `/servers/7?tab=logs&${time}`,
  );
  expect(servers.getByRole('link', { name: 'Deadlock 1,234' }).getAttribute('href')).toBe(
    `/servers/7?tab=logs&${time}&class=deadlock`,
  );
  for (const unread of ['billing', 'shop']) expect(servers.queryByText(unread)).toBeNull();
  screen.getByRole('figure', { name: 'Log events' });
  screen.getByText(/^1,240 events on 1 server, counted every /);
});

it('draws the events of all servers a week earlier where it is compared with that', async () => {
  const [first] = COUNTS.classes;
  const before: Counts = {
    ...{ ...COUNTS, start_time: '2026-11-13T10:00:00.000Z', end_time: '2026-11-13T12:00:00.000Z' },
    classes: first ? [{ ...first, values: first.values.map(() => 9) }] : [],
  };
  await open(COUNTS, {
    time: `${TIME}&compare=week`,
    answers: { getEstateLogCounts: ({ path }) => (path.includes('2026-11-13') ? before : COUNTS) },
  });
  const chart = within(await screen.findByRole('figure', { name: 'Log events' }));
  await expect.poll(() => chart.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/, Before 9$/);
});

it('says which logs are not read, and why', async () => {
  const { user } = await open(COUNTS);
  await user.click(await screen.findByRole('button', { name: 'All servers, 2 not read' }));
  const unread = within(screen.getByRole('region', { name: 'Logs that are not read' }));
  expect(unread.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'billing: Never read. Its page says how to turn log reading on.',
    'shop: The log has not been read lately.',
  ]);
});

it('says that no log is read where none ever was', async () => {
  await open({ ...COUNTS, total_events: 0, classes: [], servers: COUNTS.servers.slice(1, 2) });
  await screen.findByText('No log is read');
  screen.getByRole('link', { name: 'billing' });
});

it('lists events of all servers with the server of each: what matters first, all on demand, and page by page', async () => {
  const { user, router, asked } = await open(COUNTS);
  const events = within(await screen.findByRole('region', { name: 'Events' }));
  const line = within(await events.findByRole('listitem'));
  expect(line.getByRole('link', { name: 'orders' }).getAttribute('href')).toBe(
    '/servers/7?tab=logs&from=2026-11-20T11%3A25%3A00Z&to=2026-11-20T11%3A35%3A00Z',
  );
  expect(line.getByRole('link', { name: 'Events of PID 30444' }).getAttribute('href')).toContain(
    '/servers/7?tab=logs&from=2026-11-20T11%3A25%3A00Z&to=2026-11-20T11%3A35%3A00Z&process=30444',
  );
  expect(asked()[0]).toMatchObject({ important: 'true', start_time: '2026-11-20T10:00:00.000Z' });
  await user.click(events.getByRole('button', { name: 'Older events' }));
  await expect.poll(() => asked().at(-1)?.cursor).toBe('1-7');
  await user.click(events.getByRole('checkbox', { name: 'Only events that matter' }));
  await expect.poll(() => asked().at(-1)?.important).toBeUndefined();
  expect(router.state.location.search).toContain('important=no');
});

it('follows the logs of all servers: new events come first, each once and with its server', async () => {
  const event = (id: string, message: string) => ({
    ...{ connection_id: 8, connection_name: 'billing' },
    event: { ...EVENT, id, message },
  });
  const frame = (id: string, events: unknown[]) => ({ id, event: 'log', data: { events, left_out: 0 } });
  const { user } = await open(COUNTS, {
    time: 'range=1h',
    answers: {
      tailEstateLogEvents: new Events(
        [frame('1-0', []), frame('2-0', [event('8', 'a'), event('7', 'b')])],
        true,
      ),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Live tail' }));
  await screen.findByText('Live. 2 new events.');
  const lines = within(screen.getByRole('region', { name: 'Events' })).getAllByRole('listitem');
  expect(lines.map((line) => within(line).getByText(/^ERROR/).textContent)).toEqual(['ERROR: b', 'ERROR: a']);
  expect(within(lines[1] ?? expect.fail('no line')).getByRole('link', { name: 'billing' })).toBeTruthy();
});
