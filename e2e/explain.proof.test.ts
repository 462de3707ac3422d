// "Explain this" in a browser: what stands on a page reaches the model along with the question. The model is the mock on the wire.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type LlmMock, startLlmMock } from '../server/src/testing/llm/llm-mock.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import {
  accessibilityFaults,
  keepPicture,
  openPage,
  sidewaysScroll,
  startLook,
  type Visit,
} from './src/pages.ts';
import { settleIn } from './src/people.ts';

let product: Product;
let browser: Browser;
let admin: Visit;
let mock: LlmMock;

beforeAll(async () => {
  mock = await startLlmMock();
  [product, browser] = await Promise.all([
    // Overviews of the program itself would be among the requests that are looked at.
    startProduct('--llm-ollama-base-url', mock.baseUrl('ollama'), '--llm-own-tokens-per-day', '1'),
    startBrowser(),
  ]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
});

afterEach(() => mock.reset());

afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await mock?.stop();
});

async function open(path: string) {
  mock.say({ texts: ['It is as usual.'] });
  const { page, faults } = await openPage(browser, product.url, { session: admin.context });
  await page.goto(path);
  return { page, faults };
}

/** So that there is something to see soon. */
async function readOften(probe: string): Promise<void> {
  const { request } = admin.context;
  const configs: { id: number; name: string }[] = await (await request.get('/api/v1/probe-configs')).json();
  const id = configs.find(({ name }) => name === probe)?.id;
  const reply = await request.put(`/api/v1/probe-configs/${id}`, {
    data: { collection_interval_seconds: 5 },
  });
  expect(reply.status(), await reply.text()).toBe(200);
}

const LOOKS = [
  ['light', 0],
  ['dark', 0],
  ['light', 1],
  ['dark', 1],
] as const;

async function look(page: Page, name: string): Promise<void> {
  for (const [colorScheme, index] of LOOKS) {
    await startLook(page, index);
    await page.emulateMedia({ colorScheme });
    await keepPicture(page, `explain-${name}-${colorScheme}-${index === 0 ? 1440 : 390}`);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
  }
  await startLook(page, 0);
}

/** Presses the button and answers what the model was sent, as text. */
async function explained(page: Page, what: string | RegExp): Promise<string> {
  const before = mock.generated().length;
  await page.getByRole('button', { name: what }).first().click();
  const chat = page.getByRole('complementary', { name: 'Chat' });
  await chat.getByText('It is as usual.').waitFor();
  // The overview and others ask the model too. A text within JSON: its quotes are taken back.
  for (const { body } of mock.generated().slice(before)) {
    const text = JSON.stringify(body).replaceAll('\\n', ' ').replaceAll('\\', '');
    const marked = /It is about this: <(data-\w+)> (.*?) <\/\1>/.exec(text)?.[2];
    if (marked !== undefined) return marked;
  }
  throw new Error('No request with marked data has reached the model.');
}

it('explains a chart: its unit, its window and its newest value reach the model', async () => {
  const { page, faults } = await open('/servers/1?tab=activity');
  await page
    .getByRole('button', { name: /^Explain: / })
    .first()
    .waitFor();
  await look(page, 'chart');
  const title = await page.getByRole('figure').first().getAttribute('aria-label');
  const sent = await explained(page, `Explain: ${title}`);
  expect(sent).toContain('"kind":"chart"');
  expect(sent).toContain(`"title":"${title}"`);
  expect(sent).toMatch(/"window":\{"start":"\d{4}-/);
  expect(sent).toContain('"newest":');
  expect(faults).toEqual([]);
});

it('explains a statement: its text and its figures reach the model', async () => {
  await readOften('pg_stat_statements');
  const { page, faults } = await open('/servers/1?tab=queries&own=with');
  const first = page.locator('a[href*="/queries/"]').first();
  // Two readings make an increase; the page reads again by itself only once in a while.
  await expect
    .poll(
      async () => {
        await page.reload({ waitUntil: 'networkidle' });
        return first.count();
      },
      { interval: 2000, timeout: 60_000 },
    )
    .toBe(1);
  await first.click();
  await page.waitForURL('**/queries/*');
  const button = page.getByRole('button', { name: /^Explain: statement / });
  await button.waitFor();
  await look(page, 'statement');
  const queryid = /\/queries\/(-?\d+)/.exec(page.url())?.[1];
  // What stands before its first line break or quote, which are written otherwise in JSON.
  const text = (await page.locator('figure pre code').first().textContent()) ?? '';
  const begins = text.trim().split(/[\n\r\t"'\\]/)[0];
  expect(begins).toMatch(/\w/);
  const sent = await explained(page, /^Explain: statement /);
  expect(sent).toContain('"kind":"statement"');
  expect(sent).toContain(`"queryid":"${queryid}"`);
  expect(sent).toContain(`"text":"${begins}`);
  expect(sent).toContain('"metric":"calls"');
  expect(sent).toContain('"metric":"mean_time"');
  expect(faults).toEqual([]);
});

it('explains a setting: its value, its unit and where it comes from reach the model', async () => {
  const { page, faults } = await open('/servers/1?tab=settings&q=shared_buffers');
  await page.getByRole('button', { name: 'Explain: shared_buffers', exact: true }).waitFor();
  await look(page, 'setting');
  const sent = await explained(page, 'Explain: shared_buffers');
  expect(JSON.parse(sent)).toMatchObject({
    ...{ kind: 'setting', name: 'shared_buffers', value: '16384', unit: '8kB' },
    source: 'configuration file',
  });
  expect(faults).toEqual([]);
});
