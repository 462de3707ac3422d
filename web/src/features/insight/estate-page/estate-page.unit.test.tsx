// The estate: what hurts most first, what is known with its limit, what is not with its reason, searched and in groups; the last 24 hours
// in words.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { EstateServer } from '../../../api/types.ts';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { BILLING, EVERYWHERE, group, ORDERS } from '../../../testing/estate.ts';
import { show } from '../../../testing/show.tsx';
import { EstatePage } from './estate-page.tsx';
import type { EstateHistory as History, ServerHistory } from './history-words.ts';

// jsdom scrolls nothing.
Element.prototype.scrollTo ??= () => undefined;

const AT = '2026-11-20T10:00:00.000Z';
const told = { at: AT, reason: null };
const hours = <T,>(value: T): T[] => Array.from({ length: 24 }, () => value);

const history = (connection_id: number, more: Partial<ServerHistory> = {}): ServerHistory => ({
  connection_id,
  strip: { load: hours(1), worst_status: hours('online' as const) },
  load: { sessions: 1, processors: 8, ...told },
  transactions: { per_second: 120.4, ...told },
  cache: { hit_percent: 99.2, ...told },
  lag: { seconds: 0.25, bytes: 8192, ...told },
  connections: { used: 40, active: 3, max: 100, ...told },
  disk: { used_percent: 61.5, used_bytes: 1, total_bytes: 2, mount_point: '/data', ...told },
  ...more,
});

const server = (connection_id: number, name: string, more: Partial<EstateServer> = {}): EstateServer => {
  const { getEstate } = EVERYWHERE;
  const known = typeof getEstate === 'object' && 'servers' in getEstate ? getEstate.servers[0] : undefined;
  if (!known) throw new Error('there is a server');
  return { ...known, connection_id, name, ...more };
};

const SERVERS = [
  server(1, 'calm', { role: 'primary' }),
  server(2, 'busy', { role: 'primary' }),
  server(3, 'lost', { status: 'offline', response_time_ms: null }),
  server(4, 'new'),
];

const HISTORY: History = {
  generated_at: AT,
  strip_from: '2026-11-19T11:00:00.000Z',
  strip_hours: 24,
  measured_until: AT,
  servers: [
    history(1),
    history(2, {
      load: { sessions: 12, processors: 8, ...told },
      lag: { seconds: 255, bytes: 8192, ...told },
    }),
    history(3, {
      strip: {
        load: [...hours(2).slice(0, 20), null, null, null, 0.5],
        worst_status: [...hours('online' as const).slice(0, 20), 'offline', 'offline', 'offline', 'warning'],
      },
      load: { sessions: null, processors: null, at: AT, reason: 'No newer sample has come.' },
    }),
    history(4, {
      strip: { load: hours(null), worst_status: hours(null) },
      lag: { seconds: null, bytes: null, at: null, reason: 'Not collected yet.' },
    }),
  ],
};

const item = (connection_id: number, days: number) => ({
  ...{ connection_id, server_name: 'calm', found_at: AT, kind: 'disk' as const, database_name: null },
  ...{ object_name: '/data', unit: 'bytes' as const, used: 1, limit: 2, limited_by: null, per_day: 1 },
  ...{ state: 'runs_out' as const, runs_out_at: new Date(Date.now() + days * 86_400_000).toISOString() },
  ...{ earliest_at: null, latest_at: null, days_of_data: 9, reason: null, days: [] },
});

const CHANGES = {
  ...{ start_time: AT, end_time: AT, server_count: 4, kinds: [] },
  last_changes: [{ connection_id: 1, occurred_at: AT, title: 'work_mem changed' }],
  slower_statements: { total_count: 0, previous_start_time: AT, statements: [] },
};

