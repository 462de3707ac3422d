// Triggers that took a share of the statement worth speaking of. Pure.
import type { Plan } from '../types.ts';

const WORTH_SHARE = 0.25;
const WORTH_MS = 20;

interface CostlyTrigger {
  name: string;
  ms: number;
  calls: number;
}

export const isOfConstraint = (name: string): boolean => name.startsWith('constraint ');

/** The costliest first. */
export function costlyTriggers({ triggers }: Plan, total: number | null): CostlyTrigger[] {
  return triggers
    .flatMap(({ name, ms, calls }) =>
      ms === null || calls === null || calls === 0 || total === null ? [] : [{ name, ms, calls }],
    )
    .filter(({ ms }) => ms >= WORTH_MS && ms >= WORTH_SHARE * (total ?? 0))
    .toSorted((a, b) => b.ms - a.ms);
}
