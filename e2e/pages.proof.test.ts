// Every page in light and dark, wide and narrow: free of accessibility faults, never scrolling sideways. With
// MATRIARCH_PICTURES=1 the pictures stay in e2e/artifacts for people to look at.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { type OwnServer, startOwnServer } from './src/own-server.ts';
import {
  accessibilityFaults,
  faultsInEveryLook,
  keepPicture,
  NARROW,
  openPage,
  sidewaysScroll,
  startLook,
  type Visit,
} from './src/pages.ts';
import { settleIn } from './src/people.ts';
import { addConnection, placeOf } from './src/watched.ts';

let product: Product;
let browser: Browser;
let own: OwnServer;
let admin: Visit;

async function addConnections(): Promise<void> {
  const place = { ...placeOf(own), is_monitored: true };
  const bodies = [
    {
      ...place,
      name: 'orders-primary',
      description: 'Orders, Frankfurt',
      is_shared: true,
    },
    { ...place, name: 'billing', description: 'Nothing listens there', port: 1 },
    { ...place, name: 'old-crm', is_monitored: false },
  ];
  for (const data of bodies) await addConnection(admin.context.request, data);
}

beforeAll(async () => {
  [product, browser, own] = await Promise.all([startProduct(), startBrowser(), startOwnServer()]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
  await addConnections();
  const row = (name: string) => admin.page.getByRole('row').filter({ hasText: name });
  await row('orders-primary').getByText('Online').waitFor();
  await row('billing').getByText('Cannot connect').waitFor();
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([product?.stop(), own?.stop()]);
});

const PAGES = [
  { name: 'estate', path: '/', ready: 'Estate' },
  { name: 'estate-sorted', path: '/?sort=-load&groups=1', ready: 'Estate' },
  { name: 'server', path: '/servers/2', ready: 'Top queries' },
  { name: 'server-settings', path: '/servers/2?tab=settings', ready: 'Key settings' },
  { name: 'server-extensions', path: '/servers/2?tab=extensions', ready: 'Extensions' },
  { name: 'server-coverage', path: '/servers/2?tab=coverage', ready: 'Coverage' },
  { name: 'server-queries', path: '/servers/1?tab=queries', ready: 'Statements' },
  { name: 'statement-unknown', path: '/servers/1/queries/1', ready: 'Statement 1' },
  { name: 'server-probes', path: '/servers/2?tab=probes', ready: 'Probes' },
  { name: 'server-databases', path: '/servers/2?tab=databases', ready: 'Databases' },
  { name: 'server-tables', path: '/servers/2?tab=tables&system=with', ready: 'Tables' },
  // Over midnight the bar names two days.
  { name: 'server-tables-day', path: '/servers/2?tab=tables&range=24h', ready: 'Tables' },
  { name: 'server-indexes', path: '/servers/2?tab=indexes&system=with', ready: 'Indexes' },
  { name: 'server-replication', path: '/servers/1?tab=replication', ready: 'Standbys and subscribers' },
  { name: 'server-system', path: '/servers/1?tab=system', ready: 'Volumes' },
  { name: 'server-timeline', path: '/servers/2?tab=timeline&range=24h', ready: 'Timeline' },
  { name: 'server-logs', path: '/servers/2?tab=logs&range=24h', ready: 'Turn on log reading' },
  { name: 'runway', path: '/runway', ready: 'Runway' },
  { name: 'report', path: '/report', ready: 'What to do next' },
  { name: 'timeline', path: '/timeline', ready: 'Timeline' },
  { name: 'logs', path: '/logs', ready: 'Logs' },
  { name: 'probes', path: '/probes', ready: 'Probes' },
  { name: 'server-offline', path: '/servers/3', ready: 'billing' },
  { name: 'server-embedded', path: '/servers/1', ready: 'Top queries' },
  { name: 'add', path: '/servers/new', ready: 'Add a server' },
  { name: 'edit', path: '/servers/2/edit', ready: 'Connection' },
  { name: 'plan', path: '/plan', ready: 'Paste a plan' },
  { name: 'assistants', path: '/assistants', ready: 'Tools' },
  { name: 'models', path: '/models', ready: 'Models' },
  { name: 'account', path: '/account', ready: 'Account' },
  { name: 'not-found', path: '/no/such/page', ready: 'Page not found' },
  { name: 'channels-empty', path: '/channels', ready: 'Notification channels' },
  { name: 'channel-new', path: '/channels/new', ready: 'Add a channel' },
];

describe('every page', () => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await openPage(browser, product.url, { session: admin.context });
  });

  it.each(PAGES.map((page, index) => ({ ...page, index })))('$name', async ({ index, name, path, ready }) => {
    const { page } = visit;
    await startLook(page, index);
    await page.goto(path);
    await page.getByRole('heading', { name: ready, exact: true }).first().waitFor();
    await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
    expect(await faultsInEveryLook(page, index, name)).toEqual([]);
  });

  it('met no script error and no breach of the content policy', () => {
    expect(visit.faults).toEqual([]);
  });
});

