// The focus after the menu of a row: back at its button, whether the menu was left, an entry opened a dialog or a field,
// or what it did put the row elsewhere.
import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../../../testing/api.ts';
import { BILLING, EVERYWHERE, group, ORDERS } from '../../../testing/estate.ts';
import { show } from '../../../testing/show.tsx';
import { ClustersPage } from './clusters-page.tsx';

const opener = (name: string) => screen.findByRole('button', { name: `Change ${name}` });

async function openMenu(name: string) {
  const api = await startApi(EVERYWHERE);
  const { user } = show(<ClustersPage />);
  (await opener(name)).focus();
  await user.keyboard('{Enter}');
  await screen.findByRole('menu');
  await expect.poll(() => document.activeElement?.getAttribute('role')).toBe('menuitem');
  return { api, user };
}

const focusedName = () => document.activeElement?.getAttribute('aria-label');

it.each(['Ungrouped', 'orders', 'billing'])(
  'goes back to the button of %s with Escape, each time',
  async (name) => {
    const { user } = await openMenu(name);
    await user.keyboard('{Escape}');
    await expect.poll(focusedName).toBe(`Change ${name}`);
    await expect.poll(() => screen.queryByRole('menu')).toBeNull();
    await user.keyboard('{Enter}');
    await screen.findByRole('menu');
    await expect.poll(() => document.activeElement?.getAttribute('role')).toBe('menuitem');
    await user.keyboard('{Escape}');
    await expect.poll(focusedName).toBe(`Change ${name}`);
  },
);

it('closes with Escape while the button still has the focus', async () => {
  const { user } = await openMenu('orders');
  fireEvent.keyDown(await opener('orders'), { key: 'Escape' });
  await expect.poll(() => screen.queryByRole('menu')).toBeNull();
  expect(focusedName()).toBe('Change orders');
  await user.keyboard('{Enter}');
  await screen.findByRole('menu');
});

it('goes back when a dialog that an entry opened is left', async () => {
  const { user } = await openMenu('orders');
  await user.click(screen.getByRole('menuitem', { name: 'Edit the description…' }));
  await expect
    .poll(() => document.activeElement?.closest('[role=dialog]')?.ariaLabel)
    .toBe('Describe orders');
  await user.keyboard('{Escape}');
  await expect.poll(focusedName).toBe('Change orders');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('goes back when a field that an entry opened is left', async () => {
  const { user } = await openMenu('orders');
  await user.click(screen.getByRole('menuitem', { name: 'Rename' }));
  await expect.poll(focusedName).toBe('Name of orders');
  await user.keyboard('{Escape}');
  await expect.poll(focusedName).toBe('Change orders');
});

it('goes with the row that a dialog moved', async () => {
  const { api, user } = await openMenu('billing');
  await user.click(screen.getByRole('menuitem', { name: 'Move to a group…' }));
  await screen.findByRole('dialog', { name: 'Move billing to a group' });
  api.answer({
    updateCluster: {
      id: 9,
      group_id: 2,
      name: 'billing',
      description: '',
      auto_cluster_key: 'standalone:3',
      created_at: '2026-11-20T10:00:00Z',
      updated_at: '2026-11-20T10:00:00Z',
      dismissed: false,
    },
    getTopology: [group(1, 'Ungrouped', [ORDERS]), group(2, 'Production', [{ ...BILLING }])],
  });
  await user.click(screen.getByRole('button', { name: 'Move' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  await expect.poll(focusedName).toBe('Change billing');
  expect(document.activeElement?.closest('section')?.textContent).toMatch(/Production/);
});
