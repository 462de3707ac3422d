// What the log of a server says on other pages than its own: around a moment, of runs of autovacuum on the tab of tables, and of
// checkpoints on the chart of WAL; in every look.
import { setTimeout } from 'node:timers/promises';
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
import { addConnection, readOften } from './src/watched.ts';

const ROLE = 'monitor';
const PASSWORD = 'a password of the test';
const SETTINGS = {
  logging_collector: true,
  log_line_prefix: '%m [%p] %e %q%u@%d ',
  log_checkpoints: true,
  log_autovacuum_min_duration: 0,
  autovacuum: true,
  autovacuum_naptime: '1s',
  autovacuum_vacuum_threshold: 10,
};

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
    startIn(runDirectory, { major: 18, settings: SETTINGS }),
  ]);
  await server.query(`create role ${ROLE} login password '${PASSWORD}' in role pg_monitor`);
  await server.query(logsScript(ROLE));
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
  const { host, port } = server;
  const place = { host, port, database_name: 'postgres', username: ROLE, password: PASSWORD };
  id = await addConnection(admin.context.request, { ...place, name: 'orders-primary', is_monitored: true });
  // A chart of an increase needs two readings, which are ten minutes apart by themselves.
  await readOften(admin.context.request, id, { pg_stat_wal: 10 });
  while ((await answerOf('log-counts')).reading.state !== 'reading') await setTimeout(500);
  await server.query('create table thinned as select i as n from generate_series(1, 10000) i');
  await server.query('delete from thinned where n % 2 = 0');
  await deadlock(server);
  await server.query('checkpoint');
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([product?.stop(), server?.stop()]);
  removeRunDirectory(runDirectory);
});

async function answerOf(path: string) {
  const answer = await admin.context.request.get(`/api/v1/connections/${id}/${path}`);
  expect(answer.status()).toBe(200);
  return await answer.json();
}

it('has the events of a moment beside its sessions', async () => {
  const { page } = admin;
  const found = async () => (await answerOf('log-events?class=deadlock')).events[0]?.occurred_at;
  await expect.poll(found, { interval: 500 }).toBeTruthy();
  // As soon as the seconds behind it were read as well.
  const at = Date.parse(await found()) + 1000;
  const iso = (minutes: number) => new Date(at + minutes * 60_000).toISOString();
  const path = `moment?at=${iso(0)}`;
  await expect
    .poll(async () => (await answerOf(path)).logs.as_of, { interval: 500 })
    .toBe(new Date(at + 10_000).toISOString());
  const look = async () => {
    await page.goto(`/servers/${id}?tab=sessions&from=${iso(-10)}&to=${iso(1)}&at=${iso(0)}`);
    const log = page.getByRole('region', { name: 'Log around this moment' });
    await log.getByText('ERROR: deadlock detected').waitFor();
    return log;
  };
  const log = await look();
  await log.locator('summary', { hasText: 'deadlock detected' }).first().press('Enter');
  await log
    .getByText(/Process \d+ waits for/)
    .first()
    .waitFor();
  await startLook(page, 0);
  await look();
  expect(await faultsInEveryLook(page, 0, 'moment-log')).toEqual([]);
});

it('leads from a table to its runs of autovacuum', async () => {
  const { page } = admin;
  const runs = async () =>
    (await answerOf('vacuum-runs?table=postgres.public.thinned')).runs.map(
      ({ kind }: { kind: string }) => kind,
    );
  await expect.poll(runs, { interval: 500 }).toContain('vacuum');
  await startLook(page, 0);
  await page.goto(`/servers/${id}?tab=tables&range=1h&list=vacuum`);
  await page.getByRole('searchbox', { name: 'Search tables' }).fill('THIN');
  const table = page.getByRole('table', { name: 'Vacuum runs' });
  await table.getByText('postgres.public.thinned').first().waitFor();
  expect(await table.textContent()).toContain('5,000');
  expect(await faultsInEveryLook(page, 0, 'vacuum-runs')).toEqual([]);
});

it('marks checkpoints on the chart of WAL', async () => {
  const { page } = admin;
  await expect
    .poll(async () => (await answerOf('checkpoints')).checkpoints[0]?.cause, { interval: 500 })
    .toBe('request');
  await startLook(page, 0);
  await page.goto(`/servers/${id}?tab=activity&range=1h`);
  await page.getByText(/^Checkpoints in the log: /).waitFor();
  const changes = page.getByRole('region', { name: 'Changes in this time' });
  await changes.locator('time').or(changes.getByText('No restart')).first().waitFor();
  expect(await faultsInEveryLook(page, 0, 'wal-checkpoints')).toEqual([]);
});
