// The second factor in a browser: the setup that the settings ask for, signing in with a code and with a recovery code, the page
// Account, and an administrator who takes it away.
import { Secret as OtpSecret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { faultsOfEachLook, openPage, WIDE } from './src/pages.ts';
import { PASSWORD, signIn } from './src/people.ts';
import { panel, rowOf } from './src/steps.ts';

let product: Product;
let browser: Browser;
beforeAll(async () => {
  [product, browser] = await Promise.all([
    startProduct('--auth-require-second-factor', 'superusers'),
    startBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

/** A code that was not used yet: that of the coming step counts already. */
const codeOf = (key: string, steps: number) =>
  new TOTP({ secret: OtpSecret.fromBase32(key) }).generate({ timestamp: Date.now() + steps * 30_000 });

const textOf = async (page: Page, label: string) =>
  (await page.getByRole('figure').filter({ hasText: label }).locator('pre').innerText()).trim();

/** From the offer on; answers the key of the app and the recovery codes. */
async function confirm(page: Page): Promise<{ key: string; codes: string[] }> {
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  const key = await textOf(page, 'Key');
  await page.getByLabel('Code', { exact: true }).fill(codeOf(key, 0));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).waitFor();
  return { key, codes: (await textOf(page, 'Recovery codes')).split('\n') };
}

it('leads who must have one through the setup, and asks for a code from then on', async () => {
  const { page, faults } = await openPage(browser, product.url);
  await page.goto(product.adminLink);
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and continue' }).click();
  await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor();
  await page.goto(`${product.url}/admin/users`);
  await page.getByLabel('Your password').fill(PASSWORD);
  expect(await faultsOfEachLook(page, 'second-factor-required')).toEqual([]);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  expect(await faultsOfEachLook(page, 'second-factor-key')).toEqual([]);
  const { key, codes } = await confirm(page);
  expect(codes).toHaveLength(10);
  expect(await faultsOfEachLook(page, 'second-factor-codes')).toEqual([]);
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();

  await page.goto(`${product.url}/account`);
  await panel(page, 'Second factor').getByText('10 recovery codes left.').waitFor();
  expect(await faultsOfEachLook(page, 'account-second-factor')).toEqual([]);
  const signOut = page.getByRole('main').getByRole('button', { name: 'Sign out' });
  await signOut.click();
  await signIn(page, 'admin');
  await page.getByLabel('Code', { exact: true }).waitFor();
  expect(await faultsOfEachLook(page, 'sign-in-code')).toEqual([]);
  await page.setViewportSize(WIDE);
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('The code is not right').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(codeOf(key, 1));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor();

  await page.goto(`${product.url}/account`);
  await signOut.click();
  await signIn(page, 'admin');
  await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor();
  await page.goto(`${product.url}/account`);
  await panel(page, 'Second factor').getByText('9 recovery codes left.').waitFor();
  await panel(page, 'Latest sign-ins').getByText('Password right, code asked for').first().waitFor();
  await panel(page, 'Latest sign-ins').getByText('Password and recovery code').first().waitFor();
  await panel(page, 'Latest sign-ins').getByText('Password and code').first().waitFor();
  await panel(page, 'Second factor').getByRole('button', { name: 'Replace recovery codes' }).click();
  await panel(page, 'Second factor').getByLabel('Your password').fill(PASSWORD);
  await panel(page, 'Second factor')
    .getByLabel('Code', { exact: true })
    .fill(codes[1] ?? '');
  await page.getByRole('button', { name: 'Replace the codes' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await panel(page, 'Second factor').getByText('10 recovery codes left.').waitFor();

  await product.command(['user', 'create', 'eve'], `${PASSWORD}\n`);
  const other = await openPage(browser, product.url);
  await other.page.goto(`${product.url}/account`);
  await signIn(other.page, 'eve');
  await panel(other.page, 'Second factor').getByLabel('Your password').fill(PASSWORD);
  await panel(other.page, 'Second factor').getByRole('button', { name: 'Set up' }).click();
  await confirm(other.page);
  await other.page.getByRole('button', { name: 'I have kept them' }).click();
  await panel(other.page, 'Second factor').getByText('10 recovery codes left.').waitFor();

  // Made by the command line, of which the open page knows nothing.
  await page.goto(`${product.url}/admin/users`);
  await page.getByRole('button', { name: 'Change eve', exact: true }).click();
  await page.getByRole('button', { name: 'Remove the second factor…' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'Remove the second factor', exact: true })
    .click();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await rowOf(page, 'eve').waitFor();
  await other.page.goto(`${product.url}/sign-in`);
  await signIn(other.page, 'eve');
  await other.page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor();

  await page.goto(`${product.url}/admin/groups`);
  await page.getByRole('button', { name: 'Add a group' }).first().click();
  await page.getByLabel('Name').fill('payroll');
  await page.getByLabel('Require a second factor').press('Space');
  expect(await faultsOfEachLook(page, 'group-second-factor')).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name: 'payroll', level: 1 }).waitFor();
  await page.getByText('second factor required').waitFor();
  expect(await faultsOfEachLook(page, 'group-that-requires-it')).toEqual([]);
  const added = await page.evaluate(async () => {
    const { users } = await (await fetch('/api/v1/rbac/users')).json();
    const eve = users.find(({ username }: { username: string }) => username === 'eve');
    const body = JSON.stringify({ user_id: eve.id });
    const headers = { 'content-type': 'application/json' };
    const path = `/api/v1/rbac/groups/${window.location.pathname.split('/').at(-1)}/members`;
    return (await fetch(path, { method: 'POST', headers, body })).status;
  });
  expect(added).toBe(204);
  await other.page.goto(`${product.url}/account`);
  await other.page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor();
  expect([...faults, ...other.faults]).toEqual([]);
});
