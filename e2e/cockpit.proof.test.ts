// What is wrong now, on a real server with a lock convoy: the overview says it without scrolling, wide and narrow, and one click
// leads to who blocks whom. Clean in light and dark.
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openClient, type TestClient } from '../server/src/testing/servers/client.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { type OwnServer, startOwnServer } from './src/own-server.ts';
import { faultsOfEachLook, NARROW, openPage, type Visit, WIDE } from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { addConnection, placeOf, readOften } from './src/watched.ts';

const OFTEN = {
  pg_stat_activity: 5,
  pg_stat_database: 5,
  pg_stat_statements: 10,
  pg_stat_wal: 5,
};
const MOST_REQUESTS = 60;

let product: Product;
let browser: Browser;
let own: OwnServer;
let visit: Visit;
let server: string;
const clients: TestClient[] = [];
let blocker: TestClient;
let isOver = false;
let work: Promise<void> | undefined;

async function clientOf(application_name: string): Promise<TestClient> {
  const client = await openClient(own.cluster, application_name);
  clients.push(client);
  return client;
}

/** Something to count, until the tests are over. */
async function keepBusy(client: TestClient): Promise<void> {
  while (!isOver) {
    await client.query('select count(*), max(n) from stock, generate_series(1, 20000)');
    await client.query(`insert into orders select g, md5(g::text) from generate_series(1, 200) g`);
    await setTimeout(150);
  }
}

beforeAll(async () => {
  [product, browser, own] = await Promise.all([startProduct(), startBrowser(), startOwnServer()]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  await own.cluster.query('create extension pg_stat_statements');
  await own.cluster.query('create table stock (id integer primary key, n integer)');
  await own.cluster.query('create table orders (id integer, town text)');
  await own.cluster.query('insert into stock values (1, 0)');
  const data = { ...placeOf(own), name: 'orders-primary', is_monitored: true };
  const id = await addConnection(visit.context.request, data);
  server = `/servers/${id}`;
  await readOften(visit.context.request, id, OFTEN);
  work = keepBusy(await clientOf('checkout'));
  blocker = await clientOf('payroll-import');
  await blocker.query('begin');
  await blocker.query('update stock set n = 1 where id = 1');
  for (let n = 0; n < 3; n += 1)
    void (await clientOf('checkout')).begin('update stock set n = 2 where id = 1');
});

afterAll(async () => {
  isOver = true;
  await work;
  await Promise.allSettled(clients.map((client) => client.end()));
  await browser?.close();
  await product?.stop();
  await own?.stop();
});

const lockLine = (page: Page) =>
  page
    .getByRole('region', { name: 'Now', exact: true })
    .getByRole('listitem')
    .filter({ hasText: 'Lock waits' });

it('says above the fold who blocks whom, and leads there with one click', async () => {
  const { page, faults } = visit;
  const asked: string[] = [];
  await page.goto(server);
  const line = lockLine(page);
  await expect.poll(() => line.innerText()).toMatch(/3 sessions wait/);
  await expect
    .poll(() => line.innerText())
    .toMatch(/held by PID \d+ \(payroll-import\), idle in transaction for/);
  const figures = page.getByLabel('Key figures');
  // Two readings make a rate.
  await expect.poll(() => figures.innerText()).toMatch(/Transactions\s+[\d.,]+ \/s/);
  await expect.poll(() => figures.innerText()).toMatch(/Connections\s+\d+ of \d+/);
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport);
    await page.reload();
    await line.waitFor();
    const box = await line.boundingBox();
    expect((box?.y ?? viewport.height) + (box?.height ?? 0)).toBeLessThan(viewport.height);
  }
  expect(asked.filter((path) => path.startsWith('/api/')).length / 2).toBeLessThan(MOST_REQUESTS);
  await page.setViewportSize(WIDE);
  await line.getByRole('link', { name: 'Lock waits' }).click();
  await page.getByText('3 sessions wait for locks held by 1 blocker.').waitFor();
  expect(faults).toEqual([]);
});

it('names the queries that cost most, and is clean in every look', async () => {
  const { page, faults } = visit;
  await page.goto(server);
  const top = page.getByRole('table', { name: 'Top queries' });
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByRole('region', { name: 'Top queries' }).waitFor();
      await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
      return (await top.count()) === 0 ? '' : top.innerText();
    })
    .toMatch(/select count\(\*\)/);
  expect(await top.innerText()).not.toContain('Matriarch');
  expect(await faultsOfEachLook(page, 'server-cockpit')).toEqual([]);
  expect(faults).toEqual([]);
});

it('shows the statement that ends the blocker, which does so', async () => {
  const { page, faults } = visit;
  await page.goto(`${server}?tab=locks`);
  const locks = page.getByRole('region', { name: 'Locks', exact: true });
  await locks.getByRole('button', { name: /^Copy pg_terminate_backend\(\d+\)$/ }).waitFor();
  expect(await faultsOfEachLook(page, 'server-locks')).toEqual([]);
  const statement = await locks.locator('code', { hasText: 'pg_terminate_backend' }).innerText();
  expect(statement).toBe(`select pg_terminate_backend(${blocker.pid});`);
  await own.cluster.query(statement);
  // Those that waited go on one after the other, each within its own statement.
  await locks.getByText('Nothing waited for a lock').waitFor();
  expect(faults).toEqual([]);
});
