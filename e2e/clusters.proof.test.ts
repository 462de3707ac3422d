// Arranging a real primary and its standby: detection puts them into one cluster, people name it, move it, pin and give
// back; who may not manage connections sees all of it and changes nothing.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { accessibilityFaults, faultsOfEachLook, openPage, type Visit } from './src/pages.ts';
import { PASSWORD, settleIn, signIn } from './src/people.ts';
import { type Pair, startPair } from './src/replication.ts';
import { changeByMenu, makeClusterGroup, panel, unfold } from './src/steps.ts';
import { addConnection } from './src/watched.ts';

let product: Product;
let browser: Browser;
let pair: Pair;
let visit: Visit;

/** Clusters with their servers, each with those that stream from it, as the API has them. */
interface TreeNode {
  name: string;
  clusters?: TreeNode[];
  servers?: TreeNode[];
  children?: TreeNode[];
}

/** The server or cluster of that name, and what is within it. */
function known(name: string, among: readonly TreeNode[]): TreeNode | undefined {
  for (const one of among) {
    const found =
      one.name === name
        ? one
        : known(name, [...(one.clusters ?? []), ...(one.servers ?? []), ...(one.children ?? [])]);
    if (found) return found;
  }
  return undefined;
}

/** Waits for detection, in the API: a page that is loaded again and again would take a processor. */
async function detected(server: string, within: string): Promise<void> {
  await expect
    .poll(async () => {
      const tree: TreeNode[] = await (await visit.context.request.get('/api/v1/clusters')).json();
      const holder = known(within, tree);
      return holder && known(server, [...(holder.servers ?? []), ...(holder.children ?? [])])?.name;
    })
    .toBe(server);
}

const add = (body: Record<string, unknown>) => addConnection(visit.context.request, body);

beforeAll(async () => {
  [product, browser, pair] = await Promise.all([startProduct(), startBrowser(), startPair()]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  await add(pair.connection(pair.primary, 'orders-primary'));
  await add(pair.connection(pair.standby, 'orders-standby'));
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([product?.stop(), pair?.stop()]);
});

const serversOf = (within: Locator | Page, cluster: string) =>
  within.getByRole('list', { name: `Servers of ${cluster}`, exact: true });
const tree = (page: Page) => page.getByRole('tree', { name: 'Servers' });

it('shows both as one cluster, the standby under its primary', async () => {
  const { page } = visit;
  await (await unfold(page, 'Set up')).getByRole('link', { name: 'Clusters', exact: true }).click();
  await page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor();
  await detected('orders-standby', 'orders-primary');
  await page.reload();
  await page.getByRole('list', { name: 'Streaming from orders-primary' }).waitFor();
  await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
  expect(await serversOf(page, 'orders').innerText()).toMatch(
    /orders-primary[\s\S]*Primary[\s\S]*orders-standby[\s\S]*Standby/,
  );
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('is walked by keyboard in the navigation, and remembers what is closed', async () => {
  const { page } = visit;
  const item = (name: string) => tree(page).getByRole('treeitem', { name: new RegExp(name) });
  await page.getByLabel('Find a server').fill('orders-st');
  await expect.poll(() => tree(page).getByRole('treeitem').count()).toBe(3);
  await page.getByLabel('Find a server').press('Escape');
  await item('orders-primary').focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.locator(':focus').innerText()).toMatch(/orders-standby/);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => item('orders-primary').getAttribute('aria-expanded')).toBe('false');
  await page.reload();
  await item('orders-primary').waitFor();
  expect(await item('orders-primary').getAttribute('aria-expanded')).toBe('false');
  await item('orders-primary').focus();
  await page.keyboard.press('ArrowRight');
  await item('orders-standby').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'orders-standby', level: 1 }).waitFor();
});

