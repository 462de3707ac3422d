// The timeline on the screen: what is asked for by the address, days and hours by the reader's clock or in UTC, filters,
// the way from the estate to it, and words where nothing is or not all is told.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { show } from '../../../testing/show.tsx';
import { EstateChanges } from './estate-changes.tsx';
import { TimelinePage } from './timeline-page.tsx';
import { TimelineView } from './timeline-view.tsx';

const SETTING = {
  id: 'config-1',
  event_type: 'config_change' as const,
  connection_id: 1,
  server_name: 'orders-primary',
  occurred_at: '2026-11-20T09:10:00.000Z',
  severity: 'info' as const,
  title: 'Setting work_mem modified',
  summary: 'work_mem went from 4096 kB to 7168 kB on orders-primary.',
  details: {
    change_count: 1,
    changes: [{ name: 'work_mem', old_value: '4096', new_value: '7168', change_type: 'modified' }],
  },
};
const RESTART = {
  ...SETTING,
  id: 'restart-3',
  event_type: 'restart' as const,
  connection_id: 3,
  server_name: 'billing',
  occurred_at: '2026-11-19T23:59:30.000Z',
  severity: 'warning' as const,
  title: 'Server restarted',
  summary: 'billing was started.',
  details: {},
};

const ANSWERS: Answers = {
  ...EVERYWHERE,
  listTimelineEvents: { events: [SETTING, RESTART], total_count: 2 },
};
const WINDOW = 'from=2026-11-19T10:00:00Z&to=2026-11-20T10:00:00Z&zone=utc';

async function open(search = '', answers: Answers = {}) {
  const api = await startApi({ ...ANSWERS, ...answers });
  const shown = show(<TimelinePage />, { at: `/timeline?${WINDOW}${search}` });
  const asked = () =>
    api.sent
      .filter(({ operation }) => operation === 'listTimelineEvents')
      .map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));
  return { ...shown, api, asked };
}

it('says day by day what happened, with what was before and after', async () => {
  const { asked } = await open();
  const friday = within(await screen.findByRole('region', { name: 'Friday 20 November 2026' }));
  const [event] = friday.getAllByRole('listitem');
  expect(event?.textContent).toMatch(/^09:10:00Setting work_mem modified/);
  expect(event?.querySelector('del')?.textContent).toBe('before: 4096');
  expect(event?.querySelector('ins')?.textContent).toBe('after: 7168');
  const thursday = within(screen.getByRole('region', { name: 'Thursday 19 November 2026' }));
  thursday.getByText('23:59:30');
  thursday.getByText('Warning');
  const link = thursday.getByRole('link', { name: 'billing' });
  const [path, query] = (link.getAttribute('href') ?? '').split('?');
  expect(path).toBe('/servers/3');
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    tab: 'timeline',
    from: '2026-11-19T10:00:00Z',
    to: '2026-11-20T10:00:00Z',
    zone: 'utc',
  });
  expect(asked()[0]).toEqual({
    start_time: '2026-11-19T10:00:00.000Z',
    end_time: '2026-11-20T10:00:00.000Z',
    include: 'changes',
    limit: '500',
  });
});

it('is narrowed to kinds and servers, and keeps that in the address', async () => {
  const { user, router, asked } = await open();
  await user.click(await screen.findByRole('button', { name: 'Settings' }));
  await expect.poll(() => asked().at(-1)?.event_types).toBe('config_change,role_setting_change');
  await user.selectOptions(await screen.findByLabelText('Show only this server'), 'billing');
  await expect.poll(() => asked().at(-1)?.connection_ids).toBe('3');
  const shown = () => Object.fromEntries(new URLSearchParams(router.state.location.search));
  expect(shown()).toMatchObject({ kinds: 'settings', servers: '3' });
  await user.click(screen.getByRole('button', { name: 'Leave out billing' }));
  await user.click(screen.getByRole('button', { name: 'Settings' }));
  await expect.poll(shown).not.toHaveProperty('servers');
  expect(shown()).not.toHaveProperty('kinds');
});

it('shows the last day where the address says nothing', async () => {
  const api = await startApi(ANSWERS);
  show(<TimelinePage />, { at: '/timeline' });
  await screen.findByText('Server restarted');
  const sent = api.sent.find(({ operation }) => operation === 'listTimelineEvents');
  const query = new URLSearchParams(sent?.path.split('?')[1]);
  const length = Date.parse(query.get('end_time') ?? '') - Date.parse(query.get('start_time') ?? '');
  expect(length).toBe(86_400_000);
  expect(screen.getByRole('button', { name: 'Last 24h' }).getAttribute('aria-pressed')).toBe('true');
});

it('says where nothing happened, where not all is told, and why it cannot be seen', async () => {
  const incomplete = [
    { event_type: 'index_dropped' as const, reason: 'What was dropped is told for 20 servers.' },
    { event_type: 'table_dropped' as const, reason: 'What was dropped is told for 20 servers.' },
  ];
  const { user, router } = await open('&kinds=objects', {
    listTimelineEvents: { events: [], total_count: 0, incomplete },
  });
  await screen.findByText('Nothing like that happened in this time');
  expect(screen.getAllByText('What was dropped is told for 20 servers.').length).toBe(1);
  await user.click(screen.getByRole('button', { name: 'Look at the last 30 days' }));
  expect(new URLSearchParams(router.state.location.search).get('range')).toBe('30d');
});

it('of a server is its own', async () => {
  const api = await startApi({ ...ANSWERS, listTimelineEvents: new Refusal(403, 'No.') });
  show(<TimelineView id={3} />, { at: `/servers/3?tab=timeline&${WINDOW}&servers=1` });
  await screen.findByText('You may not see the timeline');
  const query = new URLSearchParams(api.sent[0]?.path.split('?')[1]);
  expect(query.get('connection_ids')).toBe('3');
  expect(screen.queryByLabelText('Show only this server')).toBeNull();
});

it('counts on the estate what changed since yesterday, and leads to it', async () => {
  const api = await startApi({
    ...EVERYWHERE,
    listChanges: {
      start_time: '2026-11-19T10:00:00.000Z',
      end_time: '2026-11-20T10:00:00.000Z',
      server_count: 3,
      kinds: [
        { event_type: 'restart', total_count: 1, events: [RESTART] },
        { event_type: 'version_change', total_count: 1, events: [] },
        { event_type: 'config_change', total_count: 1200, events: [SETTING] },
        { event_type: 'table_made', total_count: 0, events: [] },
        { event_type: 'table_dropped', total_count: null, reason: 'Too many servers.', events: [] },
      ],
      slower_statements: {
        total_count: null,
        reason: 'Too many servers.',
        previous_start_time: '2026-11-18T10:00:00.000Z',
        statements: [],
      },
    },
  });
  show(<EstateChanges />);
  const settings = await screen.findByRole('link', { name: 'Settings' });
  expect(settings.getAttribute('href')).toBe('/timeline?kinds=settings');
  const items = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(items.length).toBe(2);
  expect(items[0]).toMatch(/^Restarts and roles2 eventsbilling, .*: Server restarted$/);
  expect(items[1]).toMatch(/^Settings1,200 eventsorders-primary, .*: Setting work_mem modified$/);
  expect(screen.getAllByText('Too many servers.').length).toBe(1);
  const query = new URLSearchParams(
    api.sent.find(({ operation }) => operation === 'listChanges')?.path.split('?')[1],
  );
  expect(Date.parse(query.get('end_time') ?? '') - Date.parse(query.get('start_time') ?? '')).toBe(
    86_400_000,
  );
});
