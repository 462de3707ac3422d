// How much of a monitored server's time collecting may take, and which probes run less often to stay within. Pure.
// Guards: the dearest probes give way first, in steps of two so that their phases stay on the grid; a probe that
// shows whether the server lives never does; what was slowed down comes back by itself, with some room to spare, so
// that nothing goes to and fro.

/** What a probe costs the server: one round is a run in each place it is read from. */
export interface ProbeCost {
  readonly name: string;
  /** As declared. */
  readonly interval_ms: number;
  /** Milliseconds of the server's time. */
  readonly round_ms: number;
  /** It waits at least so long already, because nothing goes on. */
  readonly calm_ms?: number;
  /** Never slowed down. */
  readonly isFixed: boolean;
}

/** By how much the interval of a probe is stretched; one that is absent runs as declared. */
export type Factors = ReadonlyMap<string, number>;

const MOST = 64;
/** Intervals come back only while the load then stays this far below the budget. */
const ROOM = 0.8;

/** Percent of one core that a round takes which is repeated at that interval, or at the calm one where that is longer. */
export const roundPercent = (round_ms: number, interval_ms: number, calm_ms: number) =>
  (100 * round_ms) / Math.max(interval_ms, calm_ms);

const shareOf = ({ interval_ms, calm_ms = 0, round_ms }: ProbeCost, factor: number) =>
  roundPercent(round_ms, interval_ms * factor, calm_ms);

/** Percent of one core that the probe takes. */
export function percentOf(cost: ProbeCost, factors: Factors): number {
  return shareOf(cost, factors.get(cost.name) ?? 1);
}

/** Percent of one core that all of them take together. */
export function loadPercent(costs: readonly ProbeCost[], factors: Factors): number {
  return costs.reduce((sum, cost) => sum + percentOf(cost, factors), 0);
}

function dearest(costs: readonly ProbeCost[], factors: Factors): ProbeCost | undefined {
  const able = costs.filter(
    ({ name, isFixed, round_ms }) => !isFixed && round_ms > 0 && (factors.get(name) ?? 1) < MOST,
  );
  return able.toSorted((a, b) => percentOf(b, factors) - percentOf(a, factors))[0];
}

/** The slowed probe whose return one step back adds least. */
function cheapest(costs: readonly ProbeCost[], factors: Factors): ProbeCost | undefined {
  const slowed = costs.filter(({ name }) => factors.has(name));
  return slowed.toSorted((a, b) => percentOf(a, factors) - percentOf(b, factors))[0];
}

/** The factors to go on with, from those in force. */
export function stretch(costs: readonly ProbeCost[], inForce: Factors, budgetPercent: number): Factors {
  const names = new Set(costs.map(({ name }) => name));
  const factors = new Map([...inForce].filter(([name]) => names.has(name)));
  let load = loadPercent(costs, factors);
  if (load > budgetPercent) {
    while (load > budgetPercent) {
      const next = dearest(costs, factors);
      if (!next) break;
      factors.set(next.name, (factors.get(next.name) ?? 1) * 2);
      load = loadPercent(costs, factors);
    }
    return factors;
  }
  for (let next = cheapest(costs, factors); next; next = cheapest(costs, factors)) {
    const factor = factors.get(next.name) ?? 1;
    if (load - shareOf(next, factor) + shareOf(next, factor / 2) > budgetPercent * ROOM) break;
    if (factor > 2) factors.set(next.name, factor / 2);
    else factors.delete(next.name);
    load = loadPercent(costs, factors);
  }
  return factors;
}

/** What the person is told about a probe that was slowed down. */
export const slowedDown = (budgetPercent: number) =>
  `Slowed down to stay within the budget of ${budgetPercent} % of one core.`;