it('keeps a name through further rounds of detection', async () => {
  const { page } = visit;
  await page.goto('/clusters');
  await changeByMenu(page, 'orders', 'Edit the description…');
  const dialog = page.getByRole('dialog', { name: 'Describe orders' });
  await dialog.getByLabel('Description').fill('Whatever customers buy');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Whatever customers buy').waitFor();
  await changeByMenu(page, 'orders', 'Rename');
  const field = page.getByLabel('Name of orders');
  await field.fill('Shop');
  await field.press('Enter');
  await serversOf(page, 'Shop').waitFor();
  // A further way to the primary is put into the cluster by a round that comes after the renaming.
  await add(pair.connection(pair.primary, 'orders-again'));
  await detected('orders-again', 'Shop');
  await page.reload();
  await serversOf(page, 'Shop').getByText('orders-again').waitFor();
  await page.getByText('Whatever customers buy').waitFor();
});

it('moves a cluster to a group by dragging, and by the keyboard', async () => {
  const { page } = visit;
  await makeClusterGroup(page, 'Production');
  await page.getByRole('link', { name: 'Shop', exact: true }).hover();
  await page.mouse.down();
  await panel(page, 'Production').getByText('No cluster is in it').hover();
  await panel(page, 'Production').getByText('No cluster is in it').hover();
  await page.mouse.up();
  await serversOf(panel(page, 'Production'), 'Shop').waitFor();
  await page.getByText('Shop was moved to Production.').waitFor();
  await expect
    .poll(() =>
      tree(page)
        .getByRole('treeitem', { name: /Production/ })
        .count(),
    )
    .toBe(1);
  await page.getByRole('button', { name: 'Change Shop', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Move to a group…' }).press('Enter');
  const moving = page.getByRole('dialog', { name: 'Move Shop to a group' });
  await moving.getByLabel('Group').selectOption({ label: 'Ungrouped' });
  await moving.getByRole('button', { name: 'Move', exact: true }).press('Enter');
  await serversOf(panel(page, 'Ungrouped'), 'Shop').waitFor();
});

it('takes a server out, pins it, and gives it back to detection', async () => {
  const { page } = visit;
  const standby = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'orders-standby', exact: true }) })
    .last();
  await changeByMenu(page, 'orders-standby', 'Take out of the cluster');
  await expect.poll(() => serversOf(page, 'Shop').innerText()).not.toMatch(/orders-standby/);
  await standby.getByText('Pinned').waitFor();
  await page.getByRole('link', { name: 'orders-standby', exact: true }).hover();
  await page.mouse.down();
  await page.getByRole('link', { name: 'Shop', exact: true }).hover();
  await page.getByRole('link', { name: 'Shop', exact: true }).hover();
  await page.mouse.up();
  await expect.poll(() => serversOf(page, 'Shop').innerText()).toMatch(/orders-standby[\s\S]*Pinned/);
  await changeByMenu(page, 'orders-standby', 'Give back to detection');
  await page.getByText('orders-standby was given back to detection.').waitFor();
  await expect.poll(() => serversOf(page, 'Shop').innerText()).not.toMatch(/Pinned/);
});

it('hides a detected cluster and brings it back', async () => {
  const { page } = visit;
  await changeByMenu(page, 'Shop', 'Dismiss…');
  const dialog = page.getByRole('dialog', { name: 'Dismiss Shop?' });
  await dialog.getByText('its 3 servers are shown as single servers').waitFor();
  await dialog.getByRole('button', { name: 'Dismiss the cluster' }).click();
  await expect.poll(() => serversOf(page, 'Shop').count()).toBe(0);
  await page.getByRole('button', { name: 'Bring back Shop' }).click();
  await expect.poll(() => serversOf(page, 'Shop').innerText()).toMatch(/orders-standby/);
});

it('shows the lag of a stream in the picture, in full when it is chosen, and as a table', async () => {
  const { page } = visit;
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor();
  const edge = page.getByRole('button', { name: /orders-standby streams from orders-primary: \d/ });
  await edge.waitFor();
  await edge.click();
  const panel = page.getByRole('region', { name: 'orders-standby streams from orders-primary' });
  expect(await panel.innerText()).toMatch(
    /Measured on orders-primary[\s\S]*streaming[\s\S]*Write lag[\s\S]*Slot orders_standby[\s\S]*In use/,
  );
  const table = page.getByRole('table', { name: /Replication between the servers/ });
  expect(await table.getByRole('row').nth(1).innerText()).toMatch(
    /orders-standby streams from orders-primary/,
  );
  expect(page.url()).toMatch(/link=\d+-\d+-streams_from/);
});

