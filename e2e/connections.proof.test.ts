// A server of one's own: tried, added, watched, changed, deleted; and names from it that try to be markup.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { HOSTILE, type OwnServer, startOwnServer } from './src/own-server.ts';
import { accessibilityFaults, openPage, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';

let product: Product;
let browser: Browser;
let own: OwnServer;
let visit: Visit;

beforeAll(async () => {
  [product, browser, own] = await Promise.all([startProduct(), startBrowser(), startOwnServer()]);
  visit = await openPage(browser, product.url);
  await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await settleIn(visit.page, product.adminLink);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([product?.stop(), own?.stop()]);
});

it('shows the script for a least-privilege role before anything is tried', async () => {
  const { page } = visit;
  await page.getByRole('link', { name: 'Begin' }).click();
  await page.getByRole('heading', { name: 'Read-only monitoring role' }).waitFor();
  await page.getByText('grant pg_monitor to "matriarch_monitor"').waitFor();
  await page.getByLabel('Role', { exact: true }).fill('watcher');
  await page.getByText('grant pg_monitor to "watcher"').waitFor();
});

it('says which step failed, and keeps what was typed', async () => {
  const { page } = visit;
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') asked.push(request.postData() ?? '');
  });
  await page
    .getByLabel('Connection URL')
    .fill(own.url('canary-of-another-server').replace(own.cluster.host, 'db.invalid'));
  await expect.poll(() => page.getByLabel('Host', { exact: true }).inputValue()).toBe('db.invalid');
  await page.getByLabel('Connection URL').fill(own.url('').replace(':@', '@'));
  await expect.poll(() => page.getByLabel('Host', { exact: true }).inputValue()).toBe(own.cluster.host);
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
  await page.getByLabel('Connection URL').fill(own.url('wrong'));
  await page.getByText('Nothing is saved by a test').waitFor();
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText('Cannot be monitored like this').waitFor();
  expect(asked.join('')).not.toContain('canary-of-another-server');
  const steps = page.getByRole('listitem');
  await expect.poll(() => steps.filter({ hasText: 'Reach the port' }).innerText()).toMatch(/ms/);
  await expect.poll(() => steps.filter({ hasText: 'Sign in' }).innerText()).toMatch(/failed/);
  expect(await page.getByLabel('Host', { exact: true }).inputValue()).toBe(own.cluster.host);
  expect(await page.getByLabel('Port', { exact: true }).inputValue()).toBe(String(own.cluster.port));
  expect(await page.getByLabel('Role', { exact: true }).inputValue()).toBe(own.role);
  expect(page.url()).toBe(`${product.url}/servers/new`);
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('takes a connection string that is typed by hand', async () => {
  const { page } = await openPage(browser, product.url, { session: visit.context });
  await page.goto('/servers/new');
  const field = page.getByLabel('Connection URL');
  await field.pressSequentially('postgres://me@db.invalid:99999/x');
  await field.press('Enter');
  await page.getByText('The port must be a number from 1 to 65535').waitFor();
  expect(await field.inputValue()).toContain('99999');
  await field.fill('');
  await field.pressSequentially('postgres://me@db.invalid:6543/x');
  await field.press('Tab');
  await expect.poll(() => page.getByLabel('Port', { exact: true }).inputValue()).toBe('6543');
  expect(await field.inputValue()).toBe('');
  await field.fill('mysql://me@db.invalid/x');
  await page.getByText('This is the address of MySQL or MariaDB').waitFor();
  await page.context().close();
});

it('passes with the right password, and hands out the script for a least-privilege role', async () => {
  const { page } = visit;
  await page.getByLabel('Password', { exact: true }).fill(own.password);
  await page.getByText('The fields changed since this test').waitFor();
  await page.getByRole('button', { name: 'Test again' }).click();
  await page.getByText(/Ready to be monitored|Can be monitored, with gaps/).waitFor();
  const script = page.getByRole('figure', { name: 'SQL' });
  expect(await script.innerText()).toMatch(/pg_monitor/);
  await script.getByRole('button', { name: 'Copy' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/create role/i);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    script.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.sql$/);
});

it('refuses to add what is incomplete, at the field that is wrong', async () => {
  const { page } = visit;
  const database = page.getByLabel('Database', { exact: true });
  const before = await database.inputValue();
  await database.fill('');
  await page.getByRole('button', { name: /^(Add and monitor|Monitor with what I have now)$/ }).click();
  await page.getByText('Type the database to connect to.').waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')))
    .toBe('database_name');
  await database.fill(before);
  // Nobody named it yet: it is called by where it is.
  const name = page.getByLabel('Name', { exact: true });
  expect(await name.inputValue()).toBe('');
  expect(await name.getAttribute('placeholder')).toBe(`${own.cluster.host}:${own.cluster.port}`);
});

it('adds the server, which is watched within seconds', async () => {
  const { page } = visit;
  await page.getByLabel('Name', { exact: true }).fill('orders-primary');
  await page.getByLabel('Description').fill('Orders, Frankfurt');
  await page.getByRole('button', { name: /^(Add and monitor|Monitor with what I have now)$/ }).click();
  await page.getByRole('heading', { name: 'orders-primary', level: 1 }).waitFor();
  await page.getByText('Online', { exact: true }).last().waitFor();
  await page.getByRole('link', { name: /^Databases/ }).click();
  await page.getByRole('table').getByText('orders', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'Estate', exact: true }).first().click();
  const row = page.getByRole('row').filter({ hasText: 'orders-primary' });
  await row.getByText('Online').waitFor();
  await expect.poll(() => row.innerText()).toMatch(/\b17\.\d+/);
});

