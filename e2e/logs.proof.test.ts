// The tab Logs of a server whose log is read: what was counted, events with masked texts, and the search of them, in every look.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logsScript } from '../server/src/estate/connections/log-script.ts';
import { startIn, type TestCluster } from '../server/src/testing/servers/cluster.ts';
import { deadlock } from '../server/src/testing/servers/deadlock.ts';
import { makeRunDirectory, removeRunDirectory } from '../server/src/testing/servers/run-directory.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { faultsInEveryLook, openPage, startLook, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { addConnection } from './src/watched.ts';

const ROLE = 'monitor';
const PASSWORD = 'a password of the test';

const runDirectory = makeRunDirectory();
let product: Product;
let browser: Browser;
let server: TestCluster;
let admin: Visit;
let id: number;

beforeAll(async () => {
  [product, browser, server] = await Promise.all([
    startProduct('--collector-read-logs'),
    startBrowser(),
    startIn(runDirectory, {
      major: 18,
      settings: { logging_collector: true, log_line_prefix: '%m [%p] %q%u@%d ', log_checkpoints: true },
    }),
  ]);
  await server.query(`create role ${ROLE} login password '${PASSWORD}' in role pg_monitor`);
  await server.query(logsScript(ROLE));
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
  const { host, port } = server;
  const place = { host, port, database_name: 'postgres', username: ROLE, password: PASSWORD };
  id = await addConnection(admin.context.request, { ...place, name: 'orders-primary', is_monitored: true });
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([product?.stop(), server?.stop()]);
  removeRunDirectory(runDirectory);
});

/** Trouble of several classes. */
async function trouble(): Promise<void> {
  await deadlock(server);
  await server.query(
    'create table stock (id int primary key, n int check (n >= 0)); insert into stock values (1, 5)',
  );
  for (const text of [
    'insert into stock values (1, 4711)',
    'update stock set n = n - 4711',
    'select * from no_such_table',
    "set statement_timeout = '20ms'; select pg_sleep(5)",
  ])
    for (let times = 0; times < 3; times += 1) await server.query(text).catch(() => undefined);
  await server.query('checkpoint');
}

it('shows what was counted, finds events by text, and masks values, in every look', async () => {
  const { page } = admin;
  const reads = async () => {
    const answer = await admin.context.request.get(`/api/v1/connections/${id}/log-counts`);
    const { reading, total_events }: { reading: { state: string }; total_events: number } =
      await answer.json();
    return { state: reading.state, events: total_events };
  };
  await expect.poll(reads, { interval: 500 }).toMatchObject({ state: 'reading' });
  await trouble();
  await expect.poll(async () => (await reads()).events, { interval: 500 }).toBeGreaterThan(10);
  await page.goto(`/servers/${id}?tab=logs&range=1h`);
  await page.getByText('ERROR: deadlock detected').waitFor();
  await page.getByRole('search', { name: 'Filters of events' }).getByRole('searchbox').fill('DEADLOCK');
  const events = page.getByRole('region', { name: 'Events' }).getByRole('listitem');
  await expect.poll(() => events.count()).toBe(1);
  expect(page.url()).toContain('search=DEADLOCK');
  await page.getByRole('searchbox', { name: 'Search in texts' }).fill('4711');
  await page.getByText('No event matches the filters').waitFor();
  expect(
    await (await admin.context.request.get(`/api/v1/connections/${id}/log-events`)).text(),
  ).not.toContain('4711');
  for (const [look, below] of [
    [1, 640],
    [0, 420],
  ] as const) {
    await startLook(page, look);
    await page.goto(`/servers/${id}?tab=logs&range=1h`);
    await page.getByText('ERROR: deadlock detected').waitFor();
    expect((await events.first().boundingBox())?.y).toBeLessThan(below);
  }
  expect(await faultsInEveryLook(page, 0, 'logs')).toEqual([]);
});

it('follows the log while it is written, draws a deadlock, and leads to the sessions of that moment', async () => {
  const { page } = admin;
  await page.goto(`/servers/${id}?tab=logs&range=1h`);
  const live = page.getByRole('button', { name: 'Live tail' });
  await live.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Live. No new events yet.').waitFor();
  expect(page.url()).toContain('live=on');
  const written = Date.now();
  await deadlock(server);
  await page.getByText(/^Live\. [1-9]\d* new events?\.$/).waitFor();
  expect(Date.now() - written).toBeLessThan(20_000);
  const first = page
    .getByRole('region', { name: 'Events' })
    .getByRole('listitem')
    .filter({ hasText: 'deadlock detected' })
    .first();
  await first.locator('summary').press('Enter');
  await first
    .getByRole('img', { name: /^PID \d+ waits for ShareLock on transaction \d+, which PID \d+ holds; PID/ })
    .waitFor();
  await first.getByText('PostgreSQL ended its transaction.').waitFor();
  await live.press('Enter');
  await startLook(page, 1);
  expect(await faultsInEveryLook(page, 1, 'logs-deadlock')).toEqual([]);
  await first.getByRole('link', { name: 'Sessions then' }).click();
  await page.waitForURL(/tab=sessions/);
});

it('shows the logs of all servers, and leads to that of one with its class', async () => {
  const { page } = admin;
  await startLook(page, 2);
  await page.goto('/logs');
  const event = page.getByRole('region', { name: 'Events' }).getByRole('listitem').first();
  expect((await event.boundingBox())?.y).toBeLessThan(420);
  await page.getByRole('button', { name: /^All servers/ }).click();
  const servers = page.getByRole('region', { name: 'Servers' });
  await servers.getByRole('link', { name: 'orders-primary' }).waitFor();
  expect(await faultsInEveryLook(page, 2, 'estate-logs')).toEqual([]);
  // Classes step back on a phone.
  await startLook(page, 2);
  await servers.getByRole('link', { name: /^Deadlock \d/ }).click();
  await page.waitForURL(/tab=logs.*class=deadlock/);
  await page.getByRole('button', { name: 'Clear filters' }).waitFor();
});
