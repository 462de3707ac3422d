// The report as somebody reads, prints and schedules it: of a server with findings, in every look without faults, on paper with
// what it says and nothing that only works on a screen, and by mail to a server of our own.
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MailPeer, startMailPeer } from '../server/src/testing/channels/mail-peer.ts';
import { openClient, type TestClient } from '../server/src/testing/servers/client.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { type OwnServer, startOwnServer } from './src/own-server.ts';
import { faultsOfEachLook, keepPaper, openPage, type Visit, WIDE } from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { navigation } from './src/steps.ts';
import { addConnection, makeSuperfluousIndex, placeOf } from './src/watched.ts';

const NAME = 'orders-primary';
const LONG = { timeout: 240_000 };

let product: Product;
let browser: Browser;
let own: OwnServer;
let visit: Visit;
let client: TestClient;
let mail: MailPeer;
let id = 0;

beforeAll(async () => {
  const flags = ['--channels-allow-private-networks', '--channels-group-seconds', '0'];
  [product, browser, own, mail] = await Promise.all([
    startProduct(...flags),
    startBrowser(),
    startOwnServer(),
    startMailPeer(),
  ]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  client = await openClient(own.cluster, 'shop');
  await makeSuperfluousIndex(client, 'customer_name');
  id = await addConnection(visit.page.request, { ...placeOf(own), name: NAME, is_monitored: true });
});

afterAll(async () => {
  await client?.end();
  await browser?.close();
  await Promise.all([product?.stop(), own?.stop(), mail?.stop()]);
});

it('tells what is new of a server, from the navigation, by keyboard and in every look', async () => {
  const { page, faults } = visit;
  await page.goto(`/servers/${id}?tab=findings`);
  await page
    .getByRole('link', { name: /customer_name/ })
    .first()
    .waitFor(LONG);
  await navigation(page).getByRole('link', { name: 'Report', exact: true }).press('Enter');
  await page.getByRole('heading', { name: 'Report', level: 1 }).waitFor();
  await page.getByRole('list', { name: 'What to do next' }).getByRole('listitem').first().waitFor(LONG);
  await page.getByText('Each of them').press('Enter');
  const found = page.getByRole('list', { name: 'Inventory, each finding' });
  await found.getByRole('link', { name: /customer_name" of/ }).waitFor(LONG);
  await page.getByRole('combobox', { name: 'Cluster or server' }).focus();
  await page.keyboard.type(NAME);
  await expect.poll(() => new URL(page.url()).searchParams.get('server')).toBe(String(id));
  await page.getByText(new RegExp(`^${NAME}: .*[1-9]\\d* in the inventory`)).waitFor();
  expect(await faultsOfEachLook(page, 'report')).toEqual([]);
  await page.setViewportSize(WIDE);
  expect(faults).toEqual([]);
});

it('is handed on as Markdown, and printed with what it says', async () => {
  const { page } = visit;
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Markdown', exact: true }).press('Enter'),
  ]);
  const markdown = readFileSync(await file.path(), 'utf8');
  expect(markdown).toMatch(/^# Report of \d{4}-\d{2}-\d{2} to /);
  expect(markdown).toContain('customer\\_name');
  const paper = await keepPaper(page, 'report');
  await page.emulateMedia({ media: 'print' });
  await page.getByText(new RegExp(`^${NAME}: .*\\d+ in the inventory`)).waitFor();
  for (const name of ['Markdown', 'Print'])
    expect(await page.getByRole('button', { name }).isVisible()).toBe(false);
  expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
  await page.emulateMedia({ media: null });
  expect(paper.subarray(0, 5).toString()).toBe('%PDF-');
});

async function addMailChannel(): Promise<void> {
  const { request } = visit.page;
  const place = {
    smtp_host: '127.0.0.1',
    smtp_port: mail.port,
    smtp_use_tls: false,
    from_address: 'm@example.com',
  };
  const data = { channel_type: 'email', name: 'Mail of the team', ...place };
  const made = await request.post('/api/v1/notification-channels', { data });
  expect(made.status(), await made.text()).toBe(201);
  const path = `/api/v1/notification-channels/${(await made.json()).id}/recipients`;
  await request.post(path, { data: { email_address: 'ada@example.com' } });
}

it('is scheduled for Mondays by the clock of whoever does it, looked at, and sent at once', async () => {
  const { page, faults } = visit;
  await page.getByText('Reports go by a channel of type email, and there is none yet.').waitFor();
  await addMailChannel();
  await page.reload();
  await page.getByRole('button', { name: 'Send this report on a schedule' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Send this report on a schedule' });
  const next = dialog.getByRole('list', { name: 'Next reports' }).getByRole('listitem');
  await next
    .filter({ hasText: /^Mon \d+ \w+ \d{4} 08:00 UTC/ })
    .nth(4)
    .waitFor();
  expect(await faultsOfEachLook(page, 'report-schedule')).toEqual([]);
  await page.setViewportSize(WIDE);
  await dialog.getByRole('button', { name: 'Create the schedule' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('list', { name: 'Schedules of reports' }).getByRole('listitem');
  await row.getByText(/^Every Monday at 08:00, /).waitFor();
  await row.getByRole('button', { name: /^Preview/ }).press('Enter');
  await page
    .getByRole('region', { name: 'The report as text' })
    .getByText(/customer_name/)
    .waitFor();
  await page.getByText('To: ada@example.com').waitFor();
  expect(await faultsOfEachLook(page, 'report-preview')).toEqual([]);
  await page.setViewportSize(WIDE);
  await page.keyboard.press('Escape');
  await row.getByRole('button', { name: /^Send now/ }).press('Enter');
  await row.getByText(/The mail server took the message for 1 recipient\./).waitFor(LONG);
  const sent = mail.mails.find(({ source }) => source.includes('Subject: Report: orders-primary'));
  expect(sent?.to).toEqual(['ada@example.com']);
  expect(sent?.source.replaceAll(/=\r?\n/g, '')).toContain('customer_name');
  expect(await faultsOfEachLook(page, 'report-schedules')).toEqual([]);
  await page.setViewportSize(WIDE);
  await row.getByRole('button', { name: /^Delete/ }).press('Enter');
  await page.getByRole('button', { name: 'Delete it' }).press('Enter');
  await page.getByText('No report is sent on a schedule yet.').waitFor();
  expect(faults).toEqual([]);
});
