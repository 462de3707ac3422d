// One person's first day, in the order of the tests: every room of the interface is entered once. What is looked at more
// closely, in each look and over real seconds, is in the proofs beside this.
import os from 'node:os';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpPeer, startHttpPeer } from '../server/src/testing/channels/http-peer.ts';
import { openClient, type TestClient } from '../server/src/testing/servers/client.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { type OwnServer, startOwnServer } from './src/own-server.ts';
import { accessibilityFaults, keepPicture, openPage, sidewaysScroll, type Visit } from './src/pages.ts';
import { PASSWORD, signIn } from './src/people.ts';
import {
  addGroup,
  addMember,
  changeByMenu,
  draftBlackout,
  findingOf,
  findRule,
  goTo,
  grantServer,
  makeClusterGroup,
  navigation,
  openEditor,
  panel,
  press,
  rowOf,
  stopBlackout,
  unfold,
} from './src/steps.ts';
import { addConnection, makeSuperfluousIndex, NOWHERE, SUPERFLUOUS } from './src/watched.ts';

const DATASTORE = 'Matriarch datastore';
const OWN = { id: 2, name: 'orders-primary' };
const INDEX = 'customer_name';

let product: Product;
let browser: Browser;
let own: OwnServer;
let peer: HttpPeer;
let client: TestClient;
let visit: Visit;

beforeAll(async () => {
  const flags = ['--channels-allow-private-networks', '--channels-group-seconds', '0'];
  [product, browser, own, peer] = await Promise.all([
    startProduct(...flags),
    startBrowser(),
    startOwnServer(),
    startHttpPeer(),
  ]);
  client = await openClient(own.cluster, 'shop');
  await makeSuperfluousIndex(client, INDEX);
  visit = await openPage(browser, product.url);
});

afterAll(async () => {
  await client?.end();
  await browser?.close();
  await Promise.all([product?.stop(), own?.stop(), peer?.stop()]);
});

it('signs in with the one-time link and leaves no trace of it in the address', async () => {
  const { page } = visit;
  await page.goto(product.adminLink);
  await page.getByRole('heading', { name: /^You are signed in as/ }).waitFor();
  expect(page.url()).toBe(`${product.url}/link`);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Later' }).click();
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  expect(await page.getByText('Your account has no password yet').isVisible()).toBe(true);
});

