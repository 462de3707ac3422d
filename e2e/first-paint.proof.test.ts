// What somebody sees on a slow network, and what a change of the theme does: the page says at once what it is, before
// styles and script have arrived, and nothing breaks its Content-Security-Policy.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { fetchedAhead, openPage, type Visit } from './src/pages.ts';
import { settleIn } from './src/people.ts';

let product: Product;
let browser: Browser;
let admin: Visit;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it.each([
  ['light', false, 'rgb(248, 246, 242)'],
  ['dark', true, 'rgb(20, 18, 16)'],
] as const)('paints in %s before styles and script have arrived', async (_name, dark, colour) => {
  const { page, context, faults } = await openPage(browser, product.url, { dark });
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\//, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto('/', { waitUntil: 'commit' });
  await page.getByText('Opening Matriarch…').waitFor();
  const painted = () =>
    page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  await expect.poll(painted).toBe(true);
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await background()).toBe(colour);
  held.resolve();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await page.getByText('Opening Matriarch…').count()).toBe(0);
  expect(faults).toEqual([]);
  await context.close();
});

it('asks for the code of a page of a server before what comes first has been read', async () => {
  const { page, context, faults } = await openPage(browser, product.url);
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/index-[^/]*\.js/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/assets\/server-page-[^/]*\.js/);
  await page.goto('/servers/1', { waitUntil: 'commit' });
  await asked;
  held.resolve();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

/** The addresses of the API that a page asks for while its code is held back, and after that. */
async function askedBy(
  visit: Visit,
  early: string,
  path = '/',
): Promise<{ before: string[]; after: string[] }> {
  const { page } = visit;
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/index-[^/]*\.js/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/v1/')) asked.push(pathname.slice('/api/v1/'.length) + search);
  });
  const replied = page.waitForResponse(`**/api/v1/${early}`);
  await page.goto(path, { waitUntil: 'commit' });
  await replied;
  await page.waitForTimeout(300);
  const before = asked.splice(0).sort();
  held.resolve();
  await page.getByText(/^Opening Matriarch/).waitFor({ state: 'detached' });
  await page.locator('h1').waitFor();
  return { before, after: asked };
}

it('asks for what the estate shows before its code is there, and not again', async () => {
  const visit = await openPage(browser, product.url, { session: admin.context });
  const { before, after } = await askedBy(visit, 'overview');
  const early = ['alerts/counts', 'clusters', 'estate', 'findings/counts', 'overview', 'user/info'];
  expect(before).toEqual(early);
  await visit.page
    .getByRole('region', { name: 'Overview' })
    .getByText(/^Written by/)
    .waitFor();
  expect(after.filter((path) => path !== 'clusters' && early.includes(path))).toEqual([]);
  expect(visit.faults).toEqual([]);
  await visit.context.close();
});

it('asks for what the overview of a server shows before its code is there, and not again', async () => {
  const visit = await openPage(browser, product.url, { session: admin.context });
  const { before, after } = await askedBy(visit, 'server-info/1', '/servers/1');
  const early = [
    'alerts?connection_id=1&exclude_cleared=true&limit=50',
    'blackouts?covers_connection_id=1&active=true&limit=100',
    'connections/1/coverage?brief=true',
    'connections/1/moment?limit=1000',
    'findings?state=open&connection_ids=1&limit=6',
    'runway?connection_id=1&kind=disk&limit=1',
    'server-info/1',
  ];
  expect(before).toEqual(expect.arrayContaining(early));
  await visit.page.getByRole('list', { name: 'What happens now' }).waitFor();
  await visit.page.getByRole('region', { name: 'Top queries' }).waitFor();
  // Coverage of a server whose probes have not all run is read again and again.
  expect(
    after.filter((path) => early.includes(path) && path !== 'connections/1/coverage?brief=true'),
  ).toEqual([]);
  expect(visit.faults).toEqual([]);
  await visit.context.close();
});

it('asks only for the user before a sign-in', async () => {
  const visit = await openPage(browser, product.url);
  const { before } = await askedBy(visit, 'user/info');
  expect(before).toEqual(['user/info']);
  expect(visit.faults).toEqual([]);
  await visit.context.close();
});

it('leads to the sign-in where the session has ended since, and asks only for the user from then on', async () => {
  const visit = await openPage(browser, product.url);
  const { page } = visit;
  await page.goto('/sign-in');
  const noted = () => page.evaluate(() => localStorage.getItem('matriarch-signed-in'));
  await page.evaluate(() => localStorage.setItem('matriarch-signed-in', 'yes'));
  await page.goto('/');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await expect.poll(noted).toBe('no');
  const { before } = await askedBy(visit, 'user/info');
  expect(before).toEqual(['user/info']);
  await visit.context.close();
});

it('changes the theme within its Content-Security-Policy, and sends its files compressed', async () => {
  const { page, context, faults } = await openPage(browser, product.url, { session: admin.context });
  const encodings = new Map<string, string | undefined>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (/\.(js|css)$/.test(pathname)) encodings.set(pathname, response.headers()['content-encoding']);
  });
  await page.goto('/');
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
  await page.getByRole('button', { name: /^Account of/ }).click();
  // The menu stays open, so that one sees what one chose.
  for (const [name, value] of [
    ['Dark', 'dark'],
    ['Light', 'light'],
  ] as const) {
    await page.getByRole('menuitemradio', { name }).click();
    await expect.poll(scheme).toBe(value);
  }
  expect(faults).toEqual([]);
  const scripts = [...encodings].filter(([pathname]) => /\/assets\/index-/.test(pathname));
  expect(scripts.length).toBeGreaterThan(1);
  expect(scripts.filter(([, encoding]) => encoding !== 'gzip' && encoding !== 'br')).toEqual([]);
  await context.close();
});

it('loads of the font what the interface is written with, and the rest where a name needs it', async () => {
  const { page, context } = await openPage(browser, product.url, { session: admin.context });
  const fonts = new Set<string>();
  page.on('request', (request) => {
    const name = /\/assets\/(inter-[a-z-]*)-[^/]*\.woff2$/.exec(new URL(request.url()).pathname)?.[1];
    if (name !== undefined) fonts.add(name);
  });
  await page.goto('/servers/1');
  await page.getByRole('region', { name: 'Top queries' }).waitFor();
  await fetchedAhead(page);
  expect([...fonts]).toEqual(['inter-ui']);
  await page.getByLabel('Find a server').first().fill('Zoë');
  await expect.poll(() => [...fonts]).toContain('inter-latin-wght-normal');
  await context.close();
});

it('does not wait for the user where there was a session when the page was left, until the sign-out', async () => {
  // The last, since it ends the session.
  const { page, context, faults } = await openPage(browser, product.url, { session: admin.context });
  const held = Promise.withResolvers<void>();
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).pathname));
  const open = async (untilAsked: string) => {
    asked.clear();
    await page.goto('/', { waitUntil: 'commit' });
    await expect.poll(() => asked.has(untilAsked)).toBe(true);
  };
  await open('/api/v1/estate');
  await page.getByRole('heading', { name: 'Estate', level: 1 }).waitFor();
  await page.route('**/api/v1/user/info', async (route) => {
    await held.promise;
    await route.continue();
  });
  await open('/api/v1/overview');
  held.resolve();
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await open('/api/v1/user/info');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect([...asked].filter((path) => path.startsWith('/api/v1/estate'))).toEqual([]);
  expect(faults).toEqual([]);
  await context.close();
});
