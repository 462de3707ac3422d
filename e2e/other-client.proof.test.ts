// A client of others in web_root that styles itself inside the page: unstyled under Matriarch's own policy, styled under the one that
// docs/other-clients.md names, and its inline script runs under neither.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { openPage } from './src/pages.ts';

const DOCUMENT = readFileSync(new URL('../docs/other-clients.md', import.meta.url), 'utf8');
const [, POLICY = ''] = /```\n(default-src [^\n]+)\n```/.exec(DOCUMENT) ?? [];
const PAGE = `<!doctype html><title>still</title><style>h1 { color: rgb(1, 2, 3) }</style>
<h1>Client</h1><p style="color: rgb(4, 5, 6)">Styled</p><script>document.title = 'ran';</script>`;

let browser: Browser;
let root: string;

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'matriarch-client-'));
  writeFileSync(path.join(root, 'index.html'), PAGE);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(root, { recursive: true });
});

async function seenWith(...flags: string[]) {
  const product = await startProduct('--web-root', root, ...flags);
  onTestFinished(() => product.stop());
  const { page, faults } = await openPage(browser, product.url);
  await page.goto('/');
  const colour = (name: string) => page.locator(name).evaluate((node) => getComputedStyle(node).color);
  return { colours: [await colour('h1'), await colour('p')], title: await page.title(), faults };
}

it('looks as it should under the policy of the document, which the YAML there names as well', async () => {
  const { colours, title, faults } = await seenWith('--web-content-security-policy', POLICY);
  expect({ colours, title }).toEqual({ colours: ['rgb(1, 2, 3)', 'rgb(4, 5, 6)'], title: 'still' });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/inline script/);
  expect(DOCUMENT).toContain(`content_security_policy: "${POLICY}"`);
});

it('is unstyled under the policy of Matriarch’s own pages', async () => {
  const { colours, title } = await seenWith();
  expect({ colours, title }).toEqual({ colours: ['rgb(0, 0, 0)', 'rgb(0, 0, 0)'], title: 'still' });
});
