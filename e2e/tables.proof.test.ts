// A table of many rows: only those near the window are drawn, and everything else works as in a small one.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, keepPicture, openPage, sidewaysScroll, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';

const GROUPS = 400;

let product: Product;
let browser: Browser;
let admin: Visit;
const nameOf = (index: number) => `team ${String(index).padStart(3, '0')}`;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
  for (let index = 0; index < GROUPS; index += 20)
    await Promise.all(
      Array.from({ length: 20 }, async (_, next) => {
        const data = { name: nameOf(index + next) };
        const response = await admin.context.request.post('/api/v1/rbac/groups', { data });
        expect(response.status(), await response.text()).toBe(201);
      }),
    );
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

const links = () => admin.page.locator('[data-row-link]');
const focused = () => admin.page.evaluate(() => document.activeElement?.textContent ?? '');

it('draws the rows near the window, tells how many there are, and walks through all of them by key', async () => {
  const { page, faults } = admin;
  await page.goto('/admin/groups');
  await page.getByText(nameOf(0)).waitFor();
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(GROUPS + 1));
  expect(await links().count()).toBeLessThan(120);
  // The first rows stand until the code that draws many has arrived.
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  await expect.poll(height).toBeGreaterThan(GROUPS * 30);

  await links().first().focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(focused).toContain(nameOf(1));
  await page.keyboard.press('End');
  await expect.poll(focused).toContain(nameOf(GROUPS - 1));
  expect(await links().count()).toBeLessThan(120);
  await page.keyboard.press('ArrowUp');
  await expect.poll(focused).toContain(nameOf(GROUPS - 2));
  await keepPicture(page, 'table-end');
  await page.keyboard.press('Home');
  await expect.poll(focused).toContain(nameOf(0));
  expect(faults).toEqual([]);
});

it('scrolls to rows that were not drawn, and stays whole', async () => {
  const { page } = admin;
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
  await page.getByText(nameOf(GROUPS / 2)).waitFor();
  expect(await page.getByText(nameOf(0)).count()).toBe(0);
  expect(await sidewaysScroll(page)).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await keepPicture(page, 'table-middle');
});

it('opens a row with Enter, and draws them all where few are left', async () => {
  const { page } = admin;
  await page.getByLabel('Search groups').fill('team 12');
  await expect.poll(() => links().count()).toBe(10);
  await links().first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: nameOf(120) }).waitFor();
});
