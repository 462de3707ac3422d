// Signing in with a provider in a browser: the button, the provider's own pages, the page one wanted, and out again at both sides.
import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RealProvider, startRealProvider } from '../server/src/testing/oidc/real-provider.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { faultsOfEachLook, openPage } from './src/pages.ts';

const SECRET = 'what-matriarch-and-the-provider-share';

let product: Product;
let provider: RealProvider;
let browser: Browser;
const config = path.join(os.tmpdir(), `matriarch-sign-on-${process.pid}.yaml`);

beforeAll(async () => {
  const port = await freePort();
  const base_url = `http://127.0.0.1:${port}`;
  provider = await startRealProvider({ base_url, secret: SECRET });
  provider.people.set('anna', { preferred_username: 'anna', groups: ['root'] });
  provider.people.set('bert', {});
  const oidc = {
    ...{ issuer: provider.issuer, client_id: 'matriarch', client_secret: SECRET },
    ...{ label: 'Example account', superusers: ['root'], create_users: true },
  };
  const settings = { api: { public_url: base_url }, auth: { oidc, local_sign_in: 'superusers' } };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  [product, browser] = await Promise.all([
    startProduct('--config', config, '--port', String(port)),
    startBrowser(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await provider?.stop();
  rmSync(config, { force: true });
});

it('leads to the provider, back to the page that was wanted, and out at both', async () => {
  const { page, faults } = await openPage(browser, product.url);
  await page.goto(`${product.url}/account`);
  const button = page.getByRole('button', { name: 'Sign in with Example account' });
  await button.waitFor();
  expect(await faultsOfEachLook(page, 'sign-in-provider')).toEqual([]);
  await button.click();
  await page.getByPlaceholder('Enter any login').fill('anna');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  await page.getByText('anna, superuser').waitFor();
  expect(new URL(page.url()).search).toBe('');
  expect(await page.getByText('Your account has no password yet').count()).toBe(0);
  const sessions = page.getByRole('table', { name: 'Open sessions' });
  await sessions
    .getByRole('row')
    .filter({ hasText: 'This session' })
    .filter({ hasText: 'Example account' })
    .waitFor();
  expect(await faultsOfEachLook(page, 'account-sessions')).toEqual([]);
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL((url) => url.origin === provider.issuer);
  expect(faults).toEqual([]);
});

it('says on the page why a person may not come in', async () => {
  const { page } = await openPage(browser, product.url);
  await page.goto(`${product.url}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with Example account' }).click();
  await page.getByPlaceholder('Enter any login').fill('bert');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').getByText('holds no user name that can be used here').waitFor();
  expect(await faultsOfEachLook(page, 'sign-in-refused')).toEqual([]);
  await page.getByRole('link', { name: 'Back to sign in' }).click();
  await page.getByLabel('User name').waitFor();
});
