// The groups of the navigation: Set up and Admin fold and are remembered; the page that is open is always there.
import { screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { startApi } from '../testing/api.ts';
import { ADMIN, show } from '../testing/show.tsx';
import { Navigation } from './navigation.tsx';

afterEach(() => localStorage.removeItem('matriarch-nav-groups'));

const link = (name: string) => screen.queryByRole('link', { name });

it('folds Set up and Admin, and remembers what was opened', async () => {
  await startApi({ getUserInfo: ADMIN });
  const { user, unmount } = show(<Navigation brand={null} />);
  const admin = await screen.findByRole('button', { name: 'Admin', expanded: false });
  expect([link('Alerts') !== null, link('Channels'), link('Audit log')]).toEqual([true, null, null]);
  await user.click(screen.getByRole('button', { name: 'Set up', expanded: false }));
  await user.click(admin);
  await user.click(admin);
  expect([link('Channels') !== null, link('Audit log')]).toEqual([true, null]);
  unmount();
  show(<Navigation brand={null} />);
  await screen.findByRole('button', { name: 'Set up', expanded: true });
  await screen.findByRole('button', { name: 'Admin', expanded: false });
});

it('shows the page that is open, also in a folded group', async () => {
  await startApi({ getUserInfo: ADMIN });
  show(<Navigation brand={null} />, { at: '/channels' });
  await screen.findByRole('button', { name: 'Admin', expanded: false });
  expect(link('Channels')?.getAttribute('aria-current')).toBe('page');
  expect(link('Probes')).toBe(null);
});
