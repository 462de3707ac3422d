// Lag of a cluster on the screen: a line for each standby, with what the server says of the metric, and the reason of one
// that nobody knows.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { LagHistory } from './lag-history.tsx';

const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';
const BUCKETS = 120;

const values = (value: number) => Array.from({ length: BUCKETS }, (_none, n) => (n < 60 ? value : null));

const ANSWERS: Answers = {
  getClusterLag: {
    start_time: '2026-11-20T10:00:00.000Z',
    end_time: '2026-11-20T12:00:00.000Z',
    bucket_seconds: 60,
    metrics: [
      { name: 'lag_bytes', unit: 'bytes', description: 'What is not replayed yet.' },
      { name: 'replay_lag_seconds', unit: 'seconds', description: 'How late.' },
    ],
    streams: [
      {
        source_connection_id: 2,
        target_connection_id: 1,
        application_name: 'b',
        lag_bytes: { values: values(4096) },
        replay_lag_seconds: { values: values(3) },
        reason: null,
      },
      {
        source_connection_id: 3,
        target_connection_id: 1,
        application_name: null,
        lag_bytes: { values: values(0).map(() => null) },
        replay_lag_seconds: { values: values(0).map(() => null) },
        reason: 'orders-a had no sender in this time that is known to have served orders-c.',
      },
    ],
  },
  listTimelineEvents: { total_count: 0, events: [] },
};

const nameOf = (id: number) => ['', 'orders-a', 'orders-b', 'orders-c'][id] ?? '';

async function open(answers: Answers = ANSWERS) {
  const api = await startApi(answers);
  show(<LagHistory ids={[1, 2, 3]} cluster="cluster-4" nameOf={nameOf} />, { at: `/clusters/4?${WINDOW}` });
  return api;
}

it('draws the lag of each standby over the window of the page, and says which nobody knows', async () => {
  const api = await open();
  const chart = await screen.findByRole('figure', { name: 'Lag' });
  expect(within(chart).getByRole('slider').getAttribute('aria-valuetext')).toContain('orders-b 4 kB');
  await screen.findByRole('figure', { name: 'Replay lag' });
  await screen.findByText('orders-a had no sender in this time that is known to have served orders-c.');
  const asked = api.sent.find(({ operation }) => operation === 'getClusterLag');
  expect(asked?.path).toContain(
    'start_time=2026-11-20T10%3A00%3A00.000Z&end_time=2026-11-20T12%3A00%3A00.000Z',
  );
});

it('says why where nothing at all is known, without an empty chart', async () => {
  const { getClusterLag } = ANSWERS;
  if (typeof getClusterLag !== 'object' || !('streams' in getClusterLag)) throw new Error('an answer');
  await open({ ...ANSWERS, getClusterLag: { ...getClusterLag, streams: getClusterLag.streams.slice(1) } });
  await screen.findByText(/^orders-a had no sender/);
  expect(screen.queryByRole('figure')).toBeNull();
});
