// Plans on the page of a statement: a statement of a real server whose index was dropped, told by auto_explain in its log, in every look.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logsScript } from '../server/src/estate/connections/log-script.ts';
import { startIn, type TestCluster } from '../server/src/testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../server/src/testing/servers/run-directory.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { faultsInEveryLook, openPage, startLook, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { addConnection } from './src/watched.ts';

const ROLE = 'monitor';
const PASSWORD = 'a password of the test';
const RUNS = 25;

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
      settings: {
        logging_collector: true,
        log_line_prefix: '%m [%p] %q%u@%d %Q ',
        session_preload_libraries: 'auto_explain',
        'auto_explain.log_min_duration': 0,
        'auto_explain.log_analyze': true,
        'auto_explain.log_buffers': true,
        'auto_explain.log_format': 'json',
        max_parallel_workers_per_gather: 0,
      },
    }),
  ]);
  await server.query('create extension pg_stat_statements');
  await server.query(`create role ${ROLE} login password '${PASSWORD}' in role pg_monitor`);
  await server.query(logsScript(ROLE));
  await server.query(
    "create table orders as select g as id, g % 5000 as customer, case when g % 100 = 0 then 'open' else 'sent' end as state from generate_series(1, 200000) g",
  );
  await server.query('create index orders_customer on orders (customer)');
  await server.query('vacuum analyze orders');
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

async function run(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1)
    await server.query("select count(*) from orders where customer = 4711 and state <> 'hunter2'");
}

async function queryidOf(): Promise<string> {
  const [row] = await server.query(
    "select queryid::text as queryid from pg_stat_statements where query like 'select count(*) from orders%' limit 1",
  );
  return String(row?.queryid);
}

const ask = async (path: string) => {
  const answer = await admin.context.request.get(`/api/v1/connections/${id}/${path}`);
  return { status: answer.status(), body: await answer.json() };
};

it('shows why a statement became slower, its tree without values, and two plans beside each other', async () => {
  await expect
    .poll(async () => (await ask('log-counts')).body.reading.state, { interval: 500 })
    .toBe('reading');
  await run(RUNS);
  const queryid = await queryidOf();
  const plans = async () => (await ask(`queries/${queryid}/plans`)).body;
  await expect.poll(async () => (await plans()).plans.length, { interval: 500 }).toBe(1);
  await server.query('drop index orders_customer');
  await run(RUNS);
  await expect.poll(async () => (await plans()).regression?.runs, { interval: 500 }).toBe(RUNS);
  // The page is of statements that pg_stat_statements was read of.
  await expect.poll(async () => (await ask(`queries/${queryid}`)).status, { interval: 500 }).toBe(200);
  const { page } = admin;
  await page.goto(`/servers/${id}/queries/${queryid}`);
  const panel = page.getByRole('region', { name: 'Plans', exact: true });
  await panel.getByText(/times as slow with plan/).waitFor();
  const [current] = (await plans()).plans;
  const name = `Plan ${current.plan_hash.slice(0, 6)}`;
  await panel.getByRole('button', { name }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Node \d: / }).waitFor();
  const compare = page.getByLabel(/^Compare plan /);
  await compare.selectOption({ index: 1 });
  await page
    .getByRole('region', { name: /compared with plan/ })
    .getByText(/→ Seq Scan on orders/)
    .first()
    .waitFor();
  expect(await page.locator('body').textContent()).not.toMatch(/hunter2|4711/);
  const address = page.url();
  expect(address).toMatch(/plan=\d+/);
  await startLook(page, 0);
  await page.goto(address);
  await page.getByRole('heading', { name: /^Node \d: / }).waitFor();
  expect(await faultsInEveryLook(page, 0, 'plans')).toEqual([]);
});
