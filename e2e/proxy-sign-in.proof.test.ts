// Signing in through a reverse proxy in a browser: the button, the page one wanted, why a person may not come in, and what the page
// says where the browser did not come through the proxy.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SigningProxy, startSigningProxy } from '../server/src/testing/oidc/signing-proxy.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { faultsOfEachLook, openPage } from './src/pages.ts';

const SETTINGS = {
  'user-header': 'X-Remote-User',
  addresses: '127.0.0.1',
  'groups-header': 'X-Remote-Groups',
  superusers: 'root',
  'create-users': 'true',
  label: 'Example proxy',
};

let product: Product;
let proxy: SigningProxy;
let browser: Browser;

beforeAll(async () => {
  const port = await freePort();
  proxy = await startSigningProxy(() => product.url, port);
  const flags = Object.entries(SETTINGS).flatMap(([name, value]) => [`--auth-proxy-${name}`, value]);
  [product, browser] = await Promise.all([
    startProduct(
      ...flags,
      '--auth-proxy-sign-out-url',
      `${proxy.url}/sign-in?out`,
      '--auth-local-sign-in',
      'off',
    ),
    startBrowser(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await proxy?.stop();
  await product?.stop();
});

it('signs in with the button, shows the page that was wanted, and signs out at the proxy', async () => {
  Object.assign(proxy.person, { user: 'anna', groups: 'root' });
  const { page, faults } = await openPage(browser, proxy.url);
  await page.goto(`${proxy.url}/account`);
  const button = page.getByRole('button', { name: 'Sign in with Example proxy' });
  await button.waitFor();
  expect(await faultsOfEachLook(page, 'sign-in-proxy')).toEqual([]);
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  await page.getByText('anna, superuser').waitFor();
  const sessions = page.getByRole('table', { name: 'Open sessions' });
  await sessions
    .getByRole('row')
    .filter({ hasText: 'This session' })
    .filter({ hasText: 'Reverse proxy' })
    .waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL((url) => url.search === '?out');
  expect(faults).toEqual([]);
});

it('says on the page why a person may not come in, and that the way leads through the proxy', async () => {
  Object.assign(proxy.person, { user: 'EXAMPLE\\eve', groups: '' });
  const { page } = await openPage(browser, proxy.url);
  await page.goto(`${proxy.url}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with Example proxy' }).click();
  await page.getByRole('alert').getByText('cannot be a user name here').waitFor();
  const direct = await openPage(browser, product.url);
  await direct.page.goto(`${product.url}/sign-in`);
  await direct.page.getByText('To sign in with Example proxy, open this page through its proxy.').waitFor();
  expect(await direct.page.getByLabel('User name').count()).toBe(0);
  expect(await faultsOfEachLook(direct.page, 'sign-in-around-proxy')).toEqual([]);
});

it('asks the next person at the same browser to sign in', async () => {
  Object.assign(proxy.person, { user: 'anna', groups: 'root' });
  const { page } = await openPage(browser, proxy.url);
  const button = page.getByRole('button', { name: 'Sign in with Example proxy' });
  await page.goto(`${proxy.url}/account`);
  await button.click();
  await page.getByText('anna, superuser').waitFor();
  Object.assign(proxy.person, { user: 'carl', groups: '' });
  await page.goto(`${proxy.url}/account`);
  await button.click();
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  await page.getByRole('main').getByText('carl').first().waitFor();
  expect(await page.getByText('anna').count()).toBe(0);
});
