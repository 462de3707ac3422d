// Which probes of a server are read before their time. Pure. Guards: what is switched off, fails, or was slowed down by the budget of our
// own cost keeps its time.
import type { Probe } from '../probes/types.ts';
import { gapMs } from '../store/layout/intervals.ts';
import type { Factors } from './budget.ts';
import type { Slot } from './slots.ts';

/** Once for each reading of the probe that sees it going on, which takes its time. */
const LEAST_MS = 5000;

/** After the first reading of what needs two another one comes so soon. */
export const SECOND_READING_MS = 60_000;

/** Tells little before it was read twice. */
export const needsTwoReadings = ({ columns, compare }: Pick<Probe, 'columns' | 'compare'>): boolean =>
  compare !== undefined || columns.some(({ kind }) => kind === 'counter');

/** What was read that long before is compared with nothing. */
export const isAfterSilence = (ranAt: number | undefined, now: number, intervalMs: number): boolean =>
  ranAt !== undefined && now - ranAt > gapMs(intervalMs / 1000);

/** What tells one server from another. */
export const tellsServer = ({ probe }: Slot): boolean => probe.onIdentity === true;

/** What measures that which a row of the probe says is going on. */
export const measured =
  ({ hurries }: Pick<Probe, 'hurries'>, { now, factors }: { now: number; factors: Factors }) =>
  ({ probe, due, failures, ranAt }: Slot): boolean =>
    probe.name === hurries &&
    Number.isFinite(due) &&
    failures === 0 &&
    ranAt !== undefined &&
    now - ranAt >= LEAST_MS &&
    !factors.has(probe.name);
