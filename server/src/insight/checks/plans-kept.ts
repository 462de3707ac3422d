// How statements were planned when they were seen last, and how before: what is kept of a server from one reading of its plans to the
// next. Pure. Guards: a plan is compared with the one that was good, however many bad ones came after it; counters that began anew are
// counted from there.
import { type Facts, objectsIn } from './facts.ts';
import { number, tablesOf, text } from './index-workload.ts';
import { type Counted, type KeptPlan, type KeptPlans, type PlanBefore, planKey } from './kept-plan.ts';

/** Fewer calls tell nothing of what one takes. */
export const LEAST_CALLS = 20;
/** So many times what it took before. */
export const LEAST_FACTOR = 1.5;

/** Since counters stood at `base`; from the beginning where they began anew. */
export function since(now: Counted, base: Counted): Counted {
  if (now.calls < base.calls || now.time_ms < base.time_ms) return now;
  return {
    calls: now.calls - base.calls,
    time_ms: now.time_ms - base.time_ms,
    all_ms: Math.max(now.time_ms - base.time_ms, now.all_ms - base.all_ms),
  };
}

export const meanOf = ({ calls, time_ms }: Counted): number | null => (calls > 0 ? time_ms / calls : null);

/** The plan that a new one is measured by. */
function reference(kept: KeptPlan, changed_at: number): PlanBefore | null {
  const { before, shape } = kept;
  const own = before ? since(kept, before.base) : kept;
  const base: Counted = { calls: kept.calls, time_ms: kept.time_ms, all_ms: kept.all_ms };
  const mean = meanOf(own);
  const isWorse = before !== null && (mean === null || mean >= LEAST_FACTOR * before.mean_ms);
  if (isWorse) return { ...before, changed_at, base };
  return mean === null ? null : { shape, mean_ms: mean, calls: own.calls, changed_at, base };
}

function next(kept: KeptPlan | undefined, seen: Omit<KeptPlan, 'before'>): KeptPlan {
  if (!kept) return { ...seen, before: null };
  if (seen.seen_at <= kept.seen_at) return kept;
  if (seen.shape === kept.shape) return { ...seen, before: kept.before };
  return { ...seen, before: reference(kept, seen.seen_at) };
}

/** What was kept, with what was read since. */
export function plansNow(kept: KeptPlans, facts: Facts): Map<string, KeptPlan> {
  const plans = new Map(kept);
  for (const { item, statements, all_ms } of tablesOf(facts))
    for (const one of objectsIn(statements)) {
      const shape = text(one, 'plan');
      const { database_name, collected_at } = item;
      const seen = {
        ...{ database_name, queryid: text(one, 'queryid'), shape, seen_at: collected_at, all_ms },
        ...{ calls: number(one, 'calls'), time_ms: number(one, 'time_ms') },
      };
      if (shape === '') continue;
      plans.set(planKey(seen), next(kept.get(planKey(seen)), seen));
    }
  return plans;
}
