// Notification channels by keyboard, with a web server and a mail server of their own: one is added with its messages seen
// before anything is sent, tried well and badly with the words of the other side, changed without losing what is stored,
// and its deliveries are seen, waiting and sent; in every look without faults.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpPeer, startHttpPeer } from '../server/src/testing/channels/http-peer.ts';
import { type MailPeer, startMailPeer } from '../server/src/testing/channels/mail-peer.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, faultsOfEachLook, openPage, type Visit, WIDE } from './src/pages.ts';
import { PASSWORD, settleIn, signIn } from './src/people.ts';
import { unfold } from './src/steps.ts';
import { addConnection, NOWHERE } from './src/watched.ts';

const TOKEN = 'canary-51f0-token';
const NAME = 'Hook of the shop';
/** An alert may wait for two samples and the next evaluation. */
const LONG = { timeout: 150_000 };

let product: Product;
let browser: Browser;
let peer: HttpPeer;
let mail: MailPeer;
let visit: Visit;

beforeAll(async () => {
  const flags = ['--channels-allow-private-networks', '--channels-group-seconds', '0'];
  [product, browser, peer, mail] = await Promise.all([
    startProduct(...flags),
    startBrowser(),
    startHttpPeer(),
    startMailPeer(),
  ]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  await product.command(['user', 'create', 'eve'], `${PASSWORD}\n`);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([product?.stop(), peer?.stop(), mail?.stop()]);
});

/** Audits every look, and leaves the page wide again. */
async function looks(page: Page, name: string): Promise<string[]> {
  const faults = await faultsOfEachLook(page, name);
  await page.setViewportSize(WIDE);
  return faults;
}

const field = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true });
const secret = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const isFocused = (page: Page, label: string) =>
  expect.poll(() => field(page, label).evaluate((one) => one === document.activeElement)).toBe(true);
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).press('Enter');
const notice = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

it('says what channels are for, and what a new one lacks, at its fields', async () => {
  const { page } = visit;
  await (await unfold(page, 'Set up')).getByRole('link', { name: 'Channels', exact: true }).press('Enter');
  await page.getByText('No channel yet').waitFor();
  expect(await looks(page, 'channels-none')).toEqual([]);
  await page.getByRole('link', { name: 'Add a channel' }).first().press('Enter');
  await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Webhook' });
  await press(page, 'Add the channel');
  await notice(page, 'Type a name, such as On call.');
  await notice(page, 'Address is needed.');
  await isFocused(page, 'Name');
  await page.keyboard.type(NAME);
  await field(page, 'Address').fill('ftp://shop.example.com/');
  await page.getByLabel('Sign in with', { exact: true }).selectOption('bearer');
  await secret(page, 'Credentials').fill(TOKEN);
  await press(page, 'Add the channel');
  await notice(page, 'Address must be an http:// or https:// address.');
  await isFocused(page, 'Address');
  expect(await secret(page, 'Credentials').inputValue()).toBe(TOKEN);
  expect(await field(page, 'Name').inputValue()).toBe(NAME);
});

it('shows a message while it is written, and adds the channel', async () => {
  const { page } = visit;
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('"notification_type": "alert_fire"').waitFor();
  await field(page, 'Address').fill(`${peer.url}/hook`);
  await field(page, 'Template').fill('{"text": "{{.Nonsense}}"}');
  await preview.getByText(/^The template has no field \.Nonsense/).waitFor();
  await field(page, 'Template').fill('{"text": "{{.Severity}}: {{.AlertTitle}}"}');
  await preview.getByText(/"text": "warning: \w+/).waitFor();
  await press(page, 'Add a header');
  await page.getByRole('group', { name: 'Headers' }).getByLabel('Name').fill('X-Team');
  await page.getByRole('group', { name: 'Headers' }).getByLabel('Value', { exact: true }).fill('shop');
  await page.getByRole('checkbox', { name: 'Notify for all servers' }).press('Space');
  expect(await looks(page, 'channel-add')).toEqual([]);
  await press(page, 'Add the channel');
  await page.getByRole('heading', { name: NAME, level: 1 }).waitFor();
});

it('tries it, and shows what the other side really answers, well and badly, without the secret', async () => {
  const { page } = visit;
  const test = page.getByRole('region', { name: 'Test' });
  peer.answer = { status: 202, body: '{"taken": "with thanks"}' };
  await test.getByRole('button', { name: 'Send a test' }).press('Enter');
  await test.getByText('{"taken": "with thanks"}').waitFor();
  await test.getByText(/^Delivered in \d/).waitFor();
  expect(peer.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'x-team': 'shop' });
  peer.answer = { status: 500, body: `<b>upstream is down</b> for Bearer ${TOKEN}` };
  await test.getByRole('button', { name: 'Send another test' }).press('Enter');
  await test.getByText('<b>upstream is down</b> for Bearer [redacted]').waitFor();
  await test.getByText('The other side has a fault of its own. (HTTP 500)').waitFor();
  await test.getByText('Its answer, HTTP 500').waitFor();
  expect(await page.content()).not.toContain(TOKEN);
  expect(await looks(page, 'channel-test')).toEqual([]);
});

