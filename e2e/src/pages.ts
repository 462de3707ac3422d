// How the journeys open pages: a fresh context each, in light or dark, wide or narrow, watching for what must never
// happen on any page (script errors, breaches of the content policy).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { onTestFinished, TestRunner } from 'vitest';

const ARTIFACTS = fileURLToPath(new URL('../artifacts/', import.meta.url));
export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };

export interface PageOptions {
  dark?: boolean;
  viewport?: { width: number; height: number };
  /** Cookies of somebody who is signed in. */
  session?: BrowserContext;
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Script errors and breaches of the content policy so far. */
  faults: string[];
}

/** Opens a page. It closes with the test that opened it, or with the browser: an open page goes on asking the server. */
export async function openPage(browser: Browser, baseURL: string, options: PageOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL,
    viewport: options.viewport ?? WIDE,
    colorScheme: options.dark ? 'dark' : 'light',
    locale: 'en-GB',
    // Judged and pictured at rest, not in the middle of a fade.
    reducedMotion: 'reduce',
    ...(options.session ? { storageState: await options.session.storageState() } : {}),
  });
  // For machines that do much else meanwhile.
  context.setDefaultTimeout(120_000);
  if (TestRunner.getCurrentTest()) onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  return { page, context, faults };
}

const ALL_RULES = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
} as const;
/** What colours and room decide. */
const RULES_OF_LOOKS = { type: 'rule', values: ['color-contrast', 'target-size'] } as const;

/** The small form of what the builder would bring by itself; it is not its own package's, so that it is found from there. */
const AXE = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** What axe finds against WCAG 2.2 AA and its own good practice, as readable lines. */
export async function accessibilityFaults(
  page: Page,
  rules: typeof ALL_RULES | typeof RULES_OF_LOOKS = ALL_RULES,
): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in window);
  const { violations } = await new AxeBuilder({ page, axeSource: isThere ? '0' : AXE })
    // There are no frames of others in our pages, so that no page of its own is needed to gather what is found in them.
    .setLegacyMode()
    .options({ runOnly: { ...rules, values: [...rules.values] }, resultTypes: ['violations'] })
    .analyze();
  return violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  );
}

/** How many pixels the page is wider than its window. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(0, scrollWidth - clientWidth);
  });
}

/** What the tables of rows are of that are wider than a phone. A matrix, such as probes against databases, scrolls in its frame. */
function wideTables(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLTableElement>('table:has(tr[data-index])')]
      .filter(({ parentElement: frame }) => frame !== null && frame.scrollWidth > frame.clientWidth + 1)
      .map((table) => table.caption?.textContent ?? table.textContent.slice(0, 40)),
  );
}

/** For people to look at, where MATRIARCH_PICTURES is set: drawing whole pages takes a good part of a run. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (!process.env.MATRIARCH_PICTURES) return;
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.screenshot({ path: `${ARTIFACTS}${name}.png`, fullPage: true });
}

/**
 * Each of two pages is audited in one light and one dark, one wide and one narrow look: in the first by all rules, in the
 * second by those that looks decide.
 */
const LOOKS = [
  { look: 'light-1440', scheme: 'light', viewport: WIDE, auditedOf: 0 },
  { look: 'dark-1440', scheme: 'dark', viewport: WIDE, auditedOf: 1 },
  { look: 'dark-390', scheme: 'dark', viewport: NARROW, auditedOf: 0 },
  { look: 'light-390', scheme: 'light', viewport: NARROW, auditedOf: 1 },
] as const;

/** Sets the look in which a page opens: every second one in a narrow window. */
export async function startLook(page: Page, index: number): Promise<void> {
  await page.setViewportSize(index % 2 === 0 ? WIDE : NARROW);
  await page.emulateMedia({ colorScheme: 'light' });
}

type Look = (typeof LOOKS)[number];

/** Gives the page that look; answers whether it scrolls sideways, and keeps a picture. */
async function takeLook(page: Page, { look, scheme, viewport }: Look, name: string): Promise<string[]> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' });
  await keepPicture(page, `${name}-${look}`);
  const sideways = await sidewaysScroll(page);
  const tables = viewport === NARROW ? await wideTables(page) : [];
  return [
    ...(sideways > 0 ? [`scrolls sideways by ${sideways} pixels`] : []),
    ...tables.map((table) => `the table "${table}" scrolls sideways`),
  ];
}

/** What is wrong with the page that is open in light and dark, wide and narrow; keeps a picture of each. */
export async function faultsInEveryLook(page: Page, index: number, name: string): Promise<string[]> {
  const found: string[] = [];
  let isAudited = false;
  for (const look of index % 2 === 0 ? LOOKS : LOOKS.toReversed()) {
    const faults = await takeLook(page, look, name);
    if (index % 2 === look.auditedOf) {
      faults.push(...(await accessibilityFaults(page, isAudited ? RULES_OF_LOOKS : ALL_RULES)));
      isAudited = true;
    }
    found.push(...faults.map((fault) => `${look.look}: ${fault}`));
  }
  return found;
}

/**
 * The same with an audit of each look: by all rules in a wide and a narrow one, which differ in what is on the page, and
 * in the others by those that colours and room decide.
 */
export async function faultsOfEachLook(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const look of LOOKS) {
    const faults = await takeLook(page, look, name);
    faults.push(...(await accessibilityFaults(page, look.auditedOf === 0 ? ALL_RULES : RULES_OF_LOOKS)));
    found.push(...faults.map((fault) => `${look.look}: ${fault}`));
  }
  return found;
}

/** As it is printed on A4: the PDF. Kept, with a picture of its styles at that width, where pictures are. */
export async function keepPaper(page: Page, name: string): Promise<Buffer> {
  await page.emulateMedia({ media: 'print', colorScheme: 'light' });
  const paper = await page.pdf({ format: 'A4', printBackground: true });
  if (process.env.MATRIARCH_PICTURES) {
    await page.setViewportSize({ width: 794, height: 1123 });
    await keepPicture(page, `${name}-paper`);
    writeFileSync(`${ARTIFACTS}${name}.pdf`, paper);
  }
  await page.emulateMedia({ media: null });
  await page.setViewportSize(WIDE);
  return paper;
}

/** Longer than a page waits before it fetches the code of others. */
const LONGEST_PAUSE_MS = 3500;

/** The code of other pages is fetched once after the first one stands, and belongs to no watching. */
export async function fetchedAhead(page: Page): Promise<void> {
  const files = () =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).length,
    );
  for (let before = -1, now = await files(); now !== before; now = await files()) {
    before = now;
    await page.waitForTimeout(LONGEST_PAUSE_MS);
  }
}