const ANSWERS: Answers = {
  ...EVERYWHERE,
  getEstate: { generated_at: AT, servers: SERVERS },
  getEstateHistory: HISTORY,
  countAlerts: { total: 0, by_server: {}, by_cluster: {} },
  countFindings: { critical: 0, warning: 0, info: 0, by_server: {}, unjudged: [4] },
  listRunway: {
    ...{ oldest_found_at: AT, waiting: 0, items: [item(1, 12.1), item(1, 40)], total: 2 },
    counts: { runs_out: 2, not_growing: 0, unknown: 0 },
  },
  listChanges: CHANGES,
};

async function table(answers: Answers = {}, at = '/') {
  const api = await startApi({ ...ANSWERS, ...answers });
  const shown = show(<EstatePage />, { at });
  const found = await screen.findByRole('table', { name: 'Servers with their state' });
  return { ...shown, api, found };
}

const namesIn = (found: HTMLElement) =>
  [...found.querySelectorAll('a[data-row-link], button[data-row-link]')].map((link) => link.textContent);
const rowOf = (found: HTMLElement, name: string) =>
  within(found).getByRole('link', { name }).closest('tr') ?? found;

it('comes with what hurts most first: state, then alerts, then load by CPU; and in any order on request', async () => {
  const { found, user, router } = await table();
  await expect.poll(() => namesIn(found)).toEqual(['lost', 'busy', 'calm', 'new']);
  await user.click(within(found).getByRole('button', { name: /Load/ }));
  expect(namesIn(found).slice(0, 2)).toEqual(['busy', 'calm']);
  expect(router.state.location.search).toBe('?sort=-load');
  await user.selectOptions(screen.getByLabelText('Order'), 'Name');
  expect(namesIn(found)).toEqual(['busy', 'calm', 'lost', 'new']);
  expect(router.state.location.search).toBe('?sort=name');
  await user.selectOptions(screen.getByLabelText('Order'), 'Size');
  expect(router.state.location.search).toBe('?sort=-size');
});

it('an alert hurts more than load, and less than a server that is away', async () => {
  const [calm, ...others] = SERVERS;
  if (!calm) throw new Error('there is a server');
  // What could not be collected hurts less than an alert.
  const servers = [{ ...calm, problem_count: 300 }, ...others];
  const { found } = await table({
    getEstate: { generated_at: AT, servers },
    countAlerts: { total: 1, by_server: { 4: 1 }, by_cluster: {} },
  });
  await expect.poll(() => namesIn(found)).toEqual(['lost', 'new', 'busy', 'calm']);
});

it('says in a row what is known with its limit, and why something is not, never a zero', async () => {
  const { found } = await table();
  await within(found).findByText('12');
  expect(rowOf(found, 'busy').textContent).toContain('12 of 8');
  await expect.poll(() => rowOf(found, 'calm').textContent).toContain('full in 12 days');
  for (const text of ['primary · 18.4', '120', '1 ms', '250 ms', '40 of 100', '61.5 %'])
    expect(rowOf(found, 'calm').textContent).toContain(text);
  await within(rowOf(found, 'calm')).findByTitle('work_mem changed');
  within(rowOf(found, 'busy')).getByText('none');
  const lost = within(rowOf(found, 'lost'));
  lost.getByText(/^Offline/);
  lost.getByTitle('No newer sample has come.');
  lost.getByTitle('The server does not answer');
  const fresh = within(rowOf(found, 'new'));
  fresh.getByTitle('Not collected yet.');
  expect(fresh.getAllByTitle('Not judged yet').length).toBeGreaterThan(0);
});

it('marks a long replication lag, and no short one', async () => {
  const { found } = await table();
  await within(rowOf(found, 'busy')).findByText('4 min 15 s');
  expect(rowOf(found, 'busy').textContent).toContain('long: 4 min 15 s');
  expect(rowOf(found, 'calm').textContent).not.toContain('long:');
});

