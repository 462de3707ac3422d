// The chat in a browser, without a model: on a narrow dark screen, and not there for whoever sees no server. An answer by rules
// is in the everyday journey.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import {
  accessibilityFaults,
  keepPicture,
  NARROW,
  openPage,
  sidewaysScroll,
  type Visit,
} from './src/pages.ts';
import { PASSWORD, settleIn, signIn } from './src/people.ts';

let product: Product;
let browser: Browser;
let admin: Visit;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it('fits a narrow dark screen', async () => {
  const { page } = await openPage(browser, product.url, {
    session: admin.context,
    dark: true,
    viewport: NARROW,
  });
  await page.goto('/');
  await page.getByRole('button', { name: 'Chat' }).click();
  const chat = page.getByRole('complementary', { name: 'Chat' });
  await chat.getByRole('button', { name: 'What is wrong?' }).waitFor();
  await keepPicture(page, 'chat-dark-390');
  expect(await sidewaysScroll(page)).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('is not there for a user who sees no server', async () => {
  await product.command(['user', 'create', 'eve'], `${PASSWORD}\n`);
  const { page, faults } = await openPage(browser, product.url);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/\/api\/v1\/(?:chat|conversations|memories)/.test(request.url())) asked.push(request.url());
  });
  await page.goto('/sign-in');
  await signIn(page, 'eve');
  await page.getByText('You have no access to any server').waitFor();
  await page.keyboard.press('Control+j');
  expect(await page.getByRole('button', { name: 'Chat' }).count()).toBe(0);
  expect(await page.getByRole('complementary', { name: 'Chat' }).count()).toBe(0);
  expect(asked).toEqual([]);
  expect(faults).toEqual([]);
});