it('is changed without losing what is stored, which goes nowhere else', async () => {
  const { page } = visit;
  await field(page, 'Description').fill('Who sells');
  await field(page, 'Address').fill(`${peer.url}/elsewhere`);
  await press(page, 'Save changes');
  const words =
    'Enter Credentials, the header X-Team again, or clear it: what is stored is not sent to another address or without TLS.';
  await notice(page, words);
  expect(await page.getByText(words, { exact: true }).count()).toBe(2);
  expect(await field(page, 'Description').inputValue()).toBe('Who sells');
  expect(await accessibilityFaults(page)).toEqual([]);
  await field(page, 'Address').fill(`${peer.url}/hook`);
  await press(page, 'Save changes');
  await page.getByText(/^Saved\./).waitFor();
  expect(await field(page, 'Description').inputValue()).toBe('Who sells');
  expect(await secret(page, 'Credentials').inputValue()).toBe('');
  peer.answer = { status: 200 };
  await press(page, 'Send a test');
  await page.getByText(/^It answered with status 200 and no text/).waitFor();
  expect(peer.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'x-team': 'shop' });
});

it('shows deliveries that wait with why and until when, has them tried at once, and says when one was taken', async () => {
  const { page } = visit;
  peer.answer = { status: 503, body: 'closed for today' };
  await addConnection(page.request, { ...NOWHERE, name: 'billing', is_monitored: true });
  await page.getByRole('link', { name: /^Deliveries/ }).press('Enter');
  await page.getByText('That it fired').first().waitFor(LONG);
  await page.getByText('The other side has a fault of its own. (HTTP 503)').first().waitFor(LONG);
  await page
    .getByText(/^\d+ attempts?$/)
    .first()
    .press('Enter');
  expect(await looks(page, 'channel-deliveries')).toEqual([]);
  await page.goto('/channels');
  const row = page.getByRole('row').filter({ hasText: NAME });
  await row.getByText('Failing', { exact: true }).waitFor();
  await row.getByText(/HTTP 503.*Tried again/).waitFor();
  expect(await looks(page, 'channels')).toEqual([]);
  peer.answer = { status: 200 };
  // Another server of the estate may have an alert meanwhile.
  await row.getByRole('link', { name: /^\d+$/ }).press('Enter');
  await page.getByRole('heading', { name: NAME, level: 1 }).waitFor();
  await page.getByLabel('State', { exact: true }).selectOption({ label: 'Every state' });
  await page
    .getByRole('button', { name: /^(Try now|Send again): / })
    .first()
    .press('Enter');
  await page
    .getByRole('row')
    .filter({ hasText: 'That it fired' })
    .getByText('Sent', { exact: true })
    .first()
    .waitFor(LONG);
  await page.goto('/channels');
  await row.getByText('On', { exact: true }).waitFor();
  await row.getByRole('time').waitFor();
});

