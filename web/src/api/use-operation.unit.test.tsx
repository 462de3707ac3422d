// How often what is shown is read again: as often as it says, and like live facts for a while after a change here.
import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { startApi } from '../testing/api.ts';
import { show } from '../testing/show.tsx';
import { LIVE_MS, useOperation, useOperationMutation } from './use-operation.ts';

afterEach(() => {
  vi.useRealTimers();
});

function Groups() {
  const groups = useOperation('listGroups', {}, { everyMs: 60_000 });
  const remove = useOperationMutation('deleteGroup');
  return (
    <button type="button" onClick={() => remove.mutate({ params: { id: 1 } })}>
      {groups.data?.groups.length} groups
    </button>
  );
}

it('reads more often after a change here, for half a minute', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const api = await startApi({ listGroups: { groups: [] }, deleteGroup: undefined });
  show(<Groups />);
  const reads = () => api.sent.filter(({ operation }) => operation === 'listGroups').length;
  await expect.poll(reads).toBe(1);
  await vi.advanceTimersByTimeAsync(3 * LIVE_MS);
  expect(reads()).toBe(1);
  screen.getByRole('button').click();
  await expect.poll(reads).toBe(2);
  for (const count of [3, 4, 5]) {
    await vi.advanceTimersByTimeAsync(LIVE_MS);
    await expect.poll(reads).toBe(count);
  }
  await vi.advanceTimersByTimeAsync(30_000);
  await expect.poll(reads).toBeGreaterThan(5);
  await vi.advanceTimersByTimeAsync(LIVE_MS);
  const settled = reads();
  await vi.advanceTimersByTimeAsync(3 * LIVE_MS);
  expect(reads()).toBe(settled);
});
