// A primary dies under its standby: pages say what is not known any more, why and since when, and nothing of what was.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, keepPicture, openPage, sidewaysScroll, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { type Pair, startPair } from './src/replication.ts';
import { addConnection } from './src/watched.ts';

let product: Product;
let browser: Browser;
let pair: Pair;
let light: Visit;
let dark: Visit;

const POLL = { interval: 500 };
const KNOWN = /orders-standby streams from orders-primary: .*B/;

const add = (body: Record<string, unknown>) => addConnection(light.context.request, body);

beforeAll(async () => {
  [product, browser, pair] = await Promise.all([startProduct(), startBrowser(), startPair()]);
  light = await openPage(browser, product.url);
  await settleIn(light.page, product.adminLink);
  dark = await openPage(browser, product.url, { dark: true, session: light.context });
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([product?.stop(), pair?.stop()]);
});

async function picture(name: string, path: string, ready: RegExp): Promise<void> {
  for (const [theme, visit] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    await visit.page.goto(path);
    await visit.page.getByText(ready).first().waitFor();
    expect(await accessibilityFaults(visit.page)).toEqual([]);
    expect(await sidewaysScroll(visit.page)).toBe(0);
    await keepPicture(visit.page, `${name}-${theme}-1440`);
  }
}

it('is said to be dead since a time, with nothing of how it was', async () => {
  const { page } = light;
  const [primary, standby] = [
    await add(pair.connection(pair.primary, 'orders-primary')),
    await add(pair.connection(pair.standby, 'orders-standby')),
  ];
  const cluster = `/clusters/server-${primary}`;
  await expect
    .poll(async () => {
      await page.goto(cluster);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(1000);
      return page.getByRole('button', { name: KNOWN }).count();
    }, POLL)
    .toBeGreaterThan(0);
  const summary = page.getByLabel('Summary');
  await page.goto(`/servers/${primary}`);
  await summary.getByText(/takes writes/).waitFor();
  await summary.getByText(/answers in/).waitFor();

  await pair.primary.kill();
  await summary.getByText(/^since /).waitFor();
  expect(await summary.innerText()).not.toMatch(/takes writes|answers in/);
  expect(await summary.innerText()).toMatch(/was primary/);
  await page.goto(`/servers/${standby}`);
  await page
    .getByText(/no WAL receiver/)
    .first()
    .waitFor();
  await page.goto(`/servers/${standby}?tab=replication`);
  await page
    .getByText(/since \d\d:\d\d:\d\d/)
    .first()
    .waitFor();
  await page.goto(cluster);
  await page.getByRole('button', { name: /lag not known/ }).click();
  await page
    .getByText(/orders-primary cannot be read: /)
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: KNOWN }).count()).toBe(0);
  const slots = page.getByRole('region', { name: 'Replication slots' });
  expect(await slots.innerText()).not.toMatch(/In use/);

  const chosen = page.url();
  await picture('dead-primary', `/servers/${primary}`, /was primary/);
  await picture('lone-standby', `/servers/${standby}`, /no WAL receiver/);
  await picture('dead-cluster', chosen, /cannot be read/);
});

it('met no script error and no breach of the content policy', () => {
  expect([...light.faults, ...dark.faults]).toEqual([]);
});
