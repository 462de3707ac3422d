// The pages of administration with a small firm in them, in light and dark, wide and narrow: free of accessibility
// faults, never scrolling sideways. With MATRIARCH_PICTURES=1 the pictures stay in e2e/artifacts for people to look at.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from './src/app.ts';
import { startBrowser } from './src/browser.ts';
import { faultsInEveryLook, openPage, startLook, type Visit } from './src/pages.ts';
import { PASSWORD, settleIn } from './src/people.ts';
import { NOWHERE } from './src/watched.ts';

let product: Product;
let browser: Browser;
let admin: Visit;

async function send(method: 'post' | 'put', path: string, data: object): Promise<{ id: number }> {
  const response = await admin.context.request[method](`/api/v1/${path}`, { data });
  expect(response.ok(), `${path}: ${await response.text()}`).toBe(true);
  return response.status() === 204 ? { id: 0 } : await response.json();
}

/** Four people, a program, three groups of which one is inside another, three servers, three tokens. */
async function foundFirm(): Promise<void> {
  const orders = await send('post', 'connections', { ...NOWHERE, name: 'orders-primary' });
  const billing = await send('post', 'connections', { ...NOWHERE, name: 'billing', is_shared: true });
  await send('post', 'connections', { ...NOWHERE, name: 'payroll' });
  const person = (username: string, more: object) =>
    send('post', 'rbac/users', { username, password: PASSWORD, ...more });
  const anna = await person('anna', {
    display_name: 'Anna Berg',
    email: 'anna@example.com',
    annotation: 'On call in November',
  });
  const ben = await person('ben', { display_name: 'Ben Okafor', email: 'ben@example.com' });
  await person('carla', { display_name: 'Carla Mendes', enabled: false });
  await person('dora', { display_name: 'Dora Lind', is_superuser: true });
  const robot = await send('post', 'rbac/users', {
    username: 'dashboard',
    is_service_account: true,
    display_name: 'Wall display',
  });
  const dba = await send('post', 'rbac/groups', { name: 'dba', description: 'Those on call' });
  const europe = await send('post', 'rbac/groups', { name: 'europe', description: 'Frankfurt and Madrid' });
  const programs = await send('post', 'rbac/groups', { name: 'programs' });
  await send('post', `rbac/groups/${europe.id}/members`, { group_id: dba.id });
  for (const [group, user] of [
    [dba, anna],
    [europe, ben],
    [programs, robot],
  ] as const)
    await send('post', `rbac/groups/${group.id}/members`, { user_id: user.id });
  await send('put', `rbac/groups/${dba.id}/privileges/connections`, {
    connections: [{ connection_id: orders.id, access_level: 'read_write' }],
  });
  await send('put', `rbac/groups/${europe.id}/privileges/connections`, {
    connections: [
      { connection_id: 0, access_level: 'read' },
      { connection_id: billing.id, access_level: 'read' },
    ],
  });
  await send('put', `rbac/groups/${dba.id}/privileges/mcp`, { privileges: ['query_metrics', 'list_probes'] });
  await send('put', `rbac/groups/${europe.id}/privileges/mcp`, { privileges: ['*'] });
  await send('put', `rbac/groups/${dba.id}/permissions`, { permissions: ['manage_blackouts', 'view_audit'] });
  const token = (owner_username: string, annotation: string, expires_in: string) =>
    send('post', 'rbac/tokens', { owner_username, annotation, expires_in });
  await token('dashboard', 'wall display', '1y');
  await token('anna', 'laptop', '7d');
  const narrow = await token('anna', 'nightly report', 'never');
  await send('put', `rbac/tokens/${narrow.id}/scope`, {
    connections: [{ connection_id: orders.id, access_level: 'read' }],
    mcp_privileges: ['query_metrics'],
    admin_permissions: [],
  });
}

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await openPage(browser, product.url);
  await settleIn(admin.page, product.adminLink);
  await foundFirm();
});

afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

interface Shown {
  name: string;
  path: string;
  ready: string;
  /** A button that is pressed before the picture is taken. */
  press?: string;
}

const PAGES: readonly Shown[] = [
  { name: 'users', path: 'users', ready: 'Users' },
  { name: 'user-add', path: 'users', ready: 'Users', press: 'Add a user' },
  { name: 'user-change', path: 'users', ready: 'Users', press: 'Change anna' },
  { name: 'groups', path: 'groups', ready: 'Groups' },
  { name: 'group', path: 'groups/1', ready: 'dba' },
  { name: 'tokens', path: 'tokens', ready: 'Tokens' },
  { name: 'token-add', path: 'tokens', ready: 'Tokens', press: 'Create a token' },
  { name: 'token-scope', path: 'tokens', ready: 'Tokens', press: 'Scope of nightly report' },
  { name: 'access', path: 'access', ready: 'Effective access' },
  { name: 'access-user', path: 'access?user=2', ready: 'Access of anna' },
  { name: 'access-token', path: 'access?token=3', ready: 'Access of nightly report' },
  { name: 'audit', path: 'audit', ready: 'Audit log' },
  { name: 'audit-event', path: 'audit?event=3&range=custom', ready: 'Audit log' },
];

describe('every page', () => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await openPage(browser, product.url, { session: admin.context });
  });

  it.each(PAGES.map((page, index) => ({ ...page, index })))('$name', async ({ index, ...shown }) => {
    const { name, path, ready, press } = shown;
    const { page } = visit;
    await startLook(page, index);
    await page.goto(`/admin/${path}`);
    await page.getByRole('heading', { name: ready, exact: true, level: 1 }).waitFor();
    await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
    if (press) {
      await page.getByRole('button', { name: press, exact: true }).click();
      await page.getByRole('dialog').waitFor();
    }
    expect(await faultsInEveryLook(page, index, `admin-${name}`)).toEqual([]);
  });

  it('met no script error and no breach of the content policy', () => {
    expect(visit.faults).toEqual([]);
  });
});
