// Identity and access in a browser: an administrator makes a user, a group and a grant, and the user sees exactly that
// server; a token is shown once, works and is revoked; what is refused stays in the form; hostile names stay text.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { HOSTILE } from './src/own-server.ts';
import { accessibilityFaults, openPage, sidewaysScroll, type Visit } from './src/pages.ts';
import { PASSWORD, settleIn, signIn } from './src/people.ts';
import { addGroup, addMember, goTo, grantServer, panel, rowOf } from './src/steps.ts';
import { addConnection, NOWHERE } from './src/watched.ts';

let product: Product;
let browser: Browser;
let admin: Visit;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
  for (const name of ['orders', 'payroll']) await addConnection(admin.context.request, { ...NOWHERE, name });
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it('makes a user, and keeps what was typed while it is refused', async () => {
  const { page } = admin;
  await goTo(page, 'Users');
  await page.getByRole('button', { name: 'Add a user' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a user' });
  await dialog.getByLabel('User name').fill('ADMIN');
  await dialog.getByLabel('Password', { exact: true }).fill('short');
  await dialog.getByLabel('Display name').fill('Eve Ort');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('At least 12 characters; this has 5.').waitFor();
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  expect(await dialog.getByRole('alert').innerText()).toMatch(/admin/i);
  expect(await dialog.getByLabel('Display name').inputValue()).toBe('Eve Ort');
  expect(await dialog.getByLabel('Password', { exact: true }).inputValue()).toBe(PASSWORD);
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByLabel('User name').fill('eve');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await rowOf(page, 'eve').getByText('Enabled').waitFor();
});

it('says in the form that the last superuser stays', async () => {
  const { page } = admin;
  await page.getByRole('button', { name: 'Change admin' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change admin' });
  await dialog.getByLabel('Note').fill('the first one');
  await dialog.getByLabel('Enabled').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/You cannot disable your own account/)
    .waitFor();
  expect(await dialog.getByLabel('Enabled').isChecked()).toBe(false);
  expect(await dialog.getByLabel('Note').inputValue()).toBe('the first one');
  await dialog.getByRole('button', { name: 'Delete…' }).click();
  const question = page.getByRole('dialog', { name: 'Delete admin?' });
  await question.getByText('Servers and server groups that it owned become yours.').waitFor();
  await question.getByRole('button', { name: 'Delete the user' }).click();
  await question.getByRole('alert').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
});

it('gives a group one server, and its member sees exactly that one', async () => {
  const { page } = admin;
  await addGroup(page, 'on call');
  await addMember(page, 'eve');
  await panel(page, 'Members').getByRole('button', { name: 'Remove eve' }).waitFor();
  await grantServer(page, 'orders');
  const servers = panel(page, 'Servers');
  expect(await servers.getByLabel('Level on orders').inputValue()).toBe('read');
  await panel(page, 'In effect')
    .getByRole('row', { name: /orders Read Set here/ })
    .waitFor();

  const eve = await openPage(browser, product.url);
  await eve.page.goto('/sign-in');
  await signIn(eve.page, 'eve');
  await rowOf(eve.page, 'orders').waitFor();
  const listed = await eve.context.request.get('/api/v1/connections');
  expect((await listed.json()).map(({ name }: { name: string }) => name)).toEqual(['orders']);
  expect(await eve.page.getByText('payroll').count()).toBe(0);
  expect(await eve.page.getByRole('navigation', { name: 'Administration' }).count()).toBe(0);
  await eve.page.goto('/admin/users');
  await eve.page.getByText('You may not see the users').waitFor();
  await eve.page.goto('/account');
  await eve.page.getByText('Through the groups on call.').waitFor();
  await panel(eve.page, 'Servers')
    .getByRole('row', { name: /orders/ })
    .waitFor();
  expect(await accessibilityFaults(eve.page)).toEqual([]);
  expect(eve.faults).toEqual([]);

  await servers.getByRole('button', { name: 'Remove orders' }).click();
  await servers.getByText('No server is granted to this group.').waitFor();
  expect(await (await eve.context.request.get('/api/v1/connections')).json()).toEqual([]);
  await grantServer(page, 'orders');
});

it('says of a nested group what it inherits, and refuses a circle in words', async () => {
  const { page } = admin;
  const context = admin.context.request;
  const { id } = await (await context.post('/api/v1/rbac/groups', { data: { name: 'interns' } })).json();
  await page.reload();
  const members = panel(page, 'Members');
  await addMember(page, 'interns');
  await members.getByRole('link', { name: 'interns' }).click();
  await page.getByRole('heading', { name: 'interns', level: 1 }).waitFor();
  await panel(page, 'In effect')
    .getByRole('row', { name: /orders Read on call/ })
    .waitFor();
  await addMember(page, 'on call');
  await members.getByRole('alert').waitFor();
  expect(page.url()).toContain(`/admin/groups/${id}`);
});

it('grants tools and permissions, and the effective access says from where', async () => {
  const { page } = admin;
  await page.getByLabel('count_rows').check();
  await panel(page, 'MCP tools').getByRole('button', { name: 'Save' }).click();
  await panel(page, 'In effect')
    .getByRole('row', { name: /MCP: count_rows/ })
    .waitFor();
  await page.getByLabel('manage_blackouts').check();
  await panel(page, 'Admin permissions').getByRole('button', { name: 'Save' }).click();
  await panel(page, 'In effect')
    .getByRole('row', { name: /manage_blackouts/ })
    .waitFor();
  await addMember(page, 'eve');
  await panel(page, 'Members').getByRole('button', { name: 'Remove eve' }).waitFor();
  await goTo(page, 'Effective access');
  await page.getByLabel('Find a user or token').first().fill('eve');
  await page.getByRole('button', { name: 'Show access eve' }).click();
  await page.getByRole('heading', { name: 'Access of eve' }).waitFor();
  const row = (name: RegExp) => page.getByRole('row', { name });
  await row(/^orders yes no on call \(read\)/).waitFor();
  await row(/^payroll no no/).waitFor();
  await row(/^manage_blackouts .* yes interns/).waitFor();
  await row(/^count_rows yes interns/).waitFor();
  await row(/^test_query yes Open to all users/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('shows a token once; it works within its scope, and not after it is revoked', async () => {
  const { page } = admin;
  await goTo(page, 'Tokens');
  await page.getByRole('button', { name: 'Create a token' }).first().click();
  let dialog = page.getByRole('dialog', { name: 'Create a token' });
  await dialog.getByLabel('Name', { exact: true }).fill('dashboard');
  await panel(page, 'Servers').getByText('Only these').click();
  await dialog.getByRole('button', { name: 'Create the token' }).click();
  await dialog.getByText('Choose at least one, or say “Nothing”.').waitFor();
  await panel(page, 'Servers').getByRole('button', { name: 'Choose orders' }).click();
  await panel(page, 'Admin permissions').getByText('Nothing', { exact: true }).click();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Create the token' }).click();
  dialog = page.getByRole('dialog', { name: 'The new token' });
  const token = (await dialog.locator('pre').innerText()).trim();
  expect(token).toMatch(/^mat_/);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'I have kept it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await rowOf(page, 'dashboard').getByText('1 server · no permission', { exact: true }).waitFor();
  expect(await page.content()).not.toContain(token);
  const use = () =>
    fetch(`${product.url}/api/v1/connections`, { headers: { authorization: `Bearer ${token}` } });
  expect((await (await use()).json()).map(({ name }: { name: string }) => name)).toEqual(['orders']);

  await page.getByRole('link', { name: 'Access of dashboard' }).click();
  await page.getByRole('row', { name: /^payroll no no .*Cut by the scope/ }).waitFor();
  await page.getByRole('row', { name: /^orders yes no .*Cut by the scope to read/ }).waitFor();
  await goTo(page, 'Tokens');
  await page.getByRole('button', { name: 'Scope of dashboard' }).click();
  const scope = page.getByRole('dialog', { name: 'Scope of dashboard' });
  await scope.getByRole('button', { name: 'Take all limits away' }).click();
  await scope.getByRole('button', { name: 'Save the scope' }).click();
  await scope.waitFor({ state: 'detached' });
  await rowOf(page, 'dashboard').getByText('Unrestricted', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Revoke dashboard' }).click();
  await page.getByRole('button', { name: 'Revoke the token' }).click();
  await page.getByText('No token yet').waitFor();
  expect((await use()).status).toBe(401);
});

it('shows what happened in the audit log, filtered by the address', async () => {
  const { page } = admin;
  await goTo(page, 'Audit log');
  await page.getByLabel('Action').selectOption('token.create');
  await page.getByRole('row', { name: /Created a token token dashboard .*username admin/ }).waitFor();
  expect(page.url()).toContain('action=token.create');
  await page.getByRole('link', { name: 'Created a token' }).click();
  const details = page.getByRole('dialog', { name: 'Details of the event' });
  await details.getByText('Place in the log').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });
  await page.getByLabel('Who').fill('nobody-of-that-name');
  await page.getByText('Nothing was recorded that fits').waitFor();
  await page.reload();
  expect(await page.getByLabel('Who').inputValue()).toBe('nobody-of-that-name');
  await page.getByText('Nothing was recorded that fits').waitFor();
});

it('draws hostile names as text, on narrow screens too', async () => {
  const context = admin.context.request;
  const long = 'W'.repeat(255);
  for (const data of [
    { username: 'mallory', password: PASSWORD, display_name: HOSTILE, annotation: '\u202egnp.exe' },
    { username: `long-${'x'.repeat(120)}`, password: PASSWORD, display_name: long, email: long },
  ])
    expect((await context.post('/api/v1/rbac/users', { data })).status()).toBe(201);
  const made = [];
  for (const name of [HOSTILE, long])
    made.push(
      await (
        await context.post('/api/v1/rbac/groups', { data: { name, description: `\u202e${long}` } })
      ).json(),
    );
  for (const annotation of [HOSTILE, long])
    expect(
      (
        await context.post('/api/v1/rbac/tokens', { data: { owner_username: 'mallory', annotation } })
      ).status(),
    ).toBe(201);
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const { page, faults } = await openPage(browser, product.url, { viewport, session: admin.context });
    for (const path of [
      'users',
      'groups',
      `groups/${made[0].id}`,
      `groups/${made[1].id}`,
      'tokens',
      'access',
      'audit',
    ]) {
      await page.goto(`/admin/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
      expect(await sidewaysScroll(page), `${path} at ${viewport.width}`).toBe(0);
      expect(await page.locator('img').count()).toBe(0);
    }
    expect(await page.evaluate(() => 'hit' in window)).toBe(false);
    expect(faults).toEqual([]);
    await page.context().close();
  }
});
