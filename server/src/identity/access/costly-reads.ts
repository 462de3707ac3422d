// Reads that look through much of what is stored have a budget for each person: whoever asks for many waits, and holds up nobody else.
// Guards: what the program does by itself has none; one budget for all ways to ask, so that a token, a tool and a page of one person share
// it. Of one process; several have as many each.
import { systemClock } from '../../kernel/clock.ts';
import { WorkBudget } from '../../kernel/work-budget.ts';
import type { Ctx } from './principal.ts';

/** Each takes up to three sessions of the datastore at once, of which a process has ten for everybody. */
export const COSTLY_READS = { seconds: 60, at_once: 2, wait_ms: 10_000, what: 'costly reads' } as const;

const budget = new WorkBudget({ clock: systemClock, ...COSTLY_READS });

/** Does the work within the budget of the caller; 429 with a time to come back where that is spent. */
export const withReadBudget = <T>({ principal }: Ctx, work: () => Promise<T>): Promise<T> =>
  principal.via.kind === 'system' ? work() : budget.run(String(principal.user_id), work);
