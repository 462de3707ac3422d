// Filters of a list: all in sight where there is room, in a sheet from below where there is little.
import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { show } from '../testing/show.tsx';
import { Filters } from './filters.tsx';

const open = () =>
  show(
    <Filters names={['state', 'kind']}>
      <input aria-label="State" />
    </Filters>,
    { at: '/?state=open&q=x' },
  );

it('shows all of them where there is room', async () => {
  open();
  await screen.findByLabelText('State');
  expect(screen.queryByText(/^Filters/)).toBeNull();
});

it('opens them from below on a phone, says how many are set, and gives the focus back', async () => {
  const before = window.matchMedia;
  vi.spyOn(window, 'matchMedia').mockImplementation((media) =>
    Object.assign(before(media), { matches: media.includes('max-width') }),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const { user } = open();
  const opener = await screen.findByRole('button', { name: /^Filters/ });
  expect(opener.textContent).toBe('Filters · 1 set');
  expect(screen.queryByLabelText('State')).toBeNull();
  await user.click(opener);
  const sheet = await screen.findByRole('dialog', { name: 'Filters' });
  expect(within(sheet).getByLabelText('State')).toBeTruthy();
  // Its keys are heard from when it has the focus.
  await waitFor(() => expect(sheet.contains(document.activeElement)).toBe(true));
  await user.keyboard('{Escape}');
  // It slides away.
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(document.activeElement).toBe(opener);
});
