// Passkeys in a browser, with a virtual authenticator: set up where a second factor is required, signing in without a password and
// after one, recovery codes, several passkeys, and an address at which they cannot work.
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { faultsOfEachLook, openPage, WIDE } from './src/pages.ts';
import { PASSWORD } from './src/people.ts';
import { panel } from './src/steps.ts';

let product: Product;
let browser: Browser;
/** Passkeys work on localhost, not at a number. */
let url: string;
beforeAll(async () => {
  [product, browser] = await Promise.all([
    startProduct('--auth-require-second-factor', 'superusers'),
    startBrowser(),
  ]);
  url = atLocalhost(product.url);
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

const atLocalhost = (address: string) => address.replace('127.0.0.1', 'localhost');

async function newAuthenticator(devtools: CDPSession): Promise<string> {
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inside = (page: Page) =>
  page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor();

async function signOut(page: Page): Promise<void> {
  await page.goto(`${url}/account`);
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await button(page, 'Sign in with a passkey').waitFor();
}

async function givePassword(page: Page): Promise<void> {
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await button(page, 'Sign in').click();
  await page.getByLabel('Code', { exact: true }).waitFor();
}

it('sets one up, signs in with it alone and after the password, and removes it', async () => {
  const { page, faults } = await openPage(browser, url);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const laptop = await newAuthenticator(devtools);

  await page.goto(atLocalhost(product.adminLink));
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await button(page, 'Set password and continue').click();
  await page.getByRole('heading', { name: 'Set up a second factor', level: 1 }).waitFor();
  await button(page, 'Use a passkey instead').click();
  await page.getByLabel('Name of the passkey').fill('Laptop');
  await page.getByLabel('Your password').fill(PASSWORD);
  expect(await faultsOfEachLook(page, 'passkey-required')).toEqual([]);
  await button(page, 'Continue').click();
  await button(page, 'I have kept them').waitFor();
  const codes = (await page.locator('pre').first().innerText()).trim().split('\n');
  expect(codes).toHaveLength(10);
  await button(page, 'I have kept them').click();
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  expect(
    (await devtools.send('WebAuthn.getCredentials', { authenticatorId: laptop })).credentials,
  ).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);

  await signOut(page);
  expect(await faultsOfEachLook(page, 'sign-in-passkey')).toEqual([]);
  await page.setViewportSize(WIDE);
  await button(page, 'Sign in with a passkey').press('Enter');
  await inside(page);

  await signOut(page);
  await givePassword(page);
  expect(await faultsOfEachLook(page, 'sign-in-code-or-passkey')).toEqual([]);
  await page.setViewportSize(WIDE);
  await button(page, 'Use a passkey').click();
  await inside(page);

  await signOut(page);
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId: laptop, isUserVerified: false });
  await button(page, 'Sign in with a passkey').click();
  await page.getByRole('alert').getByText('No passkey was used.').waitFor();
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId: laptop, isUserVerified: true });
  await givePassword(page);
  await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
  await button(page, 'Sign in').click();
  await inside(page);

  await page.goto(`${url}/account`);
  const own = panel(page, 'Passkeys');
  await own.getByText('Laptop').waitFor();
  await panel(page, 'Latest sign-ins').getByText('Password and passkey').first().waitFor();
  await panel(page, 'Latest sign-ins').getByText('Passkey', { exact: true }).first().waitFor();
  expect(await faultsOfEachLook(page, 'account-passkeys')).toEqual([]);
  await page.setViewportSize(WIDE);

  await own.getByRole('button', { name: 'Add a passkey' }).click();
  await own.getByLabel('Name of the passkey').fill('Key ring');
  await own.getByLabel('Your password').fill(PASSWORD);
  await own.getByRole('button', { name: 'Add the passkey' }).click();
  await own.getByRole('alert').getByText('This device has a passkey').waitFor();
  // A second device: the browser asks the one that has the passkey for the proof, and the new one for the key.
  await own.getByRole('button', { name: 'Use a recovery code' }).click();
  await own.getByLabel('Your password').fill(PASSWORD);
  await own.getByLabel('Code', { exact: true }).fill(codes[1] ?? '');
  expect(await faultsOfEachLook(page, 'passkey-add')).toEqual([]);
  await page.setViewportSize(WIDE);
  await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: laptop });
  await newAuthenticator(devtools);
  await own.getByRole('button', { name: 'Add the passkey' }).click();
  await own.getByText('Key ring').waitFor();

  await own.getByRole('button', { name: 'Remove the passkey Laptop' }).click();
  await own.getByLabel('Your password').fill(PASSWORD);
  await own.getByRole('button', { name: 'Remove the passkey', exact: true }).click();
  await expect.poll(() => own.getByText('Laptop').count()).toBe(0);
  await own.getByText('Key ring').waitFor();
  await own.getByRole('button', { name: 'Replace recovery codes' }).click();
  await own.getByLabel('Your password').fill(PASSWORD);
  await own.getByRole('button', { name: 'Replace the codes' }).click();
  await own.getByRole('button', { name: 'I have kept them' }).click();
  await signOut(page);
  await button(page, 'Sign in with a passkey').click();
  await inside(page);
  // The refused one of the device that did not verify its user never reached the server.
  expect(faults).toEqual([]);
});

it('says where passkeys cannot work', async () => {
  await product.command(['user', 'create', 'eve'], `${PASSWORD}\n`);
  const { page, faults } = await openPage(browser, product.url);
  await page.goto(`${product.url}/account`);
  await page.getByLabel('User name').fill('eve');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
  await button(page, 'Sign in').click();
  await panel(page, 'Passkeys').getByText('Passkeys cannot work at this address.').waitFor();
  expect(await panel(page, 'Passkeys').getByRole('button').count()).toBe(0);
  expect(await faultsOfEachLook(page, 'account-passkeys-impossible')).toEqual([]);
  expect(faults).toEqual([]);
});
