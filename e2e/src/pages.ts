// How the journeys open pages: a fresh context each, in light or dark, wide or narrow, watching for what must never
// happen on any page (script errors, breaches of the content policy).
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';

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

/** Opens a page; close its context when done (closing the browser does). */
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
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  return { page, context, faults };
}

/** What axe finds against WCAG 2.2 AA and its own good practice, as readable lines. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
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

export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.screenshot({ path: `${ARTIFACTS}${name}.png`, fullPage: true });
}
