// The last 24 hours on the estate's page: worst first, what is known with its limit, what is not with its reason, and the
// strip in words.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { EstateServer } from '../../api/types.ts';
import { startApi } from '../../testing/api.ts';
import { EVERYWHERE } from '../../testing/estate.ts';
import { show } from '../../testing/show.tsx';
import { EstateHistory } from './estate-history.tsx';
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
  server(1, 'calm'),
  server(2, 'busy'),
  server(3, 'lost', { status: 'offline' }),
  server(4, 'new'),
];

const HISTORY: History = {
  generated_at: AT,
  strip_from: '2026-11-19T11:00:00.000Z',
  strip_hours: 24,
  measured_until: AT,
  servers: [
    history(1),
    history(2, { load: { sessions: 12, processors: 8, ...told } }),
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

async function table() {
  await startApi({ ...EVERYWHERE, getEstateHistory: HISTORY });
  const shown = show(<EstateHistory servers={SERVERS} />);
  return { ...shown, found: await screen.findByRole('table', { name: /last 24 hours/i }) };
}

const namesIn = (found: HTMLElement) =>
  within(found)
    .getAllByRole('link')
    .map((link) => link.textContent);

it('comes worst first: state, then load by processor; and by any column on request', async () => {
  const { found, user, router } = await table();
  expect(namesIn(found)).toEqual(['lost', 'busy', 'calm', 'new']);
  await user.click(within(found).getByRole('button', { name: /Load/ }));
  expect(namesIn(found).slice(0, 2)).toEqual(['busy', 'calm']);
  expect(router.state.location.search).toContain('sort=-load');
});

it('says what is known with its limit, and why something is not', async () => {
  const { found } = await table();
  const row = (name: string) => within(found).getByRole('link', { name }).closest('tr') ?? found;
  expect(row('busy').textContent).toContain('12 of 8');
  for (const text of ['120', '99.2 %', '250 ms · 8 kB', '40 of 100', '61.5 %'])
    expect(row('calm').textContent).toContain(text);
  expect(within(row('lost')).getByTitle('No newer sample has come.')).toBeTruthy();
  expect(within(row('new')).getByTitle('Not collected yet.')).toBeTruthy();
});

it('says the strip in words, and draws no bar where nothing was measured', async () => {
  const { found } = await table();
  const strip = (name: RegExp) => within(found).getByRole('img', { name });
  const lost = strip(
    /^21 hours known, load at most 2; not readable in 3 hours; not readable for a moment in 1 hour$/,
  );
  expect(lost.querySelectorAll('rect[data-over]')).toHaveLength(0);
  expect(lost.querySelectorAll('circle')).toHaveLength(1);
  expect(strip(/^Nothing is known of the last 24 hours$/)).toBeTruthy();
  expect(
    within(found).getAllByRole('img', { name: /24 hours known, load at most 1 of 8 processors/ }),
  ).toHaveLength(2);
});

it('stands beside the state of the servers, and is asked for only there', async () => {
  const api = await startApi({ ...EVERYWHERE, getEstateHistory: HISTORY });
  const { user } = show(<EstatePage />);
  await screen.findByRole('table', { name: 'Servers with their state' });
  const asked = () => api.sent.filter(({ operation }) => operation === 'getEstateHistory').length;
  expect(asked()).toBe(0);
  await user.click(screen.getByRole('link', { name: 'Last 24 hours' }));
  await screen.findByRole('table', { name: /last 24 hours/i });
  expect(asked()).toBe(1);
});
