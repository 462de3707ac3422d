// Alerts by keyboard: a rule tightened for one server, a session that idles in a transaction there, its alert seen wherever
// one works, taken on with a word, given back, cleared once the transaction is over; in every look without faults.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openClient, type TestClient } from '../server/src/testing/servers/client.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { type OwnServer, startOwnServer } from './src/own-server.ts';
import {
  accessibilityFaults,
  faultsOfEachLook,
  keepPicture,
  NARROW,
  openPage,
  type Visit,
  WIDE,
} from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { findRule, navigation } from './src/steps.ts';
import { addConnection, placeOf, readOften } from './src/watched.ts';

const NAME = 'orders-primary';
const TITLE = 'Session idle in transaction';
const RULE = 'idle_in_transaction';
const LOCK = 'lock table stock in share row exclusive mode';
const INCIDENT = `${TITLE} → Longest lock wait`;
/** An alert may wait for two samples and the next evaluation. */
const LONG = { timeout: 150_000 };

let product: Product;
let browser: Browser;
let own: OwnServer;
let visit: Visit;
let client: TestClient;
let id = 0;

beforeAll(async () => {
  [product, browser, own] = await Promise.all([startProduct(), startBrowser(), startOwnServer()]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  const { request } = visit.page;
  id = await addConnection(request, { ...placeOf(own), name: NAME, is_monitored: true });
  await readOften(request, id, { pg_stat_activity: 5 });
  client = await openClient(own.cluster, 'shop');
});

afterAll(async () => {
  await client?.end();
  await browser?.close();
  await Promise.all([product?.stop(), own?.stop()]);
});

/** Audits every look, and leaves the page wide again. */
async function looks(page: Page, name: string): Promise<string[]> {
  const faults = await faultsOfEachLook(page, name);
  await page.setViewportSize(WIDE);
  return faults;
}

it('tightens a rule for one server, whose inheritance it shows', async () => {
  const { page } = visit;
  const row = await findRule(page, { id, name: NAME }, RULE);
  await row.getByRole('cell', { name: 'more than 5 min', exact: true }).waitFor();
  await row.getByRole('button', { name: `Change ${RULE}` }).press('Enter');
  const dialog = page.getByRole('dialog', { name: `Change ${RULE}` });
  expect(await dialog.getByLabel('Change it for').inputValue()).toBe('server');
  await dialog.getByLabel('Threshold').fill('two');
  await page.keyboard.press('Enter');
  await dialog.getByText('A number, such as 80 or 0.5.').waitFor();
  await dialog.getByLabel('Threshold').fill('2');
  const preview = dialog.getByRole('region', { name: 'What it would have done' });
  await preview
    .getByRole('status')
    .filter({ hasText: /^(Would .*|Nothing was measured) in 30 days/ })
    .waitFor();
  expect(await looks(page, 'alert-rule-editor')).toEqual([]);
  await dialog.getByLabel('Threshold').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await row.getByRole('cell', { name: `Server ${NAME}`, exact: true }).waitFor();
  await row.getByRole('cell', { name: 'more than 2 s', exact: true }).waitFor();
  await page.getByLabel('Search rules').fill('');
  expect(await looks(page, 'alert-rules')).toEqual([]);
});

it('sees the alert in the list, the navigation, the title, the estate and at its server', async () => {
  const { page } = visit;
  await client.query('create table stock (id int)');
  await client.query('begin');
  await client.query(LOCK);
  await navigation(page)
    .getByRole('link', { name: /^Alerts/ })
    .press('Enter');
  await page.goto(`/alerts?server=${id}&group=rule`);
  const title = page.getByRole('link', { name: TITLE, exact: true });
  await title.waitFor(LONG);
  await page.getByText('alert > 2 s', { exact: true }).waitFor();
  expect(await looks(page, 'alerts')).toEqual([]);
  await navigation(page)
    .getByRole('link', { name: /^Alerts \d+ active$/ })
    .waitFor(LONG);
  await expect.poll(() => page.title()).toMatch(/^\(\d+\) Alerts · Matriarch$/);
  await page.goto('/');
  const row = page.getByRole('row').filter({ hasText: NAME });
  await row
    .getByRole('link', { name: /active alerts?$/ })
    .first()
    .press('Enter');
  await page.waitForURL(`**/alerts?server=${id}`);
  await page.goto(`/servers/${id}`);
  await page.getByRole('region', { name: 'Alerts of the server' }).locator('summary').press('Enter');
  await page.getByRole('list', { name: 'Open alerts' }).getByRole('link', { name: TITLE }).waitFor();
  await keepPicture(page, 'server-with-alert');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('list', { name: 'Open alerts' }).getByRole('link', { name: TITLE }).press('Enter');
});

it('says what it means, where the threshold is set, what to do and what was going on', async () => {
  const { page } = visit;
  await page.getByRole('heading', { name: TITLE, level: 1 }).waitFor();
  await page
    .getByText(
      'Make the application commit or roll back. As a safeguard, set idle_in_transaction_session_timeout.',
    )
    .waitFor();
  await page.getByText(/where state like 'idle in transaction%'/).waitFor();
  await page.getByRole('figure').getByRole('slider').waitFor();
  await page.getByText('Nowhere: no notification was queued for it.').waitFor();
  expect(await looks(page, 'alert')).toEqual([]);
  const address = page.url();
  await page.getByRole('link', { name: 'set for this server' }).press('Enter');
  await page.getByRole('heading', { name: 'Alert rules', level: 1 }).waitFor();
  await page.getByRole('cell', { name: `Server ${NAME}`, exact: true }).waitFor();
  await page.getByRole('cell', { name: 'more than 2 s', exact: true }).waitFor();
  // What was measured meanwhile is drawn with the threshold.
  await page.getByRole('button', { name: `Change ${RULE}` }).press('Enter');
  const preview = page.getByRole('region', { name: 'What it would have done' });
  await preview.getByText(/^Would have fired 1 time in 30 days/).waitFor();
  await preview.getByRole('figure').getByRole('slider').waitFor();
  expect(await looks(page, 'alert-rule-backtest')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.goto(address);
  await page.getByRole('link', { name: 'Sessions at that moment' }).press('Enter');
  await page.getByRole('heading', { name: NAME, level: 1 }).waitFor();
  expect(new URL(page.url()).searchParams.get('at')).toMatch(/Z$/);
  await page.goto(address);
});

it('takes it on with a word, gives it back, and takes it on again', async () => {
  const { page } = visit;
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Acknowledge the alert' });
  await dialog.getByLabel('Message').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const message = dialog.getByLabel('Message');
  await expect.poll(() => message.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.type('Calling the shop.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Calling the shop.').first().waitFor();
  await page.getByRole('button', { name: 'Take back' }).press('Enter');
  await page.getByRole('button', { name: 'Take it back' }).press('Enter');
  const history = page.getByRole('table', { name: 'What happened to the alert' });
  await history.getByText('Acknowledgement taken back').waitFor();
  await page.goto(`/alerts?server=${id}`);
  // By its letter, from the link of the alert.
  await page.getByRole('link', { name: TITLE, exact: true }).press('a');
  await dialog.getByRole('button', { name: 'Acknowledge' }).press('Enter');
  await page.getByRole('button', { name: `Take back: ${TITLE} on ${NAME}` }).waitFor();
});

it('sees what follows from it as one incident, by letters, and who has what of it', async () => {
  const { page } = visit;
  const waiter = await openClient(own.cluster, 'payroll');
  await waiter.query('begin');
  const waits = waiter.begin(LOCK);
  await page.goto(`/alerts?server=${id}`);
  const row = page.getByRole('row').filter({ hasText: INCIDENT });
  await row.waitFor(LONG);
  await row.getByText('1 of 2', { exact: true }).waitFor();
  await row.getByText(`PID ${client.pid} of "shop", idle in transaction, blocks 1 session`).waitFor(LONG);
  await page.reload();
  await row.waitFor();
  await page.keyboard.press('j');
  const link = page.getByRole('link', { name: INCIDENT, exact: true });
  const isFocused = () => link.evaluate((one) => one === document.activeElement);
  await expect.poll(isFocused).toBe(true);
  await page.keyboard.press('ArrowRight');
  const follower = page.getByRole('link', { name: 'Longest lock wait', exact: true });
  await follower.waitFor();
  expect(await looks(page, 'incidents')).toEqual([]);
  await link.focus();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect.poll(() => follower.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog', { name: 'Acknowledge the alert' });
  await dialog.getByRole('button', { name: 'Acknowledge' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await row.getByRole('button', { name: /^Take back: / }).waitFor();
  await link.press('s');
  const silence = page.getByRole('dialog', { name: 'Silence for 1 hour?' });
  await silence.getByText(new RegExp(`^Server ${NAME}: no new alert`)).waitFor();
  expect(await looks(page, 'incident-silence')).toEqual([]);
  await silence.getByRole('button', { name: 'Cancel' }).press('Enter');
  await silence.waitFor({ state: 'detached' });
  await client.query('commit');
  await waits;
  await waiter.end();
});

it('chooses what the list has in a sheet from below on a phone, which follows each choice', async () => {
  const { page, faults } = await openPage(browser, product.url, { viewport: NARROW, session: visit.context });
  await page.goto('/alerts');
  const opener = page.getByRole('button', { name: 'Filters' });
  await opener.click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await sheet.getByLabel('Severity').selectOption('critical');
  expect(page.url()).toContain('severity=critical');
  await keepPicture(page, 'alerts-filters-narrow');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
  expect(await opener.innerText()).toContain('1 set');
  await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(faults).toEqual([]);
});

it('sees it cleared once the transaction is over, and finds it among those of the day', async () => {
  const { page, faults } = visit;
  // A busy machine may have alerts of its own.
  await page
    .getByRole('link', { name: TITLE })
    .first()
    .waitFor({ state: 'detached', ...LONG });
  await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Cleared' });
  // The one that followed from it names it as well.
  const title = page.getByRole('link', { name: TITLE, exact: true }).and(page.locator('[data-row-link]'));
  await title.waitFor();
  expect(await looks(page, 'alerts-cleared')).toEqual([]);
  await title.press('Enter');
  const history = page.getByRole('table', { name: 'What happened to the alert' });
  await history.getByText(/^Cleared/).waitFor();
  expect(faults).toEqual([]);
});