it('takes relationships by hand, and takes them back', async () => {
  const { page } = visit;
  const editor = page.getByRole('region', { name: 'Set by hand' });
  await editor.getByLabel('Server', { exact: true }).selectOption({ label: 'orders-again' });
  await editor.getByLabel('Relationship').selectOption({ label: 'replicates with' });
  await editor.getByLabel('Other server').selectOption({ label: 'orders-standby' });
  await editor.getByRole('button', { name: 'Add' }).click();
  await page
    .getByRole('button', { name: /^orders-again replicates with orders-standby: lag not known/ })
    .waitFor();
  await editor.getByRole('button', { name: 'Remove: orders-again replicates with orders-standby' }).click();
  await expect
    .poll(() => page.getByRole('button', { name: /^orders-again replicates with orders-standby/ }).count())
    .toBe(0);
});

it('is told on the page of a server, which is moved from there', async () => {
  const { page } = visit;
  await page.goto('/clusters');
  await page.getByRole('main').getByRole('link', { name: 'orders-again', exact: true }).click();
  await page
    .getByRole('navigation', { name: 'Parts of the server' })
    .getByRole('link', { name: 'Replication', exact: true })
    .click();
  const panel = page.getByRole('region', { name: 'Cluster', exact: true });
  await panel.getByRole('link', { name: 'Shop' }).waitFor();
  await panel.getByText('Follows detection').waitFor();
  await panel.getByRole('button', { name: 'Move…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move orders-again' });
  await dialog.getByLabel('Cluster').selectOption({ label: 'None (a cluster of its own)' });
  await dialog.getByRole('button', { name: 'Move and pin' }).click();
  await panel.getByText('None (a cluster of its own)').waitFor();
  await panel.getByText('Pinned').waitFor();
  await panel.getByRole('button', { name: 'Give back to detection' }).click();
  await panel.getByRole('link', { name: 'Shop' }).waitFor();
});

describe('every look', () => {
  let looked: Visit;
  beforeAll(async () => {
    looked = await openPage(browser, product.url, { session: visit.context });
  });

  it('the clusters are readable, fit and have no fault', async () => {
    const { page } = looked;
    await page.goto('/clusters');
    await serversOf(page, 'Shop').waitFor();
    await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
    expect(await faultsOfEachLook(page, 'clusters')).toEqual([]);
  });

  it('so do one of them with the lag of a stream', async () => {
    const { page } = looked;
    await page.getByRole('link', { name: 'Shop', exact: true }).click();
    await page.getByRole('button', { name: /orders-standby streams from orders-primary: / }).click();
    await page.getByRole('region', { name: 'orders-standby streams from orders-primary' }).waitFor();
    await page.getByRole('figure', { name: 'Lag', exact: true }).waitFor();
    expect(await faultsOfEachLook(page, 'cluster')).toEqual([]);
  });

  it('and a server in it', async () => {
    const { page, faults } = looked;
    await page.getByRole('main').getByRole('link', { name: 'orders-standby' }).first().click();
    // On a narrow page the parts of a server are a list to choose from.
    await page.waitForURL(/\/servers\/\d+/);
    await page.goto(`${new URL(page.url()).pathname}?tab=replication`);
    await page.getByRole('region', { name: 'Cluster', exact: true }).getByText('streams from').waitFor();
    expect(await faultsOfEachLook(page, 'server-in-cluster')).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

it('is read by whoever may not manage connections, and not changed', async () => {
  await product.command(['user', 'create', 'eve'], `${PASSWORD}\n`);
  const { page } = await openPage(browser, product.url);
  await page.goto('/sign-in');
  await signIn(page, 'eve');
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  await page.goto('/clusters');
  await serversOf(page, 'Shop').getByRole('link', { name: 'orders-standby', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /^Change |^New / }).count()).toBe(0);
  expect(await page.locator('main [draggable="true"]').count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  await page.getByRole('table', { name: /Replication between the servers/ }).waitFor();
  expect(await page.getByRole('region', { name: 'Set by hand' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Arrange' }).count()).toBe(0);
});
