// The charts of a server, on the product's own datastore: its figures on the screen, a time drawn with the pointer, back
// and forth, the same after a reload, and clean in light and dark, wide and narrow.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import {
  accessibilityFaults,
  keepPicture,
  NARROW,
  openPage,
  sidewaysScroll,
  type Visit,
  WIDE,
} from './src/pages.ts';
import { settleIn } from './src/people.ts';

const PROBES = ['pg_stat_database', 'pg_sys_cpu_usage_info', 'pg_sys_memory_info', 'pg_stat_statements'];

let product: Product;
let browser: Browser;
let visit: Visit;

/** Read often, so that there is something to see. */
async function readOften(): Promise<void> {
  const { request } = visit.context;
  const configs: { id: number; name: string }[] = await (await request.get('/api/v1/probe-configs')).json();
  for (const { id } of configs.filter(({ name }) => PROBES.includes(name))) {
    const data = { collection_interval_seconds: 5 };
    const reply = await request.put(`/api/v1/probe-configs/${id}`, { data });
    expect(reply.status(), await reply.text()).toBe(200);
  }
}

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  visit = await openPage(browser, product.url);
  await settleIn(visit.page, product.adminLink);
  await readOften();
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it('shows what was measured, narrows to a time that is drawn, goes back, and survives a reload', async () => {
  const { page, faults } = visit;
  await page.goto('/servers/1');
  await page
    .getByRole('navigation', { name: 'Parts of the server' })
    .getByRole('link', { name: 'Activity' })
    .click();
  // Two readings make an increase; the page reads again by itself only once in a while.
  await expect
    .poll(
      async () => {
        await page.reload();
        await page.getByRole('region', { name: 'Transactions' }).waitFor();
        await page.waitForLoadState('networkidle');
        return page.getByRole('figure', { name: 'Transactions' }).count();
      },
      { interval: 2000 },
    )
    .toBe(1);
  const chart = page.getByRole('figure', { name: 'Transactions' });
  const slider = chart.getByRole('slider');
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/Commits [\d.,]+ \/s/);
  expect(await chart.locator('path[data-name=xact_commit_per_sec]').getAttribute('d')).toMatch(/^M/);
  await page
    .getByText(/^Not measured before/)
    .filter({ visible: true })
    .first()
    .waitFor();

  const before = page.url();
  const box = await chart.locator('svg').first().boundingBox();
  if (!box) throw new Error('The chart is not on the page.');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.75, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => page.url()).toMatch(/from=.*to=/);
  const narrowed = page.url();
  const shown = page.getByRole('button', { name: /^Shown: / });
  await page.getByRole('button', { name: 'Live', pressed: false }).waitFor();
  const span = await shown.innerText();
  await page.reload();
  await expect.poll(() => shown.innerText()).toBe(span);
  expect(page.url()).toBe(narrowed);
  await slider.focus();
  await page.keyboard.press('Home');
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/not measured/);
  await page.goBack();
  await expect.poll(() => page.url()).toBe(before);
  await page.getByRole('button', { name: 'Live', pressed: true }).waitFor();
  expect(faults).toEqual([]);
});

it('is clean in light and dark, and fits narrow screens with its numbers open', async () => {
  const { page, faults } = visit;
  await page.goto('/servers/1?tab=activity');
  await page.getByRole('figure', { name: 'Transactions' }).waitFor();
  await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
  await keepPicture(page, 'server-activity-light-1440');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(NARROW);
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: /Choose other times/ }).click();
  await page.getByRole('button', { name: 'Numbers and meaning of CPU' }).click();
  await page.getByRole('region', { name: 'Numbers of CPU' }).waitFor();
  expect(await sidewaysScroll(page)).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await keepPicture(page, 'server-activity-dark-390');
  expect(faults).toEqual([]);
});

it('leads from the list of statements to one of them, with its cost beside another time, and survives a reload', async () => {
  const { page, faults } = visit;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
  await page.goto('/servers/1?tab=queries&q=select&own=with&zone=utc');
  const first = page.locator('[data-row-link]').first();
  // Two readings tell what each cost in between.
  await expect
    .poll(
      async () => {
        await page.reload();
        await page.getByRole('heading', { name: 'Statements', exact: true }).waitFor();
        await page.waitForLoadState('networkidle');
        return first.count();
      },
      { interval: 2000 },
    )
    .toBe(1);
  const text = await first.locator('code').innerText();
  await first.click();
  await page.getByText('All figures and charts').waitFor();
  await page.getByLabel('Compare with').selectOption({ label: 'With a day earlier' });
  await expect.poll(() => page.url()).toMatch(/\/servers\/1\/queries\/-?\d+\?.*zone=utc.*compare=day/);
  await page.reload();
  await page.getByText('All figures and charts').click();
  const figures = page.getByRole('region', { name: 'Figures' });
  await figures.getByText('beside a day earlier').waitFor();
  expect(await figures.getByRole('row').count()).toBeGreaterThan(5);
  const stored = page.getByRole('button', { name: 'As stored' });
  if ((await stored.count()) > 0) await stored.click();
  const code = await page.locator('figure pre code').first().innerText();
  expect(code.replaceAll(/\s+/g, ' ').slice(0, 20)).toBe(text.slice(0, 20));
  // The list shows the beginning of a statement, where the word that was looked for need not stand.
  expect(code).toMatch(/select/i);
  await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
  await keepPicture(page, 'statement-light-1440');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.setViewportSize(NARROW);
  expect(await sidewaysScroll(page)).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
});

it('stands on paper light and whole, with the time that it shows and without what only leads elsewhere', async () => {
  const { page, faults } = visit;
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  await page.goto('/servers/1?tab=activity&zone=utc');
  const chart = page.getByRole('figure', { name: 'Transactions' });
  await chart.waitFor();
  const ground = await page.evaluate(() => {
    const colour = (of: Element | null) => (of ? getComputedStyle(of).color : '');
    return {
      text: colour(document.querySelector('h1')),
      body: getComputedStyle(document.body).backgroundColor,
    };
  });
  expect(ground).toEqual({ text: 'rgb(35, 31, 26)', body: 'rgba(0, 0, 0, 0)' });
  for (const gone of ['Pages and servers', 'Parts of the server', 'Breadcrumb'])
    expect(await page.getByRole('navigation', { name: gone }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Last 24h' }).count()).toBe(0);
  await page.getByRole('button', { name: /^Shown: / }).waitFor();
  const [plot, paper] = [await chart.locator('svg').first().boundingBox(), await chart.boundingBox()];
  expect(plot?.width).toBeLessThanOrEqual((paper?.width ?? 0) + 1);
  expect(await sidewaysScroll(page)).toBe(0);
  const sheets = await page.pdf({ format: 'A4' });
  expect(sheets.subarray(0, 5).toString()).toBe('%PDF-');
  await keepPicture(page, 'server-activity-print');
  expect(faults).toEqual([]);
});