it('shows all tabs of a server in one line at 1,440 px', async () => {
  const { page } = await openPage(browser, product.url, {
    session: admin.context,
    viewport: { width: 1440, height: 900 },
  });
  await page.goto('/servers/2');
  const tabs = page.getByRole('navigation').filter({ has: page.getByRole('link', { name: 'Replication' }) });
  await tabs.getByRole('link', { name: 'Probes' }).waitFor();
  const tops = await tabs
    .getByRole('link')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(tops.length).toBeGreaterThan(10);
  expect(new Set(tops).size).toBe(1);
});

it('begins what is wrong and what runs out within the first 200 px at 1,440 px', async () => {
  const { page } = await openPage(browser, product.url, { session: admin.context });
  for (const path of ['/alerts', '/findings', '/runway']) {
    await page.goto(path);
    const first = page.locator('main tbody tr').first();
    await first.waitFor();
    expect((await first.boundingBox())?.y, path).toBeLessThan(205);
  }
});

it('cuts the name of a server before the other crumbs of a statement at 1,440 px', async () => {
  const { page } = await openPage(browser, product.url, { session: admin.context });
  await page.goto('/servers/1/queries/1?range=24h');
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link');
  await crumbs.filter({ hasText: 'Matriarch datastore' }).waitFor();
  await page.getByRole('button', { name: 'Last 24h' }).waitFor();
  const cut = () =>
    crumbs.evaluateAll((all: HTMLAnchorElement[]) =>
      all
        .filter(
          ({ clientWidth, scrollWidth, href }) => scrollWidth > clientWidth && !href.endsWith('/servers/1'),
        )
        .map(({ textContent }) => textContent),
    );
  await expect.poll(cut).toEqual([]);
});

it('signs in on a narrow dark screen', async () => {
  const { page } = await openPage(browser, product.url, { dark: true, viewport: NARROW });
  await page.goto('/sign-in');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await keepPicture(page, 'sign-in-dark-390');
  expect(await sidewaysScroll(page)).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('opens the navigation on a narrow screen and goes to a server', async () => {
  const { page } = await openPage(browser, product.url, { viewport: NARROW, session: admin.context });
  await page.goto('/');
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  const drawer = page.getByRole('dialog', { name: 'Navigation' });
  await drawer.getByLabel('Find a server').fill('orders');
  expect(await accessibilityFaults(page)).toEqual([]);
  await drawer.getByRole('treeitem', { name: /orders-primary/ }).click();
  await page.getByRole('heading', { name: 'orders-primary', level: 1 }).waitFor();
  await expect.poll(() => drawer.count()).toBe(0);
});

it('turns dark and compact at a wish, and remembers it', async () => {
  const { page } = await openPage(browser, product.url, { session: admin.context });
  await page.goto('/account');
  // Who asked for less motion gets none, not thousands of very short ones.
  await page.evaluate(() =>
    addEventListener('transitionrun', () => document.body.setAttribute('data-moved', '')),
  );
  await page.getByText('Dark', { exact: true }).click();
  await page.getByText('Compact', { exact: true }).click();
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
  expect(await page.locator('body[data-moved]').count()).toBe(0);
  await page.goto('/');
  const root = page.locator('html[data-mantine-color-scheme=dark][data-density=compact]');
  await root.waitFor({ state: 'attached' });
  await page.getByRole('table').waitFor();
  await keepPicture(page, 'estate-compact-dark-1440');
});
