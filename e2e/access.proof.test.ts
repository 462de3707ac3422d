// Who may see what: nobody without signing in, and a user without rights only that there is nothing to see.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, openPage } from './src/pages.ts';
import { PASSWORD, settleIn, signIn } from './src/people.ts';

let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  await product.command(['user', 'create', 'eve'], `${PASSWORD}\n`);
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it('leads through the sign-in page to the wanted address', async () => {
  const admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
  const { page } = await openPage(browser, product.url);
  await page.goto('/servers/1?tab=settings');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page, 'admin');
  // The same setting stands further down too, among all of them.
  await page
    .getByRole('row', { name: /shared_buffers/ })
    .first()
    .waitFor();
  expect(page.url()).toBe(`${product.url}/servers/1?tab=settings`);
});

it('keeps what was typed when the session has ended elsewhere, and says so', async () => {
  const { page, context } = await openPage(browser, product.url);
  await page.goto('/sign-in?next=%2Fservers%2Fnew');
  await signIn(page, 'admin');
  const host = page.getByLabel('Host', { exact: true });
  await host.fill('db1.example');
  await context.clearCookies();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByLabel('Password of admin').fill('not the password');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Password of admin').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await host.inputValue()).toBe('db1.example');
});

it('S14: never follows a link out of the house after signing in', async () => {
  const { page } = await openPage(browser, product.url);
  await page.goto('/sign-in?next=%2F%2Fevil.example%2F');
  await signIn(page, 'admin');
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  expect(page.url()).toBe(`${product.url}/`);
});

it('tells a user without rights why nothing is there', async () => {
  const { page, faults } = await openPage(browser, product.url);
  await page.goto('/sign-in');
  await signIn(page, 'eve');
  await page.getByText('You have no access to any server').waitFor();
  expect(await page.getByRole('link', { name: 'Add a server' }).count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(new URL(response.url()).pathname);
  });
  await page.goto('/servers/1');
  await page.getByText('You may not see this server').waitFor();
  await page.waitForLoadState('networkidle');
  // Each refusal is a line of the audit.
  expect(refused).toEqual(['/api/v1/server-info/1']);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.goto('/servers/new');
  await page.getByText('You need the permission manage_connections.').waitFor();
  await page.goto('/servers/1/edit');
  await page.getByText(/You may not see this connection/).waitFor();
  expect(faults).toEqual([]);
});
