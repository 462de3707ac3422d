// Pages over many servers that answer. What is watched sends and receives little enough for a phone or a dozen screens on a
// wall, of which the bytes are printed; and a server is compared with what it was a day earlier.
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEngine } from '../server/src/store/layout/engine/open.ts';
import { collectedHistory } from '../server/src/testing/store/collected.ts';
import { startBrowser } from './src/browser.ts';
import { type CountedWire, startCountedWire } from './src/counted-wire.ts';
import { type ManyServers, startManyServers } from './src/many-servers.ts';
import { accessibilityFaults, fetchedAhead, openPage, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';

const SERVERS = 58;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WATCHED_MS = 30_000;
const MOST_BYTES = 30_000;
/** The first page of a server shows its state of every ten seconds; on a busy machine its last fetches ahead come within what is counted. */
const LIVE_PAGE = '/servers/1';
const MOST_LIVE_BYTES = 48_000;
const most = (path: string) => (path === LIVE_PAGE ? MOST_LIVE_BYTES : MOST_BYTES);

const PAGES = [
  '/',
  '/clusters',
  '/clusters/cluster-1',
  '/servers/1',
  '/servers/1?tab=coverage',
  '/servers/1?tab=probes',
  '/probes',
  '/alerts',
  '/alerts/rules',
  '/channels',
  '/admin/users',
  '/admin/groups',
  '/admin/tokens',
  '/admin/access',
  '/admin/audit',
] as const;

let servers: ManyServers;
let browser: Browser;
let admin: Visit;

beforeAll(async () => {
  [servers, browser] = await Promise.all([startManyServers(SERVERS), startBrowser()]);
  admin = await openPage(browser, servers.product.url);
  await settleIn(admin.page, servers.product.adminLink);
});

afterAll(async () => {
  await browser?.close();
  await servers?.stop();
});

interface Watched {
  path: string;
  page: Page;
  wire: CountedWire;
  /** Paths that the page has asked for since the watching began. */
  asked: string[];
}

async function openWatched(path: string): Promise<Watched> {
  const wire = await startCountedWire(servers.product.url);
  const visit = await openPage(browser, wire.url, { session: admin.context });
  await visit.page.goto(path);
  await visit.page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => visit.page.getByText(/^Loading /).count(), { message: path }).toBe(0);
  const asked: string[] = [];
  visit.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  return { path, page: visit.page, wire, asked };
}

/** What each page has sent and received within the time, in bytes on the wire. */
async function watch(watched: readonly Watched[]) {
  const before = watched.map(({ wire, asked }) => {
    asked.length = 0;
    return { sent: wire.sent, received: wire.received };
  });
  await admin.page.waitForTimeout(WATCHED_MS);
  return watched.map(({ path, wire, asked }, at) => {
    const sent = wire.sent - (before[at]?.sent ?? 0);
    const received = wire.received - (before[at]?.received ?? 0);
    return { path, sent, received, total: sent + received, asked: [...asked] };
  });
}

it('no page that is watched needs more than 30 kB in 30 s with 58 servers, and the first one of a server 48 kB', async () => {
  await admin.page.getByRole('row').nth(SERVERS).waitFor();
  const watched: Watched[] = [];
  // Fifteen at once would be more than a small machine opens within minutes.
  for (const path of PAGES) watched.push(await openWatched(path));
  await Promise.all(watched.map(({ page }) => fetchedAhead(page)));
  let found = await watch(watched);
  // A busy machine was not done with the code of other pages.
  while (found.some(({ asked }) => asked.some((path) => path.includes('/assets/'))))
    found = await watch(watched);
  for (const { path, sent, received, total, asked } of found) {
    const counts = Object.entries(Object.groupBy(asked, (one) => one)).map(
      ([one, times]) => `${times?.length} × ${one.replace('/api/v1/', '')}`,
    );
    const figures = [total, sent, received].map((bytes) => String(bytes).padStart(7)).join(' ');
    process.stdout.write(`${path.padEnd(26)}${figures}  ${counts.join(', ')}\n`);
  }
  for (const { wire } of watched) wire.stop();
  expect(
    found.filter(({ path, total }) => total > most(path)).map(({ path, total }) => `${path}: ${total}`),
  ).toEqual([]);
  expect(found.filter(({ asked }) => asked.length === 0).map(({ path }) => path)).toEqual([]);
});

/** Transactions of the last hour and of the same hour a day earlier, when there were half as many. */
async function storeTwoDays(): Promise<void> {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const hour = (end: number, perMinute: number) =>
    Array.from({ length: 61 }, (_none, minute) => ({
      connection_id: 1,
      probe: 'pg_stat_database',
      at: end - (60 - minute) * MINUTE_MS,
      rows: [{ datid: 1, datname: 'shop', xact_commit: end / 1000 + minute * perMinute, xact_rollback: 0 }],
    }));
  await openEngine(servers.db);
  await collectedHistory(servers.db, [...hour(now - DAY_MS, 3000), ...hour(now, 6000)]);
}

it('compares a server today with yesterday, in the address and by keys', async () => {
  await storeTwoDays();
  const { page, faults } = await openPage(browser, servers.product.url, { session: admin.context });
  await page.goto('/servers/1?tab=activity&range=1h');
  const chart = page.getByRole('figure', { name: 'Transactions' });
  const slider = chart.getByRole('slider');
  await slider.waitFor();
  expect(await slider.getAttribute('aria-valuetext')).not.toContain('a day earlier');
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('With a day earlier');
  // A hundred a second now, fifty then; the last minute is not over yet.
  await slider.focus();
  await page.keyboard.press('End');
  for (let step = 0; step < 20; step += 1) await page.keyboard.press('ArrowLeft');
  await expect
    .poll(() => slider.getAttribute('aria-valuetext'))
    .toMatch(/Commits 100 \/s.*Commits, a day earlier 50 \/s/);
  expect(page.url()).toContain('compare=day');
  await page.reload();
  await slider.waitFor();
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('a day earlier');
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
});
