// What a language model says of databases: marked as such, taken as text, and missed in words when it fails.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LlmMock, startLlmMock } from '../server/src/testing/llm/llm-mock.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, keepPicture, openPage, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';

const DESCRIPTION = 'Metrics of the herd. <img src=x onerror="window.hit=1"> [more](javascript:alert(1))';

let product: Product;
let browser: Browser;
let mock: LlmMock;
let visit: Visit;

beforeAll(async () => {
  mock = await startLlmMock();
  mock.reply(JSON.stringify({ databases: [{ name: 'matriarch', description: DESCRIPTION }] }));
  [product, browser] = await Promise.all([
    startProduct('--llm-ollama-base-url', mock.baseUrl('ollama')),
    startBrowser(),
  ]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  const row = visit.page.getByRole('row').filter({ hasText: 'primary' });
  await row.waitFor();
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await mock?.stop();
});

it('says that a model call failed, and shows everything else', async () => {
  const { page } = visit;
  mock.failAlways('generate', { kind: 'status', status: 400 });
  await page.goto('/servers/1?tab=databases');
  await page.getByText('No descriptions this time').waitFor();
  await page.getByText(/^Request /).waitFor();
  expect(
    await page
      .getByRole('table', { name: 'Encoding, limits and extensions of databases' })
      .getByRole('cell', { name: 'matriarch' })
      .isVisible(),
  ).toBe(true);
});

it('S14: shows descriptions as text, marked as made by a model', async () => {
  const { page } = visit;
  mock.failAlways('generate', undefined);
  await page.reload();
  const cell = page
    .getByRole('table', { name: 'Encoding, limits and extensions of databases' })
    .getByRole('cell', { name: 'matriarch' });
  await cell.getByText('Described by a language model').waitFor({ state: 'attached' });
  expect(await cell.innerText()).toContain(DESCRIPTION);
  await page.getByText(/described by a language model (now|\d+ s ago)/).waitFor();
  expect(await page.locator('main img, main a[href^="javascript"]').count()).toBe(0);
  expect(await page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
  expect(await accessibilityFaults(page)).toEqual([]);
  await keepPicture(page, 'server-described-light-1440');
});

it('met no script error and no breach of the content policy', () => {
  expect(visit.faults).toEqual([]);
});
