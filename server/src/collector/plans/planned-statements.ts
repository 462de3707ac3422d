// Plans that the server made of statements without values, as they are kept. Pure. Guards: a plan that cannot be read is left out.
import { Masker } from '../../assistant/ai-runs/masking.ts';
import type { SeenPlan } from '../../estate/server-logs/log-rows.ts';
import type { Planned } from '../../insight/advice/advise.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type MaskedPlan, maskedPlan } from '../../plans/masked.ts';
import { SeenPlans } from './seen-plans.ts';

interface Seen {
  readonly database: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  scrub(text: string): string;
}

function maskedOf({ queryid, text, explained }: Planned): MaskedPlan | undefined {
  try {
    return maskedPlan(JSON.stringify({ ...explained, 'Query Text': text, 'Query Identifier': queryid }));
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

export class PlannedStatements {
  readonly #plans: MaskedPlan[] = [];

  add(planned: Planned): void {
    const masked = maskedOf(planned);
    if (masked) this.#plans.push(masked);
  }

  rows({ database, at, scrub }: Seen): SeenPlan[] {
    const seen = new SeenPlans();
    for (const masked of this.#plans) seen.add({ database_name: database, at, masked });
    const masker = new Masker({ mask_emails: true, mask_addresses: false });
    return seen.rows((statement) => masker.text(scrub(statement)));
  }
}
