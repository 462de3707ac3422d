import { expect, it } from 'vitest';
import { run } from '../../../testing/store/storing.ts';
import type { Outcome } from '../../layout/types.ts';
import { SnapshotThrottle, toQueued } from './snapshot-queue.ts';

const ran = (at: number): Outcome => ({
  kind: 'ran',
  collected_at: at,
  rows: [{ n: at }],
  history_by: undefined,
});
const pending = (at: number, outcome: Outcome = ran(at)) => toQueued(run(7, at, outcome), false);

it('the same again is written every five seconds, with the newest moment', () => {
  const throttle = new SnapshotThrottle();
  const written = Array.from({ length: 12 }, (_, n) => throttle.add(pending(n * 1000), n * 1000));
  expect(written.flatMap((one, n) => (one ? [n] : []))).toEqual([0, 5, 10]);
  expect(throttle.size).toBe(1);
  expect(throttle.release(14_000)).toEqual([]);
  expect(throttle.release(15_000)).toMatchObject([{ content: { collected_at: 11_000 } }]);
  expect(throttle.size).toBe(0);
  expect(throttle.add(pending(16_000), 16_000)).toBeUndefined();
  expect(throttle.release(16_000, true)).toHaveLength(1);
});

it('what differs is written at once, with the rows that were held', () => {
  const throttle = new SnapshotThrottle();
  throttle.add(pending(0), 0);
  expect(throttle.add(pending(1000), 1000)).toBeUndefined();
  const failed = throttle.add(pending(2000, { kind: 'failed', reason: 'gone' }), 2000);
  expect(failed).toMatchObject({ outcome: 'failed', reason: 'gone', content: { collected_at: 1000 } });
  expect(throttle.size).toBe(0);
  expect(throttle.add(pending(3000, { kind: 'failed', reason: 'other' }), 3000)).toMatchObject({
    reason: 'other',
  });
});

it('what has left is forgotten', () => {
  const throttle = new SnapshotThrottle();
  throttle.add(pending(0), 0);
  throttle.add(pending(1000), 1000);
  throttle.leave(7);
  expect(throttle.size).toBe(0);
  expect(throttle.add(pending(2000), 2000)).toBeDefined();
});
