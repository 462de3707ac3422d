// Plans statements on a server: one transaction each, read-only, with the settings of that transaction alone, and rolled back. Guards:
// whatever is sent together is sent at once, so that nothing else of the session comes between; a statement that the server refused once
// is not sent again, since each time would be a line in its log.
import * as queries from './advice.queries.ts';
import { type Plan, planOf } from './plans.ts';
import { type Cells, numberOf } from './types.ts';

export interface PlannerStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Sends all at once; undefined for a statement that was refused. Rejects when the session is lost. */
export type Ask = (
  statements: readonly PlannerStatement[],
) => Promise<readonly (readonly Cells[] | undefined)[]>;

export interface ToPlan {
  readonly text: string;
  readonly parameters: number;
  readonly schemas: readonly string[];
}

export interface Tried {
  readonly plan: Plan;
  /** Of the hypothetical index. */
  readonly bytes: number;
}

export class Planner {
  readonly #ask: Ask;
  /** Quoted; undefined: hypopg is not there. */
  readonly #hypopg: string | undefined;

  constructor({ ask, hypopg }: { ask: Ask; hypopg: string | undefined }) {
    this.#ask = ask;
    this.#hypopg = hypopg;
  }

  get canTry(): boolean {
    return this.#hypopg !== undefined;
  }

  /** Undefined: the server refused it. */
  async plan(wanted: ToPlan): Promise<Plan | undefined> {
    return planOf((await this.#within(wanted, [])).plan?.[0]);
  }

  /** With an index that is only imagined. */
  async tryIndex(wanted: ToPlan, index: queries.IndexRequest): Promise<Tried | undefined> {
    const schema = this.#hypopg;
    if (schema === undefined) return undefined;
    try {
      const made = { text: queries.hypothetical(schema), values: [queries.indexText(index)] };
      const { plan: rows, first } = await this.#within(wanted, [made]);
      const plan = planOf(rows?.[0]);
      return plan && first?.[0] ? { plan, bytes: numberOf(first[0].bytes) } : undefined;
    } finally {
      // It is of the session, not of the transaction.
      await this.#ask([{ text: queries.forget(schema) }]);
    }
  }

  async #within(
    { text, parameters, schemas }: ToPlan,
    first: readonly PlannerStatement[],
  ): Promise<{ plan: readonly Cells[] | undefined; first: readonly Cells[] | undefined }> {
    const planned = [{ text: queries.prepare(text) }, { text: queries.planPrepared(parameters) }];
    const settings = { text: queries.SETTINGS, values: [queries.searchPath(schemas)] };
    const answers = await this.#ask([
      { text: queries.BEGIN },
      settings,
      ...first,
      ...planned,
      { text: queries.ROLLBACK },
    ]);
    // What is prepared stays after a rollback.
    if (answers[2 + first.length]) await this.#ask([{ text: queries.DEALLOCATE }]);
    return { plan: answers.at(-2), first: answers[2] };
  }
}