it('asks once for all servers, and says where that failed', async () => {
  const { found, api } = await table({ getEstateHistory: new Refusal(503, 'The datastore is away.') });
  expect((await within(found).findAllByTitle('The datastore is away.')).length).toBeGreaterThan(4);
  const asked = api.sent.map(({ operation }) => operation);
  for (const one of ['getEstateHistory', 'listRunway', 'listChanges', 'countAlerts', 'countFindings'])
    expect(asked.filter((operation) => operation === one).length, one).toBeLessThanOrEqual(2);
});

it('is searched by name, version, role, cluster and group', async () => {
  const { found, user, router } = await table();
  await within(found).findByText('12');
  const search = screen.getByLabelText('Search servers');
  // The name of its cluster.
  await user.type(search, 'billing');
  await screen.findByText('1 of 4 servers');
  expect(namesIn(screen.getByRole('table'))).toEqual(['lost']);
  expect(router.state.location.search).toBe('?q=billing');
  await user.clear(search);
  await user.type(search, 'primary 18.4 bus');
  await screen.findByText('1 of 4 servers');
});

it('shows tags, searches them, and shows the servers of one alone', async () => {
  const tags = ['eu', 'production', 'team=orders', 'tier=1'];
  const servers = SERVERS.map((one) => (one.name === 'busy' ? { ...one, tags } : one));
  const { found, user, router } = await table({ getEstate: { generated_at: AT, servers } });
  expect(rowOf(found, 'busy').textContent).toContain('euproduction+2');
  await user.type(screen.getByLabelText('Search servers'), 'tier=1');
  await screen.findByText('1 of 4 servers');
  await user.clear(screen.getByLabelText('Search servers'));
  await user.click(screen.getByRole('button', { name: 'Only servers tagged production' }));
  await screen.findByText('1 of 4 servers');
  expect(router.state.location.search).toBe('?tag=production');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Tag' }), '');
  expect(namesIn(screen.getByRole('table')).length).toBe(4);
});

it('has no choice of tags while there are none', async () => {
  await table();
  expect(screen.queryByRole('combobox', { name: 'Tag' })).toBeNull();
});

it('folds its groups, and keeps which ones in the address', async () => {
  const groups = [group(1, 'Ungrouped', [ORDERS]), group(2, 'Production', [BILLING])];
  const { found, user, router } = await table({ getTopology: groups });
  await user.click(await screen.findByRole('button', { name: 'In groups' }));
  await expect.poll(() => namesIn(found)[0]).toMatch(/Production1 server$/);
  expect(namesIn(found)).toHaveLength(4 + 3);
  await user.click(within(found).getByRole('button', { name: /Production/ }));
  expect(namesIn(found)).not.toContain('lost');
  expect(router.state.location.search).toBe('?groups=1&folded=group-2');
});

it('says the strip in words, and draws no bar where nothing was measured', async () => {
  const { found } = await table();
  const lost = await within(found).findByRole('img', {
    name: /^21 hours known, load at most 2; not readable in 3 hours; not readable for a moment in 1 hour$/,
  });
  expect(lost.querySelectorAll('path[data-over]')).toHaveLength(0);
  // Bars of 21 hours, and none of the three that were not measured.
  expect(lost.querySelectorAll('path')).toHaveLength(3);
  expect(lost.querySelectorAll('path')[1]?.getAttribute('d')?.match(/M/g)).toHaveLength(21);
  expect(lost.querySelectorAll('circle')).toHaveLength(1);
  within(found).getByRole('img', { name: /^Nothing is known of the last 24 hours$/ });
  expect(
    within(found).getAllByRole('img', { name: /24 hours known, load at most 1 of 8 CPUs/ }),
  ).toHaveLength(2);
});

it('draws a thousand servers near the window alone', async () => {
  const servers = Array.from({ length: 1000 }, (_none, at) => server(at + 1, `db-${at + 1}`));
  const { found } = await table({ getEstate: { generated_at: AT, servers } });
  expect(found.getAttribute('aria-rowcount')).toBe('1001');
  expect(namesIn(found).length).toBeLessThan(100);
});
