// How often what is shown is read again: as often as it says, and like live facts for a while after a change here; what was
// refused a moment ago is not asked again, what failed is, and by itself.
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { Refusal, startApi } from '../testing/api.ts';
import { show } from '../testing/show.tsx';
import { LIVE_MS, readAhead, useOperation, useOperationMutation } from './use-operation.ts';

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

function Host() {
  const server = useOperation('getServerInfo', { params: { connection_id: 7 } });
  return <p>{server.error?.message}</p>;
}

it.each([
  { status: 403, ms: 0, times: 1 },
  { status: 403, ms: 15_000, times: 2 },
  { status: 503, ms: 0, times: 2 },
] as const)(
  'asks $times times in all what was answered with $status $ms ms before anything showed it',
  async ({ status, ms, times }) => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const api = await startApi({ getServerInfo: new Refusal(status, 'Not now.') });
    const { client } = show(null);
    await readAhead(client, 'getServerInfo', { params: { connection_id: 7 } });
    await vi.advanceTimersByTimeAsync(ms);
    render(
      <QueryClientProvider client={client}>
        <Host />
      </QueryClientProvider>,
    );
    await screen.findByText('Not now.');
    await expect.poll(() => client.isFetching()).toBe(0);
    expect(api.sent.filter(({ operation }) => operation === 'getServerInfo')).toHaveLength(times);
  },
);

it('asks again by itself for what failed, also where it is read once only', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const api = await startApi({ getServerInfo: new Refusal(503, 'Not now.') });
  show(<Host />);
  await screen.findByText('Not now.');
  const reads = () => api.sent.filter(({ operation }) => operation === 'getServerInfo').length;
  await vi.advanceTimersByTimeAsync(29_000);
  expect(reads()).toBe(1);
  api.answer({ getServerInfo: new Refusal(403, 'Not for you.') });
  await vi.advanceTimersByTimeAsync(2000);
  await screen.findByText('Not for you.');
  await vi.advanceTimersByTimeAsync(120_000);
  expect(reads()).toBe(2);
});
