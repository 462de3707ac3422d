// What collecting from one monitored server costs it, held against the budget: after each tick it says how far the
// plan has to stretch, and once a minute what there is to write down, which is what has changed since.

import { HOUR_MS } from '../kernel/units.ts';
import type { Probe } from '../probes/types.ts';
import {
  type Factors,
  isLowerable,
  loadPercent,
  type ProbeCost,
  percentOf,
  roundPercent,
  slowedDown,
  stretch,
} from './budget.ts';
import { CostMeter, type HourCost, type RunCost } from './cost-meter.ts';

/** Stands for what the collector asks beside the probes: capabilities and the list of databases. */
export const COLLECTOR = 'collector';

/** A probe as the plan has it now. */
export interface Planned {
  readonly probe: Probe;
  /** Where it is read: the server, or each of its databases. */
  readonly reads: number;
  /** The least time between its rounds for want of anything going on, in milliseconds. */
  readonly adaptive_ms?: number;
}

/** Tells of each probe the same as a `Planned` does. */
export type EachPlanned = (tell: (probe: Probe, reads: number, adaptive_ms: number) => void) => void;

export interface CostReport extends HourCost {
  readonly probe: string;
  readonly sessions: number | null;
  readonly cost_percent: number | null;
  readonly interval_seconds: number;
  readonly note: string | null;
  /** It runs more or less often than it was reported to. */
  readonly isPaceNew: boolean;
  /** Our entries of pg_stat_statements, and the most that we take there; of the probe `collector` only. */
  readonly statement_entries: number | null;
  readonly statement_entries_limit: number | null;
}

/** What was reported of a probe, without the sums: where this is the same, so are they. */
interface Reported {
  readonly noted: number;
  readonly since: number;
  readonly cost_percent: number | null;
  readonly interval_seconds: number;
  /** Everything is reported once an hour, whatever became of the datastore meanwhile. */
  readonly hour: number;
}

const isSame = (a: Reported | undefined, b: Reported) =>
  a !== undefined &&
  a.noted === b.noted &&
  a.since === b.since &&
  a.cost_percent === b.cost_percent &&
  a.interval_seconds === b.interval_seconds &&
  a.hour === b.hour;

/** How far the budget may slow the probe down. */
const limitsOf = (probe: Probe): Pick<ProbeCost, 'interval_ms' | 'isFixed' | 'guard_ms'> => ({
  interval_ms: probe.intervalSeconds * 1000,
  isFixed: probe.roundTripColumn !== undefined,
  ...(probe.guardSeconds !== undefined && { guard_ms: probe.guardSeconds * 1000 }),
});

/** The list of databases; capabilities come less often. */
const OWN_INTERVAL_SECONDS = 60;

/** How often it is held against the budget. */
const SETTLE_MS = 10_000;

export class OwnCost {
  readonly #budgetPercent: number;
  readonly #meter: CostMeter;
  readonly #reported = new Map<string, Reported>();
  #factors: Factors = new Map();
  #sessions = 0;
  #mostSessions = 0;
  readonly #settleMs: number;
  #settledAt = Number.NEGATIVE_INFINITY;
  #extraUntil = Number.NEGATIVE_INFINITY;
  /** Of the last ping: the part of a first answer that is not the server's time. */
  roundTripMs = 0;

  constructor(options: { budgetPercent: number; windowMs?: number }) {
    this.#budgetPercent = options.budgetPercent;
    this.#meter = new CostMeter(options.windowMs);
    this.#settleMs = Math.min(SETTLE_MS, (options.windowMs ?? 10 * SETTLE_MS) / 10);
  }

  get factors(): Factors {
    return this.#factors;
  }

  note(probe: string, run: RunCost, now: number): void {
    this.#meter.note(probe, run, now);
  }

  /** What was spent for a run of the probe beside its own statement. */
  add(probe: string, took_ms: number, now: number): void {
    this.#meter.add(probe, took_ms, now);
  }

