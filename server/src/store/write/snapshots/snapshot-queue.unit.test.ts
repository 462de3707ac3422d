import { describe, expect, it } from 'vitest';
import type { Outcome, ProbeRun } from '../../layout/types.ts';
import { SnapshotQueue, toQueued } from './snapshot-queue.ts';

const LIMITS = { maxRuns: 10, maxBytes: 1_000_000 };

function ran(at: number, text = 'x'): Outcome {
  return { kind: 'ran', collected_at: at, rows: [{ text }], history_by: undefined };
}
const failed: Outcome = { kind: 'failed', reason: 'The server is gone.' };

function run(at: number, outcome: Outcome, more: Partial<ProbeRun> = {}): ProbeRun {
  return {
    connection_id: 1,
    epoch: 1,
    probe: 'p',
    database_name: '',
    attempted_at: at,
    took_ms: 1,
    outcome,
    ...more,
  };
}

const waiting = (...of: Parameters<typeof run>) => toQueued(run(...of));

describe('what waits for the datastore', () => {
  it('is the newest run of each probe, connection and database', () => {
    const pending = new SnapshotQueue(LIMITS);
    pending.put(waiting(1, ran(1)));
    pending.put(waiting(2, ran(2, 'new')));
    pending.put(waiting(2, ran(2), { database_name: 'other' }));
    const taken = pending.take(LIMITS);
    expect(taken.map(({ database_name, attempted_at }) => [database_name, attempted_at])).toEqual([
      ['', 2],
      ['other', 2],
    ]);
    expect(taken[0]?.content?.rows).toContain('new');
    expect([pending.size, pending.bytes]).toEqual([0, 0]);
  });

  it('keeps the rows of the last good run below a failed one', () => {
    const pending = new SnapshotQueue(LIMITS);
    pending.put(waiting(1, ran(1, 'good')));
    pending.put(waiting(2, failed));
    const [taken] = pending.take(LIMITS);
    expect(taken).toMatchObject({ outcome: 'failed', attempted_at: 2, content: { collected_at: 1 } });
  });

  it('never mixes what was collected under different leases', () => {
    const pending = new SnapshotQueue(LIMITS);
    pending.put(waiting(1, ran(1)));
    pending.put(waiting(2, failed, { epoch: 2 }));
    expect(pending.take(LIMITS)[0]?.content).toBeUndefined();
  });

  it('puts back what failed below what came meanwhile', () => {
    const pending = new SnapshotQueue(LIMITS);
    pending.put(waiting(1, ran(1, 'first')));
    pending.put(waiting(1, ran(1, 'alone'), { probe: 'q' }));
    const taken = pending.take(LIMITS);
    pending.put(waiting(2, failed));
    pending.restore(taken);
    const again = pending.take(LIMITS);
    expect(again.map(({ probe, attempted_at }) => [probe, attempted_at])).toEqual([
      ['q', 1],
      ['p', 2],
    ]);
    expect(again[1]?.content?.rows).toContain('first');
  });

  it('stays within its bounds by dropping the oldest, and counts them', () => {
    const pending = new SnapshotQueue({ maxRuns: 3, maxBytes: 1_000_000 });
    for (const id of [1, 2, 3, 4, 5]) pending.put(waiting(id, ran(id), { connection_id: id }));
    expect([pending.size, pending.dropped]).toEqual([3, 2]);
    expect(pending.take(LIMITS).map(({ connection_id }) => connection_id)).toEqual([3, 4, 5]);

    const small = new SnapshotQueue({ maxRuns: 100, maxBytes: 10_000 });
    for (const id of [1, 2, 3]) small.put(waiting(id, ran(id, 'y'.repeat(4000)), { connection_id: id }));
    expect(small.bytes).toBeLessThanOrEqual(10_000);
    expect(small.dropped).toBe(1);
  });

  it('is taken in portions, at least one at a time', () => {
    const pending = new SnapshotQueue(LIMITS);
    for (const id of [1, 2, 3]) pending.put(waiting(id, ran(id, 'z'.repeat(5000)), { connection_id: id }));
    expect(pending.take({ maxRuns: 10, maxBytes: 1000 })).toHaveLength(1);
    expect(pending.take({ maxRuns: 1, maxBytes: 1_000_000 })).toHaveLength(1);
    expect(pending.take(LIMITS)).toHaveLength(1);
  });

  it('forgets a lease that was lost, but not the one after it', () => {
    const pending = new SnapshotQueue(LIMITS);
    pending.put(waiting(1, ran(1)));
    pending.put(waiting(1, ran(1), { epoch: 2, probe: 'q' }));
    pending.forget({ connection_id: 1, epoch: 1 });
    expect(pending.take(LIMITS).map(({ probe }) => probe)).toEqual(['q']);
  });
});
