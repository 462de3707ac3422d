// Setting probes: for the whole estate, for a group, for one server; what is inherited is shown, what is refused stays
// in the form, and whoever may not change them sees them all the same.
import type { Browser, Page } from 'playwright-core';
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
import { openEditor, rowOf, unfold } from './src/steps.ts';

const PROBE = 'pg_stat_wal';

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

const openProbes = async (page: Page) => {
  await page.goto('/servers/1?tab=probes');
  await rowOf(page, PROBE).waitFor();
};

it('sets a probe for the whole estate, and keeps what was typed wrongly', async () => {
  const { page } = visit;
  await (await unfold(page, 'Set up')).getByRole('link', { name: 'Probes' }).click();
  await page.getByRole('heading', { name: 'Probes', level: 1 }).waitFor();
  await page.getByLabel('Search probes').fill('wal');
  expect(await rowOf(page, PROBE).innerText()).toMatch(/every 10 min/);
  const dialog = await openEditor(page, PROBE);
  await dialog.getByLabel('Interval in seconds').fill('4');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('A whole number of seconds from 5 to 86,400').waitFor();
  expect(await dialog.getByLabel('Interval in seconds').inputValue()).toBe('4');
  expect(await accessibilityFaults(page)).toEqual([]);
  await keepPicture(page, 'probe-editor-light-1440');
  await dialog.getByLabel('Interval in seconds').fill('30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => rowOf(page, PROBE).innerText()).toMatch(/every 30 s/);
});

it('switches it off for a group, and says so where it is missed', async () => {
  const { page } = visit;
  await openProbes(page);
  await expect.poll(() => rowOf(page, PROBE).innerText()).toMatch(/Whole estate/);
  const dialog = await openEditor(page, PROBE);
  const chain = dialog.getByRole('list', { name: 'Settings by level, the last one is in force' });
  expect(await chain.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^Default\s+every 10 min, kept 7 days/),
    expect.stringMatching(/^Whole estate\s+every 30 s, kept 7 days\s+in force/),
  ]);
  await dialog.getByLabel('Change it for').selectOption({ label: 'Group Ungrouped' });
  await dialog.getByLabel('Collect it').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await rowOf(page, PROBE).getByText('Switched off', { exact: true }).waitFor();
  await rowOf(page, PROBE)
    .getByText(/Switched off for the group Ungrouped\. Switch it on there/)
    .waitFor();
  await page.goto('/servers/1?tab=coverage&find=pg_stat_wal');
  await page.getByText('Switched off', { exact: true }).first().waitFor();
});

it('sets it for one server over that, and takes it back', async () => {
  const { page } = visit;
  await openProbes(page);
  let dialog = await openEditor(page, PROBE);
  await dialog.getByLabel('Change it for').selectOption({ label: 'This server' });
  await dialog.getByLabel('Collect it').check();
  await dialog.getByLabel('Interval in seconds').fill('60');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => rowOf(page, PROBE).innerText()).toMatch(/every minute[\s\S]*This server/);
  dialog = await openEditor(page, PROBE);
  await dialog.getByRole('button', { name: 'Remove this setting' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => rowOf(page, PROBE).innerText()).toMatch(/Group Ungrouped/);
});

it('fits narrow and dark screens', async () => {
  const { page, faults } = await openPage(browser, product.url, {
    dark: true,
    viewport: NARROW,
    session: visit.context,
  });
  await openProbes(page);
  await openEditor(page, PROBE);
  await keepPicture(page, 'probe-editor-dark-390');
  expect(await sidewaysScroll(page)).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('shows them to people who may not change them', async () => {
  await product.command(['user', 'create', 'eve'], `${PASSWORD}\n`);
  const { page } = await openPage(browser, product.url);
  await page.goto('/sign-in');
  await signIn(page, 'eve');
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  await page.goto('/probes');
  await rowOf(page, PROBE).waitFor();
  expect(await page.getByRole('button', { name: `Change ${PROBE}` }).count()).toBe(0);
});
