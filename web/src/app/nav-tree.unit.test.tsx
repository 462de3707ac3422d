// Finding a server in the navigation: Enter leads to the first server found, Escape empties the field.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../testing/api.ts';
import { EVERYWHERE } from '../testing/estate.ts';
import { show } from '../testing/show.tsx';
import { NavTree } from './nav-tree.tsx';

const names = () => screen.getAllByRole('treeitem').map(({ textContent }) => textContent);

async function open() {
  await startApi(EVERYWHERE);
  const shown = show(<NavTree />);
  await screen.findByRole('treeitem', { name: /billing/ });
  const field = screen.getByLabelText<HTMLInputElement>(/Find a server/);
  return { ...shown, field };
}

it('is emptied with Escape', async () => {
  const { user, field } = await open();
  await user.click(field);
  await user.keyboard('billing');
  await expect.poll(() => names().length).toBeLessThan(4);
  await user.keyboard('{Escape}');
  expect(field.value).toBe('');
  await expect.poll(() => names().length).toBeGreaterThanOrEqual(4);
});

it('shows what is found with what leads there, and goes to the first server with Enter', async () => {
  const { user, field, router } = await open();
  await user.click(field);
  await user.keyboard('standby');
  await expect
    .poll(names)
    .toEqual([
      expect.stringContaining('Ungrouped'),
      expect.stringContaining('orders'),
      expect.stringContaining('orders-primary'),
      expect.stringContaining('orders-standby'),
    ]);
  await user.keyboard('{Enter}');
  await expect.poll(() => router.state.location.pathname).toMatch(/^\/servers\/[12]$/);
  expect(field.value).toBe('');
});

it('stays where it is when nothing is found', async () => {
  const { user, router, field } = await open();
  await user.click(field);
  await user.keyboard('nothing like it');
  await screen.findByText('No server matches.');
  await user.keyboard('{Enter}');
  expect(router.state.location.pathname).toBe('/');
});

it('is one stop of the Tab key, walked with the arrows, and remembers what is closed', async () => {
  const { user, unmount } = await open();
  const item = (name: RegExp) => screen.getByRole('treeitem', { name });
  expect(screen.getAllByRole('treeitem').filter(({ tabIndex }) => tabIndex === 0)).toHaveLength(1);
  item(/orders-primary/).focus();
  await user.keyboard('{ArrowDown}');
  expect(document.activeElement).toBe(item(/orders-standby/));
  await user.keyboard('{ArrowLeft}{ArrowLeft}');
  expect(item(/orders-primary/).getAttribute('aria-expanded')).toBe('false');
  expect(screen.queryByRole('treeitem', { name: /orders-standby/ })).toBeNull();
  unmount();
  await open();
  expect(item(/orders-primary/).getAttribute('aria-expanded')).toBe('false');
});