it('writes mails to recipients, and shows what the mail server says', async () => {
  const { page } = visit;
  await page.goto('/channels/new');
  await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Email' });
  await field(page, 'Name').fill('Mail of the shop');
  await field(page, 'Mail server').fill('127.0.0.1');
  await field(page, 'Port').fill(String(mail.port));
  await field(page, 'From address').fill('matriarch@example.com');
  await page.getByRole('checkbox', { name: 'Use TLS' }).press('Space');
  await press(page, 'Add it, then name recipients');
  await page.getByRole('heading', { name: 'Mail of the shop', level: 1 }).waitFor();
  const recipients = page.getByRole('region', { name: 'Recipients' });
  await recipients.getByLabel('Mail address').fill('ada');
  await recipients.getByRole('button', { name: 'Add a recipient' }).press('Enter');
  await recipients.getByText('Mail address must be an email address such as ada@example.com.').waitFor();
  await recipients.getByLabel('Mail address').fill('ada@example.com');
  await recipients.getByLabel('Called').fill('Ada');
  await recipients.getByLabel('Called').press('Enter');
  await recipients.getByRole('checkbox', { name: 'Write to ada@example.com' }).waitFor();
  const test = page.getByRole('region', { name: 'Test' });
  await test.getByRole('button', { name: 'Send a test' }).press('Enter');
  await test.getByText('Its answer, SMTP 250').waitFor();
  expect(mail.mails.at(-1)?.to).toEqual(['ada@example.com']);
  mail.refuse = { data: 554 };
  await test.getByLabel('To', { exact: true }).fill('bob@example.com');
  await test.getByLabel('To', { exact: true }).press('Enter');
  await test.getByText('554 a mail server that says secret-words').waitFor();
  expect(await looks(page, 'channel-mail')).toEqual([]);
});

it('routes alerts of a server elsewhere than those of the estate, and shows what is inherited', async () => {
  const { page } = visit;
  await page.goto('/channels?tab=routing');
  const choice = page.getByLabel(`${NAME}: Whole estate`);
  await choice.waitFor();
  expect(await choice.inputValue()).toBe('told');
  await page.getByLabel('For', { exact: true }).selectOption({ label: 'A server' });
  await page.getByLabel('Server', { exact: true }).selectOption({ label: 'billing' });
  const own = page.getByLabel(`${NAME}: Server billing`);
  await own.getByText('As Whole estate: notified').waitFor({ state: 'attached' });
  await own.selectOption({ label: 'Not notified' });
  const row = page.getByRole('row').filter({ hasText: NAME });
  await row.getByText('Server billing', { exact: true }).waitFor();
  expect(await looks(page, 'channels-routing')).toEqual([]);
  await own.selectOption({ label: 'As Whole estate: notified' });
  await row.getByText('Whole estate', { exact: true }).waitFor();
});

it('deletes a channel after a question', async () => {
  const { page } = visit;
  await page.goto('/channels');
  await page.getByRole('link', { name: 'Mail of the shop' }).press('Enter');
  await press(page, 'Delete…');
  const dialog = page.getByRole('dialog', { name: 'Delete Mail of the shop?' });
  await dialog.getByText(/It sends no more messages/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete the channel' }).press('Enter');
  await page.getByRole('heading', { name: 'Notification channels', level: 1 }).waitFor();
  await page.getByRole('link', { name: NAME }).waitFor();
  await page.getByRole('link', { name: 'Mail of the shop' }).waitFor({ state: 'detached' });
});

it('shows those without the right which channels there are, and why no more', async () => {
  const { page, faults } = await openPage(browser, product.url);
  await page.goto('/channels');
  await signIn(page, 'eve');
  await page.getByText(NAME).waitFor();
  await page.getByText(/is for those with the permission manage_notification_channels/).waitFor();
  expect(await page.getByRole('link', { name: NAME }).count()).toBe(0);
  expect(await looks(page, 'channels-reader')).toEqual([]);
  await page.goto('/channels/1');
  await page.getByText('You may not manage notification channels').waitFor();
  await page.goto('/channels?tab=routing');
  await page.getByText('Changing it needs the permission').waitFor();
  expect(await page.getByLabel(`${NAME}: Whole estate`).count()).toBe(0);
  expect([...faults, ...visit.faults]).toEqual([]);
});
