// The cursor by keyboard: it stays in what is opened while a page is on its way, goes out of a menu and back to its button; the
// entry that deletes can be read. The way to a server, a page and a part by Ctrl K is in the everyday journey.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, openPage, type Visit } from './src/pages.ts';
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

it('leaves the cursor in what is opened while a page is on its way', async () => {
  const { page } = await openPage(browser, product.url, { session: visit.context });
  const { promise: mayCome, resolve: letCome } = Promise.withResolvers<void>();
  await page.route('**/assets/setup-*.js', async (route) => {
    await mayCome;
    await route.continue();
  });
  await page.goto('/');
  await page.getByRole('treeitem', { name: /Matriarch datastore/ }).waitFor();
  const field = page.getByRole('combobox', { name: 'Find anything' });
  await page.keyboard.press('Control+k');
  await field.fill('clusters');
  await page.keyboard.press('Enter');
  await field.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await field.fill('datast');
  letCome();
  await page.waitForURL('**/clusters');
  await page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/servers/1');
  await page.context().close();
});

it.each([false, true])('shows the entry that deletes so that it can be read (dark: %s)', async (dark) => {
  const { page } = await openPage(browser, product.url, { dark, session: visit.context });
  await page.goto('/clusters');
  const opener = page.getByRole('button', { name: 'Change Matriarch datastore', exact: true });
  await opener.click();
  await page.getByRole('menuitem', { name: /^Hide from clusters…/ }).waitFor();
  // The menu stands outside the landmarks of the page, as menus do; its colours are what is looked at.
  const faults = await accessibilityFaults(page);
  expect(faults.filter((one) => one.startsWith('color-contrast'))).toEqual([]);
});

it('gives the focus back to the button of a menu, and after a dialog that was opened from it', async () => {
  const { page } = await openPage(browser, product.url, { session: visit.context });
  await page.goto('/clusters');
  const opener = page.getByRole('button', { name: 'Change Matriarch datastore', exact: true });
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  for (const _ of ['first', 'second']) {
    await opener.press('Enter');
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Change Matriarch datastore');
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
  }
  await opener.press('Enter');
  await page.getByRole('menuitem', { name: /^Move to a group…/ }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('Change Matriarch datastore');
  await page.context().close();
});

it('gives the focus back to the button of the navigation, also when that is opened first', async () => {
  const { page } = await openPage(browser, product.url, { session: visit.context });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto('/');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await page.getByRole('button', { name: 'Open the navigation' }).press('Enter');
  await page.getByRole('button', { name: 'Close the navigation' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('Open the navigation');
});

it.each(['Account of admin', 'More of this server'])(
  'opens and closes the menu "%s" by keys',
  async (name) => {
    const { page } = await openPage(browser, product.url, { session: visit.context });
    await page.goto('/servers/1');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    for (const _ of ['first', 'second']) {
      await page.getByRole('button', { name }).press('Enter');
      await page.getByRole('menuitem').first().waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(focused).toBe(name);
      await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    }
  },
);
