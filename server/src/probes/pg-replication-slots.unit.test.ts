// When a slot is called abandoned, from one reading to the next.
import { expect, it } from 'vitest';
import { stillSlots } from './pg-replication-slots.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const slot = (more: object = {}) => ({
  ...{ slot_name: 's', active: false, restart_lsn: '0/1', confirmed_flush_lsn: null, inactive_since: null },
  ...{ is_abandoned: true, still_since: null, ...more },
});

/** Whether it is abandoned after each reading, so many seconds after the first. */
function over(...readings: readonly (readonly [seconds: number, row: ReturnType<typeof slot>])[]): unknown[] {
  let before: Parameters<typeof stillSlots>[1];
  return readings.map(([seconds, row]) => {
    before = stillSlots({ rows: [row], at: START + seconds * 1000 }, before);
    return before[0]?.is_abandoned;
  });
}

it('one that holds still for a minute is, and one that moves is not', () => {
  expect(over([0, slot()], [30, slot()], [60, slot()], [90, slot()])).toEqual([false, false, true, true]);
  expect(over([0, slot()], [300, slot()])).toEqual([false, true]);
  expect(over([0, slot()], [300, slot({ restart_lsn: '0/2' })], [600, slot({ restart_lsn: '0/3' })])).toEqual(
    [false, false, false],
  );
  expect(over([0, slot()], [300, slot({ confirmed_flush_lsn: '0/2' })])).toEqual([false, false]);
});

it('a consumer that restarts between two readings begins anew', () => {
  const used = slot({ active: true, is_abandoned: false });
  expect(over([0, used], [30, slot()], [60, used], [90, slot()], [150, slot()])).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

it('a server that says since when nobody uses it is believed at the first reading', () => {
  expect(over([0, slot({ inactive_since: '2025-12-31T00:00:00Z' })])).toEqual([true]);
});

it('what the server calls in use, lost or kept in step stays so', () => {
  expect(over([0, slot({ is_abandoned: false })], [300, slot({ is_abandoned: false })])).toEqual([
    false,
    false,
  ]);
});
