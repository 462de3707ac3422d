// Filters of a list: all in sight where there is room, folded with how many are set where there is little.
import { screen } from '@testing-library/react';
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

it('folds them on a phone, and says how many are set', async () => {
  const before = window.matchMedia;
  vi.spyOn(window, 'matchMedia').mockImplementation((media) =>
    Object.assign(before(media), { matches: media.includes('max-width') }),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const { user } = open();
  const summary = await screen.findByText(/^Filters/);
  expect(summary.textContent).toBe('Filters · 1 set');
  const sheet = summary.closest('details');
  expect(sheet?.open).toBe(false);
  await user.click(summary);
  expect(sheet?.open).toBe(true);
});
