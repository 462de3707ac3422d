// What counters of plans say of the time since the last reading, where a server restarts, another one answers, or not all was read.
import { expect, it } from 'vitest';
import type { KeptCounters } from '../../estate/server-logs/log-writes.service.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { counterOf, countPlans, type ReadPlan } from './counted-plans.ts';

const AT = Date.parse('2026-11-30T10:00:00Z');
const SHAPE = { database_name: 'shop', statement_key: '4711', plan_hash: 'a' };
const iso = (at: number) => new Date(at).toISOString();
const read = (calls: number, first_at: number | null = null, over: Partial<ReadPlan> = {}): ReadPlan => ({
  ...{ key: '5/10/4711/1', calls, ms: calls * 2, rest: [calls, 0, 0, 0], worst_ms: 9, last_at: null },
  ...{ database_name: 'shop', queryid: '4711', first_at, since: first_at === null ? null : iso(first_at) },
  ...over,
});
const kept = (one: ReadPlan | undefined, over: Partial<KeptCounters> = {}): KeptCounters => ({
  ...{ reading: 1, at: AT, server_instance: 'a', is_whole: true, ...over },
  items: one ? [{ ...one, shape: SHAPE }] : [],
});
function counted(before: KeptCounters | undefined, now: ReadPlan, server_instance = 'a') {
  const reading = { at: AT + 10 * MINUTE_MS, server_instance, is_whole: true, plans: [now] };
  return countPlans(before, reading)[0] ?? expect.fail();
}

it.each<[string, KeptCounters | undefined, ReadPlan, number]>([
  ['the first look', undefined, read(100), 0],
  ['runs since', kept(read(100)), read(103), 3],
  ['a reset', kept(read(100)), read(7), 7],
  ['a plan that is new', kept(undefined), read(7), 7],
  ['one that was not among those that were read', kept(undefined, { is_whole: false }), read(7), 0],
  ['one that says it is new', kept(undefined, { is_whole: false }), read(7, AT + MINUTE_MS), 7],
  ['one that says it is old', kept(undefined), read(7, AT - HOUR_MS), 0],
  ['runs since, of one that says since when', kept(read(100, AT - HOUR_MS)), read(103, AT - HOUR_MS), 3],
  ['one that came back with more runs', kept(read(3, AT - HOUR_MS)), read(8, AT + MINUTE_MS), 8],
  ['that of another server', kept(read(3, AT - HOUR_MS)), read(8, AT - 2 * HOUR_MS), 0],
])('%s', (_what, ...[before, now, calls]) => {
  expect(counted(before, now)).toMatchObject({ calls, ms: 2 * calls });
});

it('after a restart of the server, or on another one, counters that do not say since when are begun anew', () => {
  for (const before of [kept(read(100)), kept(undefined)])
    expect(counted(before, read(103), 'b')).toMatchObject({ calls: 0 });
});

it('what was counted before its text was read is added with it', () => {
  const first = counted(kept(undefined), read(7));
  expect(first.calls).toBe(7);
  const waiting = kept(undefined);
  const second = counted({ ...waiting, items: [counterOf(first, undefined)] }, read(9));
  expect(second.calls).toBe(9);
  expect(counted({ ...waiting, items: [counterOf(second, SHAPE)] }, read(10)).calls).toBe(1);
});

it('what an extension came to count later has no figure until the next reading', () => {
  expect(counted(kept(read(100, null, { rest: null })), read(103))).toMatchObject({ calls: 3, rest: null });
});
