// What is wrong now: open alerts first, what is known with its time, what is not with its reason, and the way to more.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { alert } from '../../../testing/alert.ts';
import { startApi } from '../../../testing/api.ts';
import { lockNode, momentAt } from '../../../testing/moment.ts';
import { show } from '../../../testing/show.tsx';
import { NowPanel } from './now-panel.tsx';

const AT = new Date(Date.now() - 5000).toISOString();
const event = (event_type: 'index_dropped' | 'alert_fired', title: string, ago: number) => ({
  ...{ id: title, connection_id: 1, server_name: 'shop', summary: '', severity: 'info' as const },
  ...{ event_type, title, occurred_at: new Date(Date.now() - ago).toISOString() },
});

it('has what is wrong first, each line with its time and the way to more', async () => {
  const locks = {
    ...{ as_of: AT, reason: null, waiting_count: 1, root_count: 1 },
    nodes: [lockNode(7, { blocked_count: 1, application_name: 'nightly' })],
  };
  const alerts = [alert(3, { title: 'Long lock wait' }), alert(4, { title: 'Seen', status: 'acknowledged' })];
  await startApi({ getConnectionMoment: momentAt(AT, { locks }), listAlerts: { alerts, total: 2 } });
  const timeline = {
    events: [
      event('index_dropped', 'Index orders_town was dropped', 90_000),
      event('alert_fired', 'Long lock wait', 1000),
    ],
    total_count: 2,
  };
  show(<NowPanel id={1} timeline={timeline} />, { at: '/servers/1?range=15m' });
  const list = await screen.findByRole('list', { name: 'What happens now' });
  await within(list).findByRole('link', { name: 'Long lock wait' });
  const [first, second, ...others] = within(list)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent ?? '');
  expect(first).toContain('Long lock wait');
  expect(second).toMatch(/Lock waits.*1 session waits.*s ago.*held by PID 7 \(nightly\)/);
  expect(others.at(-1)).toMatch(/Last change.*Index orders_town was dropped.*1 min ago/);
  expect(list.textContent).not.toContain('Seen');
  expect(within(list).getByRole('link', { name: 'Lock waits' }).getAttribute('href')).toMatch(
    /range=15m&tab=locks$/,
  );
});

it('names a figure of an object once, at its worst, so that the next alert has its place', async () => {
  const of = { metric_name: 'pg_sequence_usage.used_percent', object_name: 'public.ticket' };
  const alerts = [
    alert(3, { ...of, title: 'High sequence usage' }),
    alert(4, { ...of, title: 'Sequence almost exhausted', severity: 'critical' }),
    alert(5, { ...of, object_name: 'public.bill', title: 'High usage of another' }),
  ];
  await startApi({ getConnectionMoment: momentAt(AT, {}), listAlerts: { alerts, total: 3 } });
  show(<NowPanel id={1} timeline={undefined} />);
  const list = await screen.findByRole('list', { name: 'What happens now' });
  await within(list).findByRole('link', { name: 'Sequence almost exhausted' });
  within(list).getByRole('link', { name: 'High usage of another' });
  expect(list.textContent).not.toContain('High sequence usage');
});

it('shows the reason of what is not known', async () => {
  const reason = 'Locks were not read in the last 25 s.';
  const locks = { as_of: null, reason, waiting_count: null, root_count: null, nodes: null };
  await startApi({ getConnectionMoment: momentAt(AT, { locks }), listAlerts: { alerts: [], total: 0 } });
  show(<NowPanel id={1} timeline={{ events: [], total_count: 0 }} />);
  const list = await screen.findByRole('list', { name: 'What happens now' });
  const [line] = within(list).getAllByRole('listitem');
  expect(line?.textContent).toMatch(/^Lock waits.*Locks were not read in the last 25 s\.$/);
  within(list).getByText('none in this time');
});
