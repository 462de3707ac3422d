// The palette: by keys to servers, their parts, databases, statements, pages and actions; nothing that one may not open.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { UserInfo } from '../api/types.ts';
import type { Cluster } from '../features/estate/clusters/model.ts';
import { startApi } from '../testing/api.ts';
import { EVERYWHERE } from '../testing/estate.ts';
import { ADMIN, show } from '../testing/show.tsx';
import { paletteGroups } from './palette-items.ts';
import { PaletteOpener } from './palette-opener.tsx';

const place = { connection_id: 3, server_name: 'billing', database_name: 'odd & name' };
const FOUND = {
  databases: [place],
  statements: [{ ...place, queryid: '-12', query: 'select *\n from orders' }],
};

async function open(at = '/') {
  const api = await startApi({
    ...EVERYWHERE,
    searchEstate: ({ path }) => (/text=(odd|select)/.test(path) ? FOUND : { databases: [], statements: [] }),
  });
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
      'orders2 servers',
    ]);
  const chosen = () => {
    const id = field.getAttribute('aria-activedescendant') ?? '';
    return document.getElementById(id)?.textContent;
  };
  expect(chosen()).toMatch(/^orders-primary/);
  await user.keyboard('{ArrowDown}');
  expect(chosen()).toMatch(/^orders-standby/);
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(chosen()).toMatch(/^orders-primary/);
  await user.keyboard('{ArrowUp}{ArrowUp}{Enter}');
  await expect.poll(() => router.state.location.pathname).toBe('/servers/2');
});

it('has what is typed before its field is there', async () => {
  await startApi({ ...EVERYWHERE, searchEstate: { databases: [], statements: [] } });
  const { user } = show(<PaletteOpener />, { at: '/' });
  await user.keyboard('{Control>}k{/Control}bill');
  await expect.poll(() => screen.queryByDisplayValue('bill')).not.toBeNull();
  await user.keyboard('ing');
  await expect
    .poll(() => screen.queryAllByRole('option').map(({ textContent }) => textContent))
    .toEqual([expect.stringMatching(/^billing/)]);
});

it('finds a part of any server by two words', async () => {
  const { user, type, options, router } = await open();
  await type('primary lock');
  await expect.poll(options).toEqual(['Locksorders-primary']);
  await user.keyboard('{Enter}');
  await expect.poll(() => router.state.location.search).toBe('?tab=locks');
});

it('finds databases and statements of all servers, those of the one that is open first', async () => {
  const { user, api, type, options, router } = await open('/servers/1?tab=queries');
  await type('select orders');
  await expect.poll(options).toEqual(['odd & namebilling', 'select * from ordersbilling, odd & name']);
  const statements = within(await screen.findByRole('group', { name: 'Statements' }));
  await user.click(statements.getByRole('option', { name: /select \* from orders/ }));
  await expect.poll(() => router.state.location.pathname).toBe('/servers/3/queries/-12');
  const asked = api.sent.filter(({ operation }) => operation === 'searchEstate');
  // Once, and not with every letter.
  expect(asked.map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])))).toEqual([
    { text: 'select orders', near: '1', limit: '8' },
  ]);
});

it('says that nothing matches only once all servers have answered', async () => {
  const { type } = await open();
  await type('zzzz');
  expect(screen.queryByText('Nothing matches.')).toBeNull();
  await screen.findByText('Nothing matches.');
});

const CLUSTER: Cluster = {
  ...{ id: 'cluster-4', name: 'Shop front', servers: [] },
  cluster_type: 'binary',
};
const known = (user: UserInfo) => ({
  user,
  servers: [],
  clusters: [CLUSTER],
  here: 1,
  found: FOUND,
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
  expect(group?.items[0]?.does).toEqual({ path: '/servers/3?tab=tables&database=odd+%26+name' });
});

it('leads to a cluster', () => {
  const [group] = paletteGroups('front', known(ADMIN));
  expect(group).toEqual({
    title: 'Clusters',
    items: [
      {
        key: 'cluster-cluster-4',
        title: 'Shop front',
        detail: '0 servers',
        does: { path: '/clusters/cluster-4' },
      },
    ],
  });
});

it('turns dark, and is gone then', async () => {
  const { user, type } = await open();
  await type('dark');
  await user.keyboard('{Enter}');
  await expect.poll(() => document.documentElement.getAttribute('data-mantine-color-scheme')).toBe('dark');
  await expect.poll(() => screen.queryByRole('combobox')).toBeNull();
});
