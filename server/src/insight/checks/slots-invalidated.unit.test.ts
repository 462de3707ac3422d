// Slots that the server has invalidated: why, and where it is told. The rule and the check judge alike.
import { expect, it } from 'vitest';
import { meetsAll } from '../../probes/conditions.ts';
import { probe } from '../../probes/pg-replication-slots.ts';
import type { Row } from '../../store/layout/types.ts';
import { Facts } from './facts.ts';
import { check as lostSlot } from './lost-slot.ts';

const slot = (more: Row = {}): Row => ({
  ...{ slot_name: 's', slot_type: 'logical', temporary: false, synced: false, wal_status: 'lost' },
  ...{ invalidation_reason: null, conflicting: null, ...more },
});

function judged(row: Row) {
  const readings = new Map([['pg_replication_slots', [{ database_name: '', collected_at: 1, rows: [row] }]]]);
  return lostSlot.judge(new Facts({ now: 1, readings })).found[0];
}

function isCounted(name: string, row: Row): boolean {
  const { value } = probe.metrics?.find((metric) => metric.name === name) ?? expect.fail(name);
  return value.kind === 'rows' && meetsAll((column) => row[column], value.where);
}

it('one copied from a primary, or of a session, is told by neither', () => {
  expect(isCounted('lost', slot())).toBe(true);
  for (const row of [slot({ synced: true }), slot({ temporary: true })]) {
    expect(isCounted('lost', row)).toBe(false);
    expect(judged(row)).toBeUndefined();
    expect(isCounted('at_risk', { ...row, wal_status: 'unreserved' })).toBe(false);
  }
  expect(isCounted('at_risk', slot({ wal_status: 'unreserved' }))).toBe(true);
});

it('the reason is told in words, and what helps is of the reason', () => {
  const rows = judged(slot({ invalidation_reason: 'rows_removed', conflicting: true }));
  expect(rows?.message).toContain('is lost (rows_removed: the primary removed rows that it needs).');
  expect(rows?.remedy).toContain('set hot_standby_feedback = on');
  expect(judged(slot({ conflicting: true }))?.message).toContain('(it conflicted with recovery)');
  const wal = judged(slot({ invalidation_reason: 'wal_removed', conflicting: false }));
  expect(wal?.message).toContain('(wal_removed: WAL that it needs was removed)');
  expect(wal?.remedy).not.toContain('hot_standby_feedback');
  expect(judged(slot())?.message).toContain('"s" is lost. Its');
});
