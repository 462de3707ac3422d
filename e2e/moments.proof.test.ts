// What a server's sessions did, on a real load: the session that held up others is found again after all is over, by going
// back to a moment; the address keeps the moment; and the pages are clean in light and dark, wide and narrow.
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openClient, type TestClient } from '../server/src/testing/servers/client.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { type OwnServer, startOwnServer } from './src/own-server.ts';
import { faultsInEveryLook, openPage, startLook, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { addConnection, placeOf } from './src/watched.ts';

let product: Product;
let browser: Browser;
let own: OwnServer;
let visit: Visit;
/** The page of the server that has the load. */
let server: string;
const clients: TestClient[] = [];

async function clientOf(application_name: string): Promise<TestClient> {
  const client = await openClient(own.cluster, application_name);
  clients.push(client);
  return client;
}

/** One session waits for another until the test is over, however it ends: the next one has the row to itself. */
async function blocked(name: string) {
  const [holder, waiter] = [await clientOf(name), await clientOf('checkout')];
  await holder.query('begin');
  await holder.query('update stock set n = 1 where id = 1');
  const waiting = waiter.begin('update stock set n = 2 where id = 1');
  let isOver = false;
  const release = async () => {
    if (isOver) return;
    isOver = true;
    await holder.query('rollback');
    await waiting;
  };
  onTestFinished(release);
  return { holder, waiter, release };
}

beforeAll(async () => {
  [product, browser, own] = await Promise.all([startProduct(), startBrowser(), startOwnServer()]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  await own.cluster.query('create extension pg_stat_statements');
  await own.cluster.query('create table stock (id integer primary key, n integer)');
  await own.cluster.query('insert into stock values (1, 0)');
  const data = { ...placeOf(own), name: 'orders-primary', is_monitored: true };
  server = `/servers/${await addConnection(visit.context.request, data)}`;
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await browser?.close();
  await product?.stop();
  await own?.stop();
});

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const processes = (page: Page) =>
  region(page, 'Locks').getByRole('listitem').locator('strong').allInnerTexts();

/** What is collected, what the API answers and what the page says, for whoever has to find out why it shows nothing. */
async function collected(): Promise<string> {
  const path = `/api/v1${server.replace('/servers', '/connections')}`;
  const { probes } = await (await visit.context.request.get(`${path}/coverage`)).json();
  const own = probes.filter(({ probe }: { probe: string }) => /active_sessions|locks_tree/.test(probe));
  const moment = await visit.context.request.get(`${path}/moment`, { timeout: 10_000 }).then(
    async (answer) => `${answer.status()} ${(await answer.text()).slice(0, 1500)}`,
    (error: unknown) => String(error),
  );
  const page = await visit.page.locator('body').innerText();
  return [JSON.stringify(own), moment, page.slice(0, 1500)].join('\n');
}

it('finds the session that held up others, by going back to a moment', async () => {
  const { page, faults } = visit;
  const { holder, waiter, release } = await blocked('nightly');
  await page.goto(`${server}?tab=locks`);
  const tree = [`Process ${holder.pid}`, `Process ${waiter.pid}`];
  await expect
    .poll(() => processes(page))
    .toEqual(tree)
    .catch(async (error: unknown) => {
      throw new Error(`The locks do not show; of their probes: ${await collected()}`, { cause: error });
    });
  await region(page, 'Moment shown').getByText('Now.').waitFor();
  // It lasts for a while, so that a step back meets it.
  await page.waitForTimeout(12_000);
  await release();
  await region(page, 'Locks').getByText('Nothing waited for a lock').waitFor();

  const earlier = page.getByRole('button', { name: '10 s earlier' });
  const isFound = async () => {
    const answered = page.waitForResponse((response) => /\/moment\?.*at=/.test(response.url()));
    await earlier.click();
    await answered;
    await expect.poll(() => page.getByText('Loading the locks').count()).toBe(0);
    await region(page, 'Locks').waitFor();
    return (await processes(page)).length > 0;
  };
  await expect.poll(isFound).toBe(true);
  expect(await processes(page)).toEqual(tree);
  await region(page, 'Moment shown')
    .getByText(/^The state of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
    .waitFor();
  const root = region(page, 'Locks').getByRole('listitem').first();
  expect(await root.innerText()).toMatch(/blocks 1 session, its transaction is open for .*, idle in it for /);
  await root.getByText('update stock set n = 1 where id = 1').first().waitFor();

  // The address is the moment: the same after a reload, and in the other parts of the page.
  const address = page.url();
  expect(address).toMatch(/at=/);
  await page.reload();
  await expect.poll(() => processes(page)).toEqual(tree);
  expect(page.url()).toBe(address);
  await page.getByRole('button', { name: 'Now', exact: true }).click();
  await region(page, 'Locks').getByText('Nothing waited for a lock').waitFor();
  await page.goBack();
  await expect.poll(() => processes(page)).toEqual(tree);
  await page.goto(address.replace('tab=locks', 'tab=load'));
  const chart = page.getByRole('figure', { name: 'Active sessions' });
  await chart.locator('path[data-area=Lock]').waitFor({ state: 'attached' });
  await page.getByRole('combobox', { name: 'Split by' }).selectOption('application');
  await chart.locator('path[data-area=checkout]').waitFor({ state: 'attached' });
  expect(faults).toEqual([]);
});

/** Runs a statement again and again; stop() says that it is over. */
function again(client: TestClient, text: () => string): { stop(): Promise<void> } {
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      await client.begin(text());
      await setTimeout(20);
    }
  };
  const running = run();
  return {
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}

async function readStatementsOften(): Promise<void> {
  const { request } = visit.context;
  const configs: { id: number; name: string }[] = await (await request.get('/api/v1/probe-configs')).json();
  const id = configs.find(({ name }) => name === 'pg_stat_statements')?.id;
  const reply = await request.put(`/api/v1/probe-configs/${id}`, {
    data: { collection_interval_seconds: 5 },
  });
  expect(reply.status(), await reply.text()).toBe(200);
}

it('sees which statement became slower when an index was dropped', async () => {
  const { page, faults } = visit;
  await own.cluster.query(`create table sales as
    select n as id, n % 5000 as customer, n % 97 as amount from generate_series(1, 200000) n`);
  await own.cluster.query('create index sales_customer on sales (customer)');
  await own.cluster.query('analyze sales');
  await readStatementsOften();
  const client = await clientOf('shop');
  let n = 0;
  const load = again(client, () => {
    n += 1;
    return `select sum(amount) from sales where customer = ${n % 5000}`;
  });
  // Some readings before and after, each of which is five seconds long.
  await setTimeout(16_000);
  const dropped = Math.ceil(Date.now() / 1000) * 1000;
  await setTimeout(dropped - Date.now());
  await own.cluster.query('drop index sales_customer');
  await setTimeout(16_000);
  await load.stop();

  const iso = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');
  const after = `from=${iso(dropped)}&to=${iso(dropped + 60_000)}`;
  await page.goto(`${server}?tab=queries&${after}&compare=previous`);
  const statement = page.getByRole('table').getByText('select sum(amount) from sales where customer = $1');
  await expect
    .poll(
      async () => {
        await page.reload();
        await page.getByRole('table').first().waitFor();
        return statement.count();
      },
      { interval: 2000 },
    )
    .toBe(1);
  const row = page.getByRole('row').filter({ hasText: 'select sum(amount) from sales' });
  await expect.poll(() => row.innerText()).toMatch(/×\d/);
  await statement.click();
  await page.getByRole('heading', { name: 'SELECT sales', level: 1 }).waitFor();
  const mean = page.getByRole('region', { name: 'Mean time' });
  await mean.waitFor();
  // The window before holds what it took with the index.
  await expect.poll(() => mean.innerText()).toMatch(/×\d/);
  expect(new URL(page.url()).searchParams.get('from')).toBe(iso(dropped));
  expect(faults).toEqual([]);
});

describe('clean in every look', () => {
  it.each([
    ['load', 'Active sessions'],
    ['sessions', 'Active sessions'],
    ['locks', 'Active sessions'],
  ] as const)('%s', async (tab, figure) => {
    const { page, faults } = visit;
    const index = ['load', 'sessions', 'locks'].indexOf(tab);
    await startLook(page, index);
    await blocked('a client with a rather long name, as some give themselves');
    await page.goto(`${server}?tab=${tab}`);
    await page.getByRole('figure', { name: figure }).waitFor();
    if (tab === 'locks') await expect.poll(() => processes(page)).toHaveLength(2);
    await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
    if (tab === 'locks') {
      // The tree first: above it a strip of the load, and one row of steps.
      const root = region(page, 'Locks').getByRole('listitem').first();
      expect((await root.boundingBox())?.y).toBeLessThan(270);
    }
    expect(await faultsInEveryLook(page, index, `server-${tab}`)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
