// The palette: by keys to servers, their parts, databases, statements, pages and actions; nothing that one may not open.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { UserInfo } from '../api/types.ts';
import { startApi } from '../testing/api.ts';
import { EVERYWHERE } from '../testing/estate.ts';
import { ADMIN, show } from '../testing/show.tsx';
import { paletteGroups } from './palette-items.ts';
import { PaletteOpener } from './palette-opener.tsx';

const STATEMENT = {
  queryid: '-12',
  database_name: 'shop',
  query: 'select *\n from orders',
  calls: 1,
  total_exec_time: 1,
  mean_exec_time: 1,
  rows: 1,
  shared_blks_hit: 0,
  shared_blks_read: 0,
};

async function open(at = '/') {
  const api = await startApi({ ...EVERYWHERE, listTopQueries: [STATEMENT] });
  const shown = show(<PaletteOpener />, { at });
  const { user } = shown;
  await user.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox', { name: 'Find anything' });
  const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
  const type = async (text: string) => {
    await user.clear(field);
    await user.type(field, text);
  };
  return { ...shown, api, options, type, field };
}

it('finds servers and pages, and goes to what is chosen with the arrow keys', async () => {
  const { user, type, options, router, field } = await open();
  await expect.poll(options).toContain('Timeline');
  await type('alert');
  await expect.poll(options).toEqual(['Alerts', 'Alert rules']);
  await type('orders');
  await expect
    .poll(options)
    .toEqual([
      'orders-primaryorders-primary.example.com:5432',
      'orders-standbyorders-standby.example.com:5432',
    ]);
  const chosen = () => {
    const id = field.getAttribute('aria-activedescendant') ?? '';
    return document.getElementById(id)?.textContent;
  };
  expect(chosen()).toMatch(/^orders-primary/);
  await user.keyboard('{ArrowDown}');
  expect(chosen()).toMatch(/^orders-standby/);
  await user.keyboard('{ArrowDown}');
  expect(chosen()).toMatch(/^orders-primary/);
  await user.keyboard('{ArrowUp}{Enter}');
  await expect.poll(() => router.state.location.pathname).toBe('/servers/2');
});

it('finds a part of any server by two words, and says where databases and statements are found', async () => {
  const { user, type, options, router } = await open();
  await type('primary lock');
  await expect.poll(options).toEqual(['Locksorders-primary']);
  screen.getByText('Databases and statements are found on the page of their server.');
  await user.keyboard('{Enter}');
  await expect.poll(() => router.state.location.search).toBe('?tab=locks');
});

it('finds databases and statements of the server one is at', async () => {
  const { user, api, type, router } = await open('/servers/1?tab=queries');
  await type('orders');
  const statements = within(await screen.findByRole('group', { name: 'Statements' }));
  await user.click(statements.getByRole('option', { name: /select \* from orders/ }));
  await expect.poll(() => router.state.location.pathname).toBe('/servers/1/queries/-12');
  const asked = api.sent.filter(({ operation }) => operation === 'listTopQueries');
  expect(asked.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('search'))).toEqual(['orders']);
});

const known = (user: UserInfo) => ({
  user,
  servers: [],
  here: 1,
  databases: ['shop', 'odd & name'],
  statements: [],
});
const titles = (text: string, user: UserInfo) =>
  paletteGroups(text, known(user)).map(({ title, items }) => [title, items.map((item) => item.title)]);

it('offers nothing that one may not open', () => {
  const eve: UserInfo = { ...ADMIN, is_superuser: false, admin_permissions: [] };
  const all = titles('', ADMIN).flat(2);
  expect(all).toEqual(
    expect.arrayContaining(['Users', 'Add a server', 'Timeline', 'Sign out', 'Dark theme']),
  );
  const few = titles('', eve).flat(2);
  expect(few).toEqual(expect.arrayContaining(['Timeline', 'Account', 'Sign out']));
  expect(few).not.toContain('Users');
  expect(few).not.toContain('Add a server');
  expect(few).not.toContain('Sign in');
});

it('leads to the tables of a database', () => {
  const [group] = paletteGroups('odd', known(ADMIN));
  expect(group?.items[0]?.does).toEqual({ path: '/servers/1?tab=tables&database=odd+%26+name' });
});

it('turns dark, and is gone then', async () => {
  const { user, type } = await open();
  await type('dark');
  await user.keyboard('{Enter}');
  await expect.poll(() => document.documentElement.getAttribute('data-mantine-color-scheme')).toBe('dark');
  await expect.poll(() => screen.queryByRole('combobox')).toBeNull();
});
