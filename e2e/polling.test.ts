// What pages that are watched send and receive, with many servers that answer: little enough for a phone or a dozen
// screens on a wall. Prints the bytes of each page.
import process from 'node:process';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser } from './src/browser.ts';
import { startCountedWire } from './src/counted-wire.ts';
import { type ManyServers, startManyServers } from './src/many-servers.ts';
import { openPage } from './src/pages.ts';
import { settleIn } from './src/people.ts';

const SERVERS = 58;
const WATCHED_MS = 30_000;
const MOST_BYTES = 30_000;

const PAGES = [
  '/',
  '/clusters',
  '/clusters/cluster-1',
  '/servers/1',
  '/servers/1?tab=coverage',
  '/servers/1?tab=probes',
  '/probes',
  '/admin/users',
  '/admin/groups',
  '/admin/tokens',
  '/admin/access',
  '/admin/audit',
] as const;

let servers: ManyServers;
let browser: Browser;

beforeAll(async () => {
  [servers, browser] = await Promise.all([startManyServers(SERVERS), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await servers?.stop();
});

it('no page that is watched needs more than 30 kB in 30 s with 58 servers', async () => {
  const { page, context } = await openPage(browser, servers.product.url);
  await settleIn(page, servers.product.adminLink);
  await page.getByRole('row').nth(SERVERS).waitFor();
  const watched = await Promise.all(
    PAGES.map(async (path) => {
      const wire = await startCountedWire(servers.product.url);
      const visit = await openPage(browser, wire.url, { session: context });
      await visit.page.goto(path);
      await visit.page.getByRole('heading', { level: 1 }).waitFor();
      await expect
        .poll(() => visit.page.getByText(/^Loading /).count(), { timeout: 60_000, message: path })
        .toBe(0);
      await visit.page.waitForLoadState('networkidle');
      const asked: string[] = [];
      visit.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      return { path, wire, asked };
    }),
  );
  const before = watched.map(({ wire }) => ({ sent: wire.sent, received: wire.received }));
  await page.waitForTimeout(WATCHED_MS);
  const found = watched.map(({ path, wire, asked }, at) => {
    const sent = wire.sent - (before[at]?.sent ?? 0);
    const received = wire.received - (before[at]?.received ?? 0);
    const counts = Object.entries(Object.groupBy(asked, (one) => one)).map(
      ([one, times]) => `${times?.length} × ${one.replace('/api/v1/', '')}`,
    );
    return { path, sent, received, total: sent + received, counts: counts.join(', ') };
  });
  for (const { path, sent, received, total, counts } of found) {
    const figures = [total, sent, received].map((bytes) => String(bytes).padStart(7)).join(' ');
    process.stdout.write(`${path.padEnd(26)}${figures}  ${counts}\n`);
  }
  for (const { wire } of watched) wire.stop();
  expect(
    found.filter(({ total }) => total > MOST_BYTES).map(({ path, total }) => `${path}: ${total}`),
  ).toEqual([]);
  expect(watched.filter(({ asked }) => asked.length === 0).map(({ path }) => path)).toEqual([]);
});