  /**
   * From when on one reading more of the probe keeps within the budget, together with those that were asked for before; undefined where
   * its cost was not measured.
   */
  extraFrom(probe: string, now: number): number | undefined {
    const mean = this.#meter.meanMs(probe);
    if (mean === undefined) return undefined;
    const spent = (100 * mean) / this.#budgetPercent;
    this.#extraUntil = Math.max(this.#extraUntil, now) + spent;
    return this.#extraUntil;
  }

  opened(): void {
    this.#sessions += 1;
    this.#mostSessions = Math.max(this.#mostSessions, this.#sessions);
  }

  closed(): void {
    this.#sessions -= 1;
  }

  #costs(planned: readonly Planned[], now: number): ProbeCost[] {
    const probes = planned.flatMap(({ probe, reads, adaptive_ms = 0 }) => {
      const mean = this.#meter.meanMs(probe.name);
      if (mean === undefined) return [];
      const { name } = probe;
      return { name, ...limitsOf(probe), adaptive_ms, round_ms: mean * reads };
    });
    const round_ms = this.#meter.recentPercent(COLLECTOR, now);
    return [...probes, { name: COLLECTOR, interval_ms: 100, round_ms, isFixed: true }];
  }

  /** It is time to settle; asked when it is, it is not again for a while. */
  isDue(now: number): boolean {
    if (now - this.#settledAt < this.#settleMs) return false;
    this.#settledAt = now;
    return true;
  }

  /** Whether nothing is slowed down and nothing has to be, as is nearly always so. Makes no objects to find out. */
  isWithinBudget(each: EachPlanned): boolean {
    if (this.#factors.size > 0) return false;
    let percent = 0;
    each((probe, reads, adaptive_ms) => {
      const mean = this.#meter.meanMs(probe.name);
      if (mean !== undefined && isLowerable(limitsOf(probe)))
        percent += roundPercent(mean * reads, probe.intervalSeconds * 1000, adaptive_ms);
    });
    return percent <= this.#budgetPercent;
  }

  /** Holds what was measured against the budget; answers the factors when they changed. */
  settle(planned: readonly Planned[], now: number): Factors | undefined {
    const before = this.#factors;
    const next = stretch(this.#costs(planned, now), before, this.#budgetPercent);
    const isSame = next.size === before.size && [...next].every(([name, by]) => before.get(name) === by);
    if (isSame) return undefined;
    this.#factors = next;
    return next;
  }

  /** Percent of one core that collecting takes now. */
  load(planned: readonly Planned[], now: number): number {
    return loadPercent(this.#costs(planned, now), this.#factors);
  }

  /** What was not reported before, or has changed since. */
  report(planned: readonly Planned[], now: number): CostReport[] {
    const costs = new Map(this.#costs(planned, now).map((cost) => [cost.name, cost]));
    const intervals = new Map(planned.map(({ probe }) => [probe.name, probe.intervalSeconds]));
    const reports: CostReport[] = [];
    for (const probe of new Set([COLLECTOR, ...this.#meter.names])) {
      const cost = costs.get(probe);
      const factor = this.#factors.get(probe) ?? 1;
      const cost_percent = cost ? percentOf(cost, this.#factors) : null;
      const interval_seconds = (intervals.get(probe) ?? OWN_INTERVAL_SECONDS) * factor;
      const hour = Math.floor(now / HOUR_MS);
      const reported = { ...this.#meter.mark(probe, now), cost_percent, interval_seconds, hour };
      const before = this.#reported.get(probe);
      if (probe !== COLLECTOR && isSame(before, reported)) continue;
      this.#reported.set(probe, reported);
      reports.push({
        ...this.#meter.hour(probe, now),
        probe,
        sessions: probe === COLLECTOR ? this.#mostSessions : null,
        cost_percent,
        interval_seconds,
        note: factor > 1 ? slowedDown(this.#budgetPercent) : null,
        statement_entries: null,
        statement_entries_limit: null,
        isPaceNew: before ? before.interval_seconds !== interval_seconds : factor > 1,
      });
    }
    this.#mostSessions = this.#sessions;
    return reports;
  }

  /** The next report is of everything: what was reported was not written down. */
  reportAnew(): void {
    this.#reported.clear();
  }
}
