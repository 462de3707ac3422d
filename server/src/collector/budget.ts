// How much of a monitored server's time collecting may take, and which probes run less often to stay within. Pure.
// Guards: the dearest probe gives way first and alone, in steps of two so that its phase stays on the grid; what cannot
// be lowered any further is never made up for by others; a probe that guards against disaster keeps its floor; what was
// slowed down comes back by itself, with some room to spare, so that nothing goes to and fro.

/** What a probe costs the server: one round is a run in each place it is read from. */
export interface ProbeCost {
  readonly name: string;
  /** As declared. */
  readonly interval_ms: number;
  /** Milliseconds of the server's time. */
  readonly round_ms: number;
  /** It waits at least so long already, because nothing goes on. */
  readonly adaptive_ms?: number;
  /** Never slowed down, and no reason to slow others down. */
  readonly isFixed: boolean;
  /** Of a probe that guards against disaster: it never waits longer than this. */
  readonly guard_ms?: number;
}

/** By how much the interval of a probe is stretched; one that is absent runs as declared. */
export type Factors = ReadonlyMap<string, number>;

const MOST = 64;
/** Intervals come back only while the load then stays this far below the budget. */
const ROOM = 0.8;

/** Percent of one core that a round takes which is repeated at that interval, or at the calm one where that is longer. */
export const roundPercent = (round_ms: number, interval_ms: number, adaptive_ms: number) =>
  (100 * round_ms) / Math.max(interval_ms, adaptive_ms);

const shareOf = ({ interval_ms, adaptive_ms = 0, round_ms }: ProbeCost, factor: number) =>
  roundPercent(round_ms, interval_ms * factor, adaptive_ms);

/** Percent of one core that the probe takes. */
export function percentOf(cost: ProbeCost, factors: Factors): number {
  return shareOf(cost, factors.get(cost.name) ?? 1);
}

/** Percent of one core that all of them take together. */
export function loadPercent(costs: readonly ProbeCost[], factors: Factors): number {
  return costs.reduce((sum, cost) => sum + percentOf(cost, factors), 0);
}

type Limits = Pick<ProbeCost, 'isFixed' | 'interval_ms' | 'guard_ms'>;

/** The largest factor that the probe may get: a power of two. */
function largestFactor({ isFixed, interval_ms, guard_ms }: Limits): number {
  if (isFixed) return 1;
  if (guard_ms === undefined) return MOST;
  return Math.max(1, Math.min(MOST, 2 ** Math.floor(Math.log2(guard_ms / interval_ms))));
}

/**
 * The factors under which what can be lowered is within `percent`. The dearest is doubled until it holds or it is at its
 * largest factor, and only then the next. A smaller `percent` never gives a smaller factor, since it only goes on further.
 */
function within(costs: readonly ProbeCost[], percent: number): Factors {
  const factors = new Map<string, number>();
  const able = costs.filter(isLowerable);
  let load = loadPercent(able, factors);
  for (const cost of able.toSorted((a, b) => shareOf(b, 1) - shareOf(a, 1))) {
    const { name, round_ms } = cost;
    let factor = 1;
    while (load > percent && round_ms > 0 && factor < largestFactor(cost)) {
      load -= shareOf(cost, factor) - shareOf(cost, factor * 2);
      factor *= 2;
      factors.set(name, factor);
    }
    // What is left of it cannot be lowered, so the others do not have to make up for it.
    if (factor === largestFactor(cost)) load -= shareOf(cost, factor);
  }
  return factors;
}

/** Whether the budget can lower what the probe takes at all. */
export const isLowerable = (limits: Limits): boolean => largestFactor(limits) > 1;

/** The factors to go on with, from those in force. */
export function stretch(costs: readonly ProbeCost[], inForce: Factors, budgetPercent: number): Factors {
  const least = within(costs, budgetPercent);
  const most = within(costs, budgetPercent * ROOM);
  const factors = new Map<string, number>();
  for (const { name } of costs) {
    const factor = Math.min(Math.max(inForce.get(name) ?? 1, least.get(name) ?? 1), most.get(name) ?? 1);
    if (factor > 1) factors.set(name, factor);
  }
  return factors;
}

/** What the person is told about a probe that was slowed down. */
export const slowedDown = (budgetPercent: number) =>
  `Slowed down to stay within the budget of ${budgetPercent} % of one core.`;
