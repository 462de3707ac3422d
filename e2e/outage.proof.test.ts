// Matriarch itself goes away and comes back: the last known facts stay, marked as such, and recover by themselves.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, fetchedAhead, keepPicture, openPage, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';

let product: Product;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it('keeps the last facts while the server is away, says since when, and recovers', async () => {
  const { page } = visit;
  const row = page.getByRole('table').getByRole('row').nth(1);
  await row.getByText('Online').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  // The page to add a server opens below without the server.
  await fetchedAhead(page);

  await product.down();
  await page.getByText(/^Stale/).waitFor();
  await page.getByText('Matriarch does not answer').first().waitFor();
  expect(await row.getByText('Online').isVisible()).toBe(true);
  expect(await accessibilityFaults(page)).toEqual([]);
  await keepPicture(page, 'outage-light-1440');

  await page.getByRole('link', { name: 'Add a server' }).click();
  await page.getByLabel('Host', { exact: true }).fill('db1.example.com');
  await page.getByLabel('Role', { exact: true }).fill('me');
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByRole('alert').getByText('Matriarch does not answer').waitFor();
  await page.goBack();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();

  await product.up();
  await page.getByText('Live', { exact: true }).waitFor();
  await expect.poll(() => page.getByText('Matriarch does not answer').count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Estate', level: 1 }).isVisible()).toBe(true);
});

it('met no script error and no breach of the content policy', () => {
  expect(visit.faults).toEqual([]);
});
