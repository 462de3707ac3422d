// Findings as somebody meets them who adds a server: a verdict within two minutes, an index dropped as the remedy says, its
// finding resolved and confirmed; muted and unmuted; by keyboard, in every look without faults, on a narrow screen.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openClient, type TestClient } from '../server/src/testing/servers/client.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { HOSTILE, type OwnServer, startOwnServer } from './src/own-server.ts';
import {
  accessibilityFaults,
  faultsOfEachLook,
  keepPicture,
  openPage,
  type Visit,
  WIDE,
} from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { findingOf, navigation } from './src/steps.ts';
import {
  addConnection,
  makeSuperfluousIndex,
  placeOf,
  quoted,
  readOften,
  SUPERFLUOUS,
} from './src/watched.ts';

const NAME = 'orders-primary';
/** A busy machine takes its time; what is promised is measured beside it. */
const LONG = { timeout: 240_000 };

let product: Product;
let browser: Browser;
let own: OwnServer;
let visit: Visit;
let client: TestClient;
let id = 0;

beforeAll(async () => {
  [product, browser, own] = await Promise.all([startProduct(), startBrowser(), startOwnServer()]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  client = await openClient(own.cluster, 'shop');
  await makeSuperfluousIndex(client, HOSTILE);
});

afterAll(async () => {
  await client?.end();
  await browser?.close();
  await Promise.all([product?.stop(), own?.stop()]);
});

async function looks(page: Page, name: string): Promise<string[]> {
  const faults = await faultsOfEachLook(page, name);
  await page.setViewportSize(WIDE);
  return faults;
}

const finding = (page: Page) => findingOf(page, HOSTILE);
/** The finding that is open beside the list. */
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Finding', exact: true });

it('a new server has its findings within two minutes', async () => {
  const { page } = visit;
  const started = performance.now();
  id = await addConnection(page.request, { ...placeOf(own), name: NAME, is_monitored: true });
  await page.goto(`/servers/${id}?tab=findings`);
  await finding(page).waitFor(LONG);
  const seconds = (performance.now() - started) / 1000;
  expect(seconds).toBeLessThan(120);
  expect(await page.evaluate(() => 'hit' in window)).toBe(false);
  await page.getByRole('heading', { name: 'Open findings' }).waitFor();
  const strip = page.getByLabel('Summary');
  await strip.getByText(/\d critical/).waitFor();
  await page.getByText('index size').first().waitFor();
  expect(await looks(page, 'server-findings')).toEqual([]);
});

it('says how well it is proven, what to do and what speaks against it, opened by keyboard', async () => {
  const { page } = visit;
  await page.getByLabel('Category').focus();
  await page.keyboard.type('Indexes');
  await expect.poll(() => new URL(page.url()).searchParams.get('category')).toBe('indexes');
  await finding(page).press('Enter');
  await drawer(page).getByRole('heading', { name: SUPERFLUOUS, level: 2 }).waitFor();
  const address = page.url();
  const open = new URL(address).searchParams.get('finding');
  expect(open).toMatch(/^\d+$/);
  await page.getByText(`drop index concurrently "public".${quoted(HOSTILE)};`).waitFor();
  await page.getByText('The server says so itself.').waitFor();
  await page.getByRole('heading', { name: 'What speaks against it' }).waitFor();
  await page.getByRole('figure', { name: 'The figure over time' }).getByRole('slider').waitFor();
  await page.getByRole('region', { name: 'What changed then' }).waitFor();
  await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
  expect(await page.evaluate(() => 'hit' in window)).toBe(false);
  expect(await looks(page, 'finding')).toEqual([]);
  await page.keyboard.press('Escape');
  await drawer(page).waitFor({ state: 'detached' });
  await expect.poll(() => finding(page).evaluate((one) => one === document.activeElement)).toBe(true);
  expect(new URL(page.url()).searchParams.has('finding')).toBe(false);
  await page.goto(address);
  await drawer(page).getByRole('link', { name: 'Open as a page' }).press('Enter');
  await page.waitForURL(`**/findings/${open}`);
  await page.getByRole('heading', { name: SUPERFLUOUS, level: 1 }).waitFor();
  expect(await looks(page, 'finding-page')).toEqual([]);
  await page.goBack();
});

it('is muted with a reason by keys alone, and unmuted', async () => {
  const { page } = visit;
  await page.getByRole('button', { name: 'Mute', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Mute the finding' });
  const reason = dialog.getByLabel(/^Reason/);
  await expect.poll(() => reason.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(await looks(page, 'finding-mute')).toEqual([]);
  await page.keyboard.type('The report of the year needs it.');
  await dialog.getByRole('button', { name: '1 week' }).press('Enter');
  await dialog.getByLabel(/^Until/).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('The report of the year needs it.').waitFor();
  await page.goto(`/findings?server=${id}&state=muted`);
  await finding(page).press('Enter');
  await page.getByRole('button', { name: 'Unmute' }).press('Enter');
  await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
});

it('the index dropped, the finding is resolved, and confirmed with what it brought', async () => {
  const { page, faults } = visit;
  const address = page.url();
  await readOften(page.request, id, { pg_stat_all_indexes: 5, pg_index_health: 10 });
  await client.query(`drop index concurrently "public".${quoted(HOSTILE)}`);
  const effect = page.getByRole('region', { name: 'What it brought' });
  await effect.waitFor(LONG);
  await effect.getByText('Confirmed', { exact: true }).waitFor();
  await effect.getByText('0 B').first().waitFor();
  expect(await looks(page, 'finding-confirmed')).toEqual([]);
  await page.goto(`/servers/${id}?tab=findings&state=resolved`);
  await finding(page).press('Enter');
  await drawer(page).getByRole('heading', { name: SUPERFLUOUS, level: 2 }).waitFor();
  const opened = (url: string) => new URL(url).searchParams.get('finding');
  expect(opened(page.url())).toBe(opened(address));
  expect(faults).toEqual([]);
});

it('stands on the pages of the estate and in the catalog, with what came of it', async () => {
  const { page, faults } = visit;
  await navigation(page)
    .getByRole('link', { name: /^Findings/ })
    .press('Enter');
  await page.getByRole('heading', { name: 'Findings', level: 1 }).waitFor();
  await page.getByRole('table', { name: 'Findings, the worst first' }).waitFor();
  expect(await looks(page, 'findings')).toEqual([]);
  await page.getByRole('link', { name: 'Checks', exact: true }).press('Enter');
  const row = page.getByRole('row').filter({ hasText: SUPERFLUOUS });
  await row.getByRole('link', { name: /^1 resolved/ }).waitFor();
  expect(await looks(page, 'checks')).toEqual([]);
  await row.getByRole('link', { name: /^1 resolved/ }).press('Enter');
  await finding(page).waitFor();
  await page.goto(`/clusters/server-${id}`);
  await page.getByRole('region', { name: 'Findings' }).getByRole('table').waitFor();
  expect(await looks(page, 'cluster-findings')).toEqual([]);
  await page.goto('/');
  await keepPicture(page, 'estate-findings');
  await page
    .getByRole('row')
    .filter({ hasText: NAME })
    .getByRole('link', { name: /findings:/ })
    .first()
    .press('Enter');
  await page.waitForURL(`**/servers/${id}?tab=findings`);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
});