it('shows the embedded server with facts, and how to watch one’s own', async () => {
  const { page } = visit;
  await page.getByRole('heading', { name: 'Watch a server of your own' }).waitFor();
  const row = page.getByRole('table').getByRole('row').nth(1);
  await row.getByText('Online').waitFor();
  await row.getByText(/^primary · /).waitFor();
  await expect.poll(() => row.innerText()).toMatch(/\b18\.\d+/);
  await row.getByRole('link').first().press('Enter');
  await page.getByRole('region', { name: 'Now', exact: true }).getByText('Active sessions').waitFor();
  await page.getByLabel('Key figures').getByText('Cache hit ratio').waitFor();
  await page.getByRole('link', { name: 'System', exact: true }).click();
  await page.getByText(os.hostname(), { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Databases', exact: true }).click();
  await page.getByRole('table').getByText('postgres', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByText(/PostgreSQL 18\.\d+ on /).waitFor();
  // Among the key settings; the list of all of them comes below.
  await expect
    .poll(() =>
      page
        .getByRole('row', { name: /shared_buffers/ })
        .first()
        .innerText(),
    )
    .toMatch(/MB/);
  expect(new URL(page.url()).searchParams.get('tab')).toBe('settings');
});

it('sets a password, after which the reminder is gone', async () => {
  const { page } = visit;
  await page.getByRole('link', { name: 'Set a password' }).click();
  await page.getByLabel('New password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('At least 12 characters').waitFor();
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('The password was changed.').waitFor();
  await page.getByRole('link', { name: 'Estate', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  expect(await page.getByText('Your account has no password yet').count()).toBe(0);
});

it('signs out, refuses a wrong password in words, and signs in again', async () => {
  const { page } = visit;
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page, 'admin', 'not this one at all');
  await page.getByRole('alert').waitFor();
  await signIn(page, 'admin');
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
});

it('opens a link only once, and says how to get another', async () => {
  const { page } = await openPage(browser, product.url);
  await page.goto(product.adminLink);
  await page.getByRole('heading', { name: 'This link does not open' }).waitFor();
  expect(page.url()).not.toContain('#');
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('adds a server of one’s own by its address, tries it first, and has it watched within seconds', async () => {
  const { page } = visit;
  await page.getByRole('link', { name: 'Begin' }).click();
  await page.getByText('grant pg_monitor to "matriarch_monitor"').waitFor();
  await page.getByLabel('Connection URL').fill(own.url());
  await expect.poll(() => page.getByLabel('Role', { exact: true }).inputValue()).toBe(own.role);
  await page.getByLabel('Name', { exact: true }).fill(OWN.name);
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await page.getByText(/Ready to be monitored|Can be monitored, with gaps/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: /^(Add and monitor|Monitor with what I have now)$/ }).click();
  await page.getByRole('heading', { name: OWN.name, level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/servers/${OWN.id}`);
  await page.getByText('Online', { exact: true }).last().waitFor();
  await page
    .getByRole('navigation', { name: 'Parts of the server' })
    .getByRole('link', { name: 'Databases', exact: true })
    .click();
  await page.getByRole('table').getByText('orders', { exact: true }).first().waitFor();
  await addConnection(page.request, { ...NOWHERE, name: 'billing', is_monitored: true });
});

it('has a probe read more often and an alert rule tightened, for this server alone', async () => {
  const { page } = visit;
  await page.goto(`/servers/${OWN.id}?tab=probes`);
  const probe = 'pg_stat_activity';
  const editor = await openEditor(page, probe);
  await editor.getByLabel('Change it for').selectOption({ label: 'This server' });
  await editor.getByLabel('Interval in seconds').fill('4');
  await editor.getByRole('button', { name: 'Save' }).click();
  await editor.getByText('A whole number of seconds from 5 to 86,400').waitFor();
  await editor.getByLabel('Interval in seconds').fill('5');
  await editor.getByRole('button', { name: 'Save' }).click();
  await editor.waitFor({ state: 'detached' });
  await expect.poll(() => rowOf(page, probe).innerText()).toMatch(/every 5 s[\s\S]*This server/);

  const rule = 'idle_in_transaction';
  const row = await findRule(page, OWN, rule);
  const dialog = await openEditor(page, rule);
  await dialog.getByLabel('Threshold').fill('2');
  await dialog
    .getByRole('status')
    .filter({ hasText: /^(Would .*|Nothing was measured) in 30 days/ })
    .waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByLabel('Threshold').press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await row.getByRole('cell', { name: `Server ${OWN.name}`, exact: true }).waitFor();
  await row.getByRole('cell', { name: 'more than 2 s', exact: true }).waitFor();
  // Its alert is looked at further down, when it is there.
  await client.query('begin');
  await client.query('select 1');
});

it('adds a channel, and shows what the other side answers to a test', async () => {
  const { page } = visit;
  await page.goto('/channels/new');
  await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Webhook' });
  const field = (label: string) => page.getByRole('textbox', { name: label, exact: true });
  await field('Name').fill('Hook of the shop');
  await field('Address').fill(`${peer.url}/hook`);
  await panel(page, 'Preview').getByText('"notification_type": "alert_fire"').waitFor();
  await press(page, 'Add the channel');
  await page.getByRole('heading', { name: 'Hook of the shop', level: 1 }).waitFor();
  peer.answer = { status: 202, body: '{"taken": "with thanks"}' };
  await press(page, 'Send a test');
  await panel(page, 'Test').getByText('{"taken": "with thanks"}').waitFor();
  expect(peer.requests.at(-1)?.url).toBe('/hook');
});

it('keeps a server quiet for two hours, says so on its page, and ends it', async () => {
  const { page } = visit;
  const dialog = await draftBlackout(page, 'Minor upgrade.');
  await press(page, 'Create the silence');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('treeitem', { name: DATASTORE }).click();
  await page.getByText(/^Silenced until .*Minor upgrade\./).waitFor();
  await page.goBack();
  await stopBlackout(page);
});

it('gives a user one server by a group, of which a token reads as much, and the log tells it', async () => {
  const { page } = visit;
  await goTo(page, 'Users');
  await page.getByRole('button', { name: 'Add a user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a user' });
  await dialog.getByLabel('User name').fill('eve');
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await rowOf(page, 'eve').getByText('Enabled').waitFor();
  await addGroup(page, 'on call');
  await addMember(page, 'eve');
  await grantServer(page, OWN.name);

  const eve = await openPage(browser, product.url);
  await eve.page.goto('/sign-in');
  await signIn(eve.page, 'eve');
  await rowOf(eve.page, OWN.name).waitFor();
  expect(await eve.page.getByText(DATASTORE).count()).toBe(0);
  expect(await eve.page.getByRole('navigation', { name: 'Administration' }).count()).toBe(0);
  expect(eve.faults).toEqual([]);
  await eve.context.close();

  await goTo(page, 'Tokens');
  await page.getByRole('button', { name: 'Create a token' }).first().click();
  const making = page.getByRole('dialog', { name: 'Create a token' });
  await making.getByLabel('Name', { exact: true }).fill('dashboard');
  await panel(page, 'Servers').getByText('Only these').click();
  await panel(page, 'Servers')
    .getByRole('button', { name: `Choose ${OWN.name}` })
    .click();
  await making.getByRole('button', { name: 'Create the token' }).click();
  const shown = page.getByRole('dialog', { name: 'The new token' });
  const authorization = `Bearer ${(await shown.locator('pre').innerText()).trim()}`;
  await shown.getByRole('button', { name: 'I have kept it' }).click();
  const read = await fetch(`${product.url}/api/v1/connections`, { headers: { authorization } });
  expect((await read.json()).map(({ name }: { name: string }) => name)).toEqual([OWN.name]);
  await goTo(page, 'Audit log');
  await page.getByRole('row', { name: /Created a token token dashboard .*username admin/ }).waitFor();
});

it('answers a question about the server of the page, and gives the cursor back', async () => {
  const { page } = visit;
  await page.goto('/servers/1');
  await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
  await page.keyboard.press('Control+j');
  const chat = page.getByRole('complementary', { name: 'Chat' });
  expect(
    await chat.getByRole('textbox', { name: 'Question' }).evaluate((one) => one === document.activeElement),
  ).toBe(true);
  await chat.getByText('About server').waitFor();
  await chat.getByRole('button', { name: 'Who blocks whom?' }).click();
  await chat.getByText('Answered by rules, without a model.').waitFor();
  await keepPicture(page, 'chat-light-1440');
  expect(await accessibilityFaults(page)).toEqual([]);
  await chat.getByRole('textbox', { name: 'Question' }).press('Escape');
  await expect.poll(() => chat.count()).toBe(0);
  expect(
    await page.getByRole('button', { name: 'Chat' }).evaluate((one) => one === document.activeElement),
  ).toBe(true);
});

it('goes with Ctrl K and Enter to what is found first, and with Escape back', async () => {
  const { page } = visit;
  await page.goto('/');
  await page.getByRole('treeitem', { name: /Matriarch datastore/ }).waitFor();
  const field = page.getByRole('combobox', { name: 'Find anything' });
  await page.getByRole('link', { name: 'Clusters', exact: true }).focus();
  await page.keyboard.press('Control+k');
  await field.fill('datast');
  await page.getByRole('option', { name: /Matriarch datastore/ }).waitFor();
  await keepPicture(page, 'palette-light-1440');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Clusters');
  await page.keyboard.press('Control+k');
  await field.fill('datast');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/servers/1');
  await page.keyboard.press('Control+k');
  await field.fill('index');
  await page.getByRole('option', { name: /^Indexes/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/servers/1?tab=indexes');
  await page.keyboard.press('Control+k');
  await field.fill('timel');
  await page
    .getByRole('option', { name: /^Timeline/ })
    .first()
    .waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/timeline');
});

it('moves a server to a group of clusters, and opens its cluster', async () => {
  const { page } = visit;
  await (await unfold(page, 'Set up')).getByRole('link', { name: 'Clusters', exact: true }).click();
  await makeClusterGroup(page, 'Production');
  await changeByMenu(page, OWN.name, 'Move to a group…');
  const moving = page.getByRole('dialog', { name: `Move ${OWN.name} to a group` });
  await moving.getByLabel('Group').selectOption({ label: 'Production' });
  await moving.getByRole('button', { name: 'Move', exact: true }).click();
  await panel(page, 'Production').getByRole('link', { name: OWN.name, exact: true }).waitFor();
  await page.goto(`/clusters/server-${OWN.id}`);
  await page.getByRole('heading', { name: OWN.name, level: 1 }).waitFor();
});

/** Headings that have other words than what leads to them. */
const PAGES = new Map([['Channels', 'Notification channels']]);
const PARTS = new Map([
  ['Overview', 'Top queries'],
  ['Findings', 'Open findings'],
  ['Activity', 'Transactions'],
  ['Queries', 'Statements'],
  ['Replication', 'Standbys and subscribers'],
  ['System', 'Volumes'],
  ['Settings', 'Key settings'],
  ['Logs', 'Turn on log reading'],
]);
const FURTHER = [
  ['/findings/checks', 'Checks'],
  ['/account', 'Account'],
  [`/servers/${OWN.id}/edit`, `Edit ${OWN.name}`],
  ['/servers/1/queries/1', 'Statement 1'],
  ['/no/such/page', 'Page not found'],
] as const;

/** The page has come: with its heading, nothing on its way any more, no wider than the window. */
async function isWhole(heading: string, level: number): Promise<void> {
  const { page } = visit;
  await page.getByRole('main').getByRole('heading', { name: heading, exact: true, level }).first().waitFor();
  await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
  expect(await sidewaysScroll(page), heading).toBe(0);
}

/** Follows each link of these, which leads to a heading of its own words or of those given; answers how many there are. */
async function followEach(within: Locator, level: number, headings: Map<string, string>): Promise<number> {
  await within.getByRole('link').first().waitFor();
  const links = await within.getByRole('link').all();
  for (const link of links) {
    await link.click();
    // A count may stand in the next line.
    const title = (await link.innerText()).split('\n')[0] ?? '';
    await isWhole(headings.get(title) ?? title, level);
  }
  return links.length;
}

it('opens every page of the navigation, and the pages behind them', async () => {
  const { page } = visit;
  expect(await followEach(await unfold(page, 'Set up'), 1, PAGES)).toBeGreaterThanOrEqual(13);
  const administration = await unfold(page, 'Admin');
  expect(await followEach(administration, 1, PAGES)).toBeGreaterThanOrEqual(5);
  for (const [path, heading] of FURTHER) {
    await page.goto(path);
    await isWhole(heading, 1);
  }
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('opens every part of a server', async () => {
  const { page } = visit;
  await page.goto(`/servers/${OWN.id}`);
  await page.getByRole('heading', { name: OWN.name, level: 1 }).waitFor();
  const parts = page.getByRole('navigation', { name: 'Parts of the server' });
  expect(await followEach(parts, 2, PARTS)).toBeGreaterThanOrEqual(17);
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('mutes a finding with a reason and unmutes it, and the report tells of it', async () => {
  const { page } = visit;
  await page.goto(`/findings?server=${OWN.id}&category=indexes`);
  await findingOf(page, INDEX).first().press('Enter');
  await page.getByRole('heading', { name: SUPERFLUOUS, level: 2 }).waitFor();
  await page.getByText(`drop index concurrently "public"."${INDEX}";`).waitFor();
  await press(page, 'Mute');
  const dialog = page.getByRole('dialog', { name: 'Mute the finding' });
  await dialog.getByLabel(/^Reason/).fill('The report of the year needs it.');
  await dialog.getByRole('button', { name: '1 week' }).press('Enter');
  await dialog.getByLabel(/^Until/).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('The report of the year needs it.').waitFor();
  await press(page, 'Unmute');
  await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
  await press(page, 'Close the finding');
  await navigation(page).getByRole('link', { name: 'Report', exact: true }).click();
  await page.getByText('Each of them').click();
  const found = page.getByRole('list', { name: 'Inventory, each finding' });
  await found.getByRole('link', { name: new RegExp(`${INDEX}" of`) }).waitFor();
});

it('has the alert of the rule, takes it on with a word, and gives it back', async () => {
  const { page } = visit;
  const title = 'Session idle in transaction';
  await page.goto(`/alerts?server=${OWN.id}`);
  await page.getByRole('link', { name: title, exact: true }).press('Enter');
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  await page
    .getByText(
      'Make the application commit or roll back. As a safeguard, set idle_in_transaction_session_timeout.',
    )
    .waitFor();
  await press(page, 'Acknowledge');
  const dialog = page.getByRole('dialog', { name: 'Acknowledge the alert' });
  await dialog.getByLabel('Message').fill('Calling the shop.');
  await dialog.getByRole('button', { name: 'Acknowledge' }).press('Enter');
  await page.getByText('Calling the shop.').first().waitFor();
  await press(page, 'Take back');
  await press(page, 'Take it back');
  const history = page.getByRole('table', { name: 'What happened to the alert' });
  await history.getByText('Acknowledgement taken back').waitFor();
  await navigation(page)
    .getByRole('link', { name: /^Alerts \d+ active$/ })
    .waitFor();
});

it('met no script error and no breach of the content policy', () => {
  expect(visit.faults).toEqual([]);
});
