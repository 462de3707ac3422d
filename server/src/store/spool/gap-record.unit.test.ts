// Gaps until they are stored: handed over as often as need be, and let go only when nothing has come since.
import { describe, expect, it } from 'vitest';
import { GapRecord } from './gap-record.ts';

const lost = (n: number) => ({ seq: n, connections: [7], from: n * 1000, to: n * 1000 + 500 });
const nobody = () => expect.fail('nobody has it yet');

function withGap(): GapRecord {
  const gaps = new GapRecord();
  gaps.add('disk', lost(1), -1);
  return gaps;
}

describe('a gap', () => {
  it('that no disk takes is handed over from memory, and the disk is asked again later', () => {
    const gaps = withGap();
    expect(gaps.isDue).toBe(true);
    gaps.item(2, 0, nobody).done(false);
    expect(gaps.isDue).toBe(false);
    const handed = gaps.handOver();
    expect(handed?.gaps).toEqual([{ connection_id: 7, from: 1000, to: 1500, reason: 'disk' }]);
    gaps.retry();
    expect(gaps.isDue).toBe(true);
    gaps.stored(handed?.seq ?? 0);
    expect([gaps.size, gaps.isDue, gaps.handOver()]).toEqual([0, false, undefined]);
  });

  it('that came after the others were handed over is handed over again', () => {
    const gaps = withGap();
    const first = gaps.handOver();
    gaps.add('disk', lost(5), 4);
    expect(gaps.stored(first?.seq ?? 0)).toEqual([]);
    expect(gaps.size).toBe(2);
    const second = gaps.handOver();
    expect(second?.seq).not.toBe(first?.seq);
    expect(second?.gaps.map(({ from }) => from)).toEqual([1000, 5000]);
    gaps.stored(second?.seq ?? 0);
    expect(gaps.size).toBe(0);
  });

  it('that is stored needs none of its records, also one that the disk gave up or takes just then', () => {
    const gaps = withGap();
    for (const seq of [2, 3]) gaps.item(seq, 0, nobody).done(true);
    gaps.dropped(2);
    expect(gaps.isDue).toBe(false);
    const handed = gaps.handOver();
    gaps.dropped(3);
    expect(gaps.isDue).toBe(true);
    gaps.item(4, 0, nobody).done(true);
    let late = 0;
    const onItsWay = gaps.item(5, 0, () => {
      late += 1;
    });
    // That a record was given up makes no other gap.
    expect(gaps.stored(handed?.seq ?? 0)).toEqual([4]);
    expect(gaps.size).toBe(0);
    onItsWay.done(true);
    expect([late, gaps.isDue]).toEqual([1, false]);
  });
});
