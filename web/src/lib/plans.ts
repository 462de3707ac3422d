// Reads plans that people paste, by the very code of `matriarch plan`. Guards: nothing is sent from here.
import { UsageError } from '../../../server/src/kernel/errors.ts';
import { readPlans } from '../../../server/src/plans/read.ts';
import type { Plan } from '../../../server/src/plans/types.ts';

export type { DiffRow, DiffSide } from '../../../server/src/plans/diff.ts';
export { diffOf } from '../../../server/src/plans/diff.ts';
export {
  shownKb,
  shownMisestimate,
  shownMs,
  shownNumber,
  shownPages,
  shownShare,
} from '../../../server/src/plans/shown-figures.ts';
export type { Advice, Plan, PlanNode } from '../../../server/src/plans/types.ts';
export { totalMs } from '../../../server/src/plans/verdict.ts';
export { nameOf, nodesOf } from '../../../server/src/plans/walk.ts';

export type PastedPlans = { plans: Plan[] } | { problem: string };

/** The text that was read last: what the field has read, the page does not read again. */
let last: { text: string; read: PastedPlans } | undefined;

export function readPasted(text: string): PastedPlans {
  if (last?.text !== text) last = { text, read: readAnew(text) };
  return last.read;
}

function readAnew(text: string): PastedPlans {
  try {
    return { plans: readPlans(text) };
  } catch (error) {
    if (error instanceof UsageError) return { problem: error.message };
    throw error;
  }
}
