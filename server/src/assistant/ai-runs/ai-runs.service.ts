// Reading model calls back, and what was used. Guards: one reads one's own, a superuser all; with a token that is limited to some
// connections nobody reads what models were told, which may be of others.

import { type Ctx, isLimitedToSome } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { getAiRun, getLlmUsage, listAiRuns } from './ai-runs.contract.ts';
import { findRun, listRuns, listUse, type RunSummaryRow, type UseRow } from './ai-runs.queries.ts';
import { type BudgetRow, readBudget } from './calls.queries.ts';
import { dayOf, dollarLimitFor, limitFor } from './ledger.ts';
import type { ModelCalls } from './model-calls.service.ts';
import { dollarsOf, nanodollarsOf } from './prices.ts';

/** Null for all. */
const readableBy = ({ principal }: Ctx) =>
  principal.is_superuser && !isLimitedToSome(principal) ? null : principal.user_id;

export async function listAiRunsOf(
  ctx: Ctx,
  { limit = 50, offset = 0 }: Input<typeof listAiRuns>['query'],
): Promise<Output<typeof listAiRuns>> {
  const runs = await listRuns(ctx.db, { userId: readableBy(ctx), limit, offset });
  return { runs: runs.map(withDollars) };
}

function withDollars<T extends RunSummaryRow>({ cost_nanodollars: cost, ...run }: T) {
  return { ...run, cost_usd: cost === null ? null : dollarsOf(cost) };
}

/** An answer that was cut is shown as the text it is. */
function answerOf(answer: string | null): unknown {
  if (answer === null) return null;
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}

export async function readAiRun(ctx: Ctx, id: number): Promise<Output<typeof getAiRun>> {
  const run = await findRun(ctx.db, { id, userId: readableBy(ctx) });
  if (!run) throw new Fault('not_found', 'There is no such call of a language model.');
  const text = isLimitedToSome(ctx.principal) ? { request: null, answer: null } : run;
  return { ...withDollars(run), request: text.request, answer: answerOf(text.answer) };
}

const useOf = ({ cost_nanodollars, priced_calls, ...row }: UseRow) => ({
  ...row,
  cost_usd: priced_calls === 0 ? null : dollarsOf(cost_nanodollars),
  unpriced_calls: row.calls - priced_calls,
});

function dollarsLeft(state: Partial<BudgetRow>, usd_per_day: number | null) {
  const { used_nanodollars: used = 0, reserved_nanodollars: reserved = 0 } = state;
  const left = usd_per_day === null ? null : Math.max(0, nanodollarsOf(usd_per_day) - used - reserved);
  const left_usd = left === null ? null : dollarsOf(left);
  return { usd_per_day, used_usd: dollarsOf(used), reserved_usd: dollarsOf(reserved), left_usd };
}

export async function usageFor(
  ctx: Ctx,
  calls: ModelCalls,
  { days = 30, all = false }: Input<typeof getLlmUsage>['query'],
): Promise<Output<typeof getLlmUsage>> {
  const { db, principal, clock } = ctx;
  if (all && !principal.is_superuser)
    throw new Fault('forbidden', 'Only a superuser reads what all users have used.');
  const now = clock.now();
  const since = dayOf(now - (days - 1) * DAY_MS);
  const usage = await listUse(db, { userId: all ? null : principal.user_id, since });
  const state: Partial<BudgetRow> = (await readBudget(db, principal.user_id, dayOf(now))) ?? {};
  const { used = 0, reserved = 0 } = state;
  const tokens_per_day = limitFor(calls.options, principal.user_id);
  const left = tokens_per_day === null ? null : Math.max(0, tokens_per_day - used - reserved);
  const begins_anew = new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS).toISOString();
  const dollars = dollarsLeft(state, dollarLimitFor(calls.options, principal.user_id));
  const budget = { tokens_per_day, used, reserved, left, ...dollars, begins_anew };
  return { usage: usage.map(useOf), budget };
}
