// The first ten minutes: the printed link, a page with true facts, a password of one's own, out and in again.
import os from 'node:os';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, openPage, type Visit } from './src/pages.ts';
import { PASSWORD, signIn } from './src/people.ts';

let product: Product;
let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  visit = await openPage(browser, product.url);
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it('signs in with the one-time link and leaves no trace of it in the address', async () => {
  const { page } = visit;
  await page.goto(product.adminLink);
  await page.getByRole('heading', { name: /^You are signed in as/ }).waitFor();
  expect(page.url()).toBe(`${product.url}/link`);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Later' }).click();
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  expect(await page.getByText('Your account has no password yet').isVisible()).toBe(true);
});

it('shows the embedded server with facts, and how to watch one’s own', async () => {
  const { page } = visit;
  await page.getByRole('heading', { name: 'Watch a server of your own' }).waitFor();
  const row = page.getByRole('table').getByRole('row').nth(1);
  await row.getByText('Online').waitFor();
  await row.getByRole('cell', { name: 'primary' }).waitFor();
  await expect.poll(() => row.innerText()).toMatch(/\b18\.\d+/);
  await row.getByRole('link').first().press('Enter');
  await page.getByText(os.hostname(), { exact: true }).waitFor();
  await page.getByText(/PostgreSQL 18\.\d+ on /).waitFor();
  await page.getByRole('table').getByText('postgres', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  // Among the key settings; the list of all of them comes below.
  await expect
    .poll(() =>
      page
        .getByRole('row', { name: /shared_buffers/ })
        .first()
        .innerText(),
    )
    .toMatch(/MB/);
  expect(new URL(page.url()).searchParams.get('tab')).toBe('settings');
});

it('sets a password, after which the reminder is gone', async () => {
  const { page } = visit;
  await page.getByRole('link', { name: 'Set a password' }).click();
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('At least 12 characters').waitFor();
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('The password was changed.').waitFor();
  await page.getByRole('link', { name: 'Estate', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  expect(await page.getByText('Your account has no password yet').count()).toBe(0);
});

it('signs out, refuses a wrong password in words, and signs in again', async () => {
  const { page } = visit;
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page, 'admin', 'not this one at all');
  await page.getByRole('alert').waitFor();
  await signIn(page, 'admin');
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
});

it('opens a link only once, and says how to get another', async () => {
  const { page } = await openPage(browser, product.url);
  await page.goto(product.adminLink);
  await page.getByRole('heading', { name: 'This link does not open' }).waitFor();
  expect(page.url()).not.toContain('#');
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('met no script error and no breach of the content policy', () => {
  expect(visit.faults).toEqual([]);
});
