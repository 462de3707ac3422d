// Access to a cluster in a browser: a colleague becomes a reader of one cluster in three clicks at most, sees the server
// that comes later, and is told why; a group gets a server group; what was given is taken back.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, faultsOfEachLook, keepPicture, openPage, type Visit } from './src/pages.ts';
import { PASSWORD, settleIn, signIn } from './src/people.ts';
import { panel, rowOf } from './src/steps.ts';
import { addConnection, NOWHERE } from './src/watched.ts';

let product: Product;
let browser: Browser;
let admin: Visit;
let cluster: number;
let late: number;

const request = () => admin.context.request;

async function made(path: string, data: object): Promise<number> {
  const response = await request().post(path, { data });
  expect(response.status(), await response.text()).toBe(201);
  const { id }: { id: number | string } = await response.json();
  return Number(String(id).replace(/\D/g, ''));
}

async function join(connection: number): Promise<void> {
  const data = { cluster_id: cluster, membership_source: 'manual', role: '' };
  const response = await request().put(`/api/v1/connections/${connection}/cluster`, { data });
  expect(response.status(), await response.text()).toBe(200);
}

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
  const group_id = await made('/api/v1/cluster-groups', { name: 'shop' });
  cluster = await made('/api/v1/clusters', { name: 'orders', group_id });
  const [first = 0, second = 0, third = 0] = [
    await addConnection(request(), { ...NOWHERE, name: 'orders-1' }),
    await addConnection(request(), { ...NOWHERE, name: 'orders-2' }),
    await addConnection(request(), { ...NOWHERE, name: 'orders-3' }),
  ];
  await addConnection(request(), { ...NOWHERE, name: 'payroll' });
  for (const id of [first, second]) await join(id);
  late = third;
  await made('/api/v1/rbac/users', { username: 'eve', password: PASSWORD });
  await made('/api/v1/rbac/groups', { name: 'on call' });
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

/** Counts the clicks that the page gets from now on. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    document.documentElement.dataset.clicks = '0';
    document.addEventListener(
      'click',
      ({ isTrusted }) => {
        const { dataset } = document.documentElement;
        if (isTrusted) dataset.clicks = String(Number(dataset.clicks) + 1);
      },
      true,
    );
  });
  return async () => Number(await page.locator('html').getAttribute('data-clicks'));
}

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name: `Access to ${name}` });
const whoHas = (page: Page, name: string) =>
  dialogOf(page, name).getByRole('list', { name: 'Who has access' });

async function namesSeenBy(visit: Visit): Promise<string[]> {
  const listed = await visit.context.request.get('/api/v1/connections');
  const rows: { name: string }[] = await listed.json();
  return rows.map(({ name }) => name).sort();
}

it('makes a colleague a reader of one cluster in three clicks at most', async () => {
  const { page } = admin;
  await page.goto(`/clusters/cluster-${cluster}`);
  await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole('button', { name: 'Access', exact: true }).click();
  await dialogOf(page, 'orders').getByRole('button', { name: 'Add eve' }).click();
  await whoHas(page, 'orders')
    .getByRole('listitem')
    .filter({ hasText: /eve user\s*Read/ })
    .waitFor();
  expect(await clicks()).toBeGreaterThan(0);
  expect(await clicks()).toBeLessThanOrEqual(3);
  expect(await faultsOfEachLook(page, 'cluster-access')).toEqual([]);

  const eve = await openPage(browser, product.url);
  await eve.page.goto('/sign-in');
  await signIn(eve.page, 'eve');
  await rowOf(eve.page, 'orders-1').waitFor();
  expect(await namesSeenBy(eve)).toEqual(['orders-1', 'orders-2']);
  await join(late);
  expect(await namesSeenBy(eve)).toEqual(['orders-1', 'orders-2', 'orders-3']);
  expect(eve.faults).toEqual([]);
});

it('says in the effective access that it comes through the cluster', async () => {
  const { page } = admin;
  const users = await (await request().get('/api/v1/rbac/users')).json();
  const { id } = users.users.find(({ username }: { username: string }) => username === 'eve');
  await page.goto(`/admin/access?user=${id}`);
  await panel(page, 'Servers')
    .getByRole('row', { name: /orders-3 yes no orders: read \(read through cluster orders\)/ })
    .waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('gives a server group to a group by the keyboard, and takes both back', async () => {
  const { page } = admin;
  await page.goto('/clusters');
  const menu = page.getByRole('button', { name: 'Change shop', exact: true });
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Access…' }).press('Enter');
  const dialog = dialogOf(page, 'shop');
  await dialog.getByText('Read and write', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Add on call' }).press('Enter');
  await whoHas(page, 'shop').getByRole('button', { name: 'Remove on call' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.goto(`/clusters/cluster-${cluster}`);
  await page.getByRole('button', { name: 'Access', exact: true }).click();
  const list = whoHas(page, 'orders');
  await list.getByText('through the server group shop').waitFor();
  await list.getByRole('button', { name: 'Remove eve' }).click();
  await list.getByText('eve', { exact: true }).waitFor({ state: 'detached' });

  const groups = await (await request().get('/api/v1/rbac/groups')).json();
  const { id } = groups.groups.find(({ name }: { name: string }) => name === 'on call');
  await page.goto(`/admin/groups/${id}`);
  const scopes = panel(page, 'Servers').getByRole('list', { name: 'Clusters and server groups' });
  await scopes.getByText('server group, 3 servers, those to come too').waitFor();
  await panel(page, 'In effect')
    .getByRole('row', { name: /orders-1 Read and write Set here/ })
    .waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await keepPicture(page, 'group-with-cluster');
  await scopes.getByRole('button', { name: 'Remove shop' }).click();
  await panel(page, 'Servers').getByText('No server is granted to this group.').waitFor();
  expect(admin.faults).toEqual([]);
});
