// The product below a path of a host, behind a proxy that passes the path on and behind one that takes it away: pages, deep links, a
// reload, signing in and out, and what it says of its own address.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBelowProxy } from '../server/src/testing/servers/below-proxy.ts';
import { freePort } from '../server/src/testing/servers/free-port.ts';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { openPage } from './src/pages.ts';
import { PASSWORD, settleIn, signIn } from './src/people.ts';

const BASE = '/tools/matriarch';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

interface Below {
  product: Product;
  url: string;
  stop(): Promise<void>;
}

async function startBelow(isTakenAway: boolean): Promise<Below> {
  const [own, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const product = await startProduct('--port', String(own), '--api-public-url', `${url}${BASE}`);
  const target = `http://127.0.0.1:${own}`;
  const stopProxy = await startBelowProxy({ port, target, base: BASE, isTakenAway });
  return {
    product,
    url,
    stop: async () => {
      stopProxy();
      await product.stop();
    },
  };
}

describe.each([
  ['passes the path on', false],
  ['takes the path away', true],
])('behind a proxy that %s', (_what, isTakenAway) => {
  let below: Below;
  beforeAll(async () => {
    below = await startBelow(isTakenAway);
  });
  afterAll(() => below?.stop());

  it('shows every kind of page, keeps its addresses below the path, and asks for nothing elsewhere', async () => {
    expect(below.product.adminLink).toContain(`${below.url}${BASE}/link#`);
    const { page, context, faults } = await openPage(browser, below.url);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.url().startsWith('http') && !pathname.startsWith(`${BASE}/`) && pathname !== BASE)
        elsewhere.push(request.url());
    });
    await settleIn(page, below.product.adminLink);
    const cookies = await context.cookies(`${below.url}${BASE}/`);
    expect(cookies.map(({ path }) => path)).toEqual([BASE]);
    expect(await context.cookies(below.url)).toEqual([]);

    await page.getByRole('link', { name: 'Matriarch datastore' }).first().click();
    await page.getByRole('heading', { name: 'Matriarch datastore', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${BASE}/servers/1`);
    await page.getByRole('link', { name: 'Load', exact: true }).click();
    await page.getByRole('heading', { name: 'Breakdown' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Breakdown' }).waitFor();
    await page.goto(`${BASE}/assistants`);
    await page.getByText(`${below.url}${BASE}/mcp/v1`).first().waitFor();
    await page.goto(`${BASE}/no/such/page`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();

    await page.goto(`${BASE}/`);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('User name').waitFor();
    expect(new URL(page.url()).pathname).toBe(`${BASE}/sign-in`);
    await page.goto(`${BASE}/servers/1?tab=settings`);
    await signIn(page, 'admin', PASSWORD);
    await page.getByRole('heading', { name: 'Key settings' }).waitFor();
    expect(page.url()).toBe(`${below.url}${BASE}/servers/1?tab=settings`);
    expect(elsewhere).toEqual([]);
    expect(faults).toEqual([]);
  });
});