it('walks the table by keyboard, and keeps search and order in the address', async () => {
  const { page } = visit;
  await page.getByLabel('Search servers').fill('frankfurt');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(new URL(page.url()).searchParams.get('q')).toBe('frankfurt');
  await page.getByLabel('Search servers').press('Escape');
  await expect.poll(() => page.getByRole('row').count()).toBe(3);
  await page.getByRole('combobox', { name: 'Order' }).selectOption({ label: 'Size' });
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-size');
  await page.reload();
  await page.getByRole('row').nth(2).waitFor();
  expect(await page.getByRole('combobox', { name: 'Order' }).inputValue()).toBe('-size');
  const links = page.locator('[data-row-link]');
  await links.first().focus();
  await page.keyboard.press('ArrowDown');
  const second = await links.nth(1).innerText();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(second);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: second, level: 1 }).waitFor();
});

it('S14: shows a hostile database name as the text it is', async () => {
  const { page } = visit;
  await page.goto('/servers/2?tab=databases');
  await page.getByRole('table').getByText(HOSTILE, { exact: true }).first().waitFor();
  for (const [tab, shown] of [
    ['Extensions', 'table'],
    ['Coverage', 'table'],
    ['Overview', 'figure'],
  ] as const) {
    await page.getByRole('link', { name: new RegExp(`^${tab}`) }).click();
    await page.getByRole(shown).first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  }
  expect(await page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
});

it('says what is not known of a database nobody may enter, with the SQL that mends it', async () => {
  const { page } = visit;
  await page.goto('/servers/2?tab=coverage');
  const mend = page.getByRole('listitem').filter({ hasText: 'payroll' }).first();
  await mend.getByRole('button', { name: 'Copy' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/grant connect on database/i);
});

it('edits the connection without asking for the password again, unless it leads elsewhere', async () => {
  const { page } = visit;
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  const port = page.getByLabel('Port', { exact: true });
  const again = page.getByText(/^Type the password again: it was given for .* is sent nowhere else\.$/);
  await port.fill('1');
  await again.waitFor();
  for (const button of ['Test the connection', 'Save changes'])
    await page.getByRole('button', { name: button }).click();
  await page.getByText('Nothing is saved by a test').waitFor();
  expect(new URL(page.url()).pathname).toBe('/servers/2/edit');
  await port.fill(String(own.cluster.port));
  await expect.poll(() => again.count()).toBe(0);
  await page.getByLabel('Name', { exact: true }).fill('orders-renamed');
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText(/Ready to be monitored|Can be monitored, with gaps/).waitFor();
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'orders-renamed', level: 1, exact: true }).waitFor();
  await page.getByText('Online', { exact: true }).last().waitFor();
});

it('deletes only after the name was typed', async () => {
  const { page } = visit;
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type orders-renamed to confirm').fill('orders');
  expect(await dialog.getByRole('button', { name: 'Delete the connection' }).isDisabled()).toBe(true);
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByLabel('Type orders-renamed to confirm').fill('orders-renamed');
  await dialog.getByRole('button', { name: 'Delete the connection' }).click();
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  await expect.poll(() => page.getByText('orders-renamed').count()).toBe(0);
});

it('met no script error and no breach of the content policy', () => {
  expect(visit.faults).toEqual([]);
});
