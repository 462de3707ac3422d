// What happened since the last reading, by counters of plans that an extension keeps. Pure. Guards: what was counted before the first look is
// never taken for something that happens now; a plan that is new counts from its first run; one that was reset or came back counts anew.
import type { KeptCounters, PlanCounter, PlanShape } from '../../estate/server-logs/log-writes.service.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { keyColumns, type Probe } from '../../probes/types.ts';
import { type ReadRow, valueIn } from '../../store/layout/types.ts';

export interface PlanReading {
  readonly at: number;
  readonly server_instance: string | null;
  readonly is_whole: boolean;
  /** The dearest of each database first. */
  readonly plans: readonly ReadPlan[];
}

export interface ReadPlan extends Omit<PlanCounter, 'shape'> {
  readonly database_name: string;
  readonly queryid: string;
  readonly worst_ms: number | null;
  /** By our clock; null: not told. */
  readonly first_at: number | null;
  readonly last_at: number | null;
}

/** Of one plan since the last reading. */
export interface CountedPlan {
  readonly read: ReadPlan;
  /** From where its runs are counted, with the shape that is known of it. */
  readonly from: PlanCounter;
  readonly calls: number;
  readonly ms: number;
  readonly rest: readonly number[] | null;
}

const KEY = /^\d{1,20}\/\d{1,20}(?:\/-?\d{1,20}){2}(?:\/(?:true|false))?$/;
const REST = ['rows', 'blks_hit', 'blks_read', 'temp_blks'] as const;
/** By how much two clocks may be apart. */
const SLACK_MS = MINUTE_MS;

const timeIn = (row: ReadRow, column: string): number | null => {
  const value = valueIn(row, column);
  return typeof value === 'string' ? Date.parse(value) : null;
};

/** Undefined: it is hidden from us, or no plan. */
export function readPlan(probe: Probe, row: ReadRow, database_name: string): ReadPlan | undefined {
  const key = keyColumns(probe)
    .map((name) => String(valueIn(row, name)))
    .join('/');
  const [calls, ms] = [Number(valueIn(row, 'calls') ?? 0), valueIn(row, 'total_exec_time')];
  if (!KEY.test(key) || !(calls > 0) || typeof ms !== 'number') return undefined;
  const rest = REST.map((name) => valueIn(row, name));
  const [since, worst] = [valueIn(row, 'stats_since'), valueIn(row, 'max_exec_time')];
  return {
    ...{ key, calls, ms, database_name, queryid: String(valueIn(row, 'queryid')) },
    rest: rest.includes(undefined) || rest.includes(null) ? null : rest.map(Number),
    since: typeof since === 'string' ? since : null,
    worst_ms: typeof worst === 'number' ? worst : null,
    ...{ first_at: timeIn(row, 'first_call'), last_at: timeIn(row, 'last_call') },
  };
}

/** It counts on from what it had counted. */
const goesOn = (read: ReadPlan, base: PlanCounter, isSameLife: boolean): boolean =>
  read.since === base.since && (read.since !== null || isSameLife) && read.calls >= base.calls;

/** All that it counts came after the reading before. Another server may answer at the address, whose counters say nothing of now. */
function isLater(
  { first_at, since }: ReadPlan,
  base: PlanCounter | undefined,
  { at, is_whole, isSameLife }: Pick<KeptCounters, 'at' | 'is_whole'> & { isSameLife: boolean },
): boolean {
  if (first_at === null) return isSameLife && (base !== undefined || is_whole);
  return first_at >= at - SLACK_MS || since === base?.since;
}

const increases = (now: readonly number[], base: readonly number[]) =>
  now.map((value, index) => Math.max(0, value - (base[index] ?? value)));

export function countPlans(before: KeptCounters | undefined, reading: PlanReading): CountedPlan[] {
  const bases = new Map(before?.items.map((one) => [one.key, one]));
  const isSameLife = before?.server_instance === reading.server_instance;
  return reading.plans.map((read) => {
    const { key, since, calls, ms, rest } = read;
    const base = bases.get(key);
    const isNew = before !== undefined && isLater(read, base, { ...before, isSameLife });
    const nothing = { calls: 0, ms: 0, rest: rest?.map(() => 0) ?? null };
    const from = base && goesOn(read, base, isSameLife) ? base : isNew ? nothing : read;
    return {
      read,
      from: { key, since, calls: from.calls, ms: from.ms, rest: from.rest, shape: base?.shape ?? null },
      calls: calls - from.calls,
      ms: Math.max(0, ms - from.ms),
      // An extension that came to count them has no base of them: all that they say is of before.
      rest: rest && from.rest ? increases(rest, from.rest) : null,
    };
  });
}

/** What is kept of it for the next reading: all that was counted is added as soon as its shape is known, and not before. */
export function counterOf({ read, from }: CountedPlan, shape: PlanShape | undefined): PlanCounter {
  if (!shape) return from;
  const { key, since, calls, ms, rest } = read;
  const { database_name, statement_key, plan_hash } = shape;
  return { key, since, calls, ms, rest, shape: { database_name, statement_key, plan_hash } };
}
