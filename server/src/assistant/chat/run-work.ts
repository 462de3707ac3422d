// One run from its question to its last event. Guards: however it ends, it says so, its figures are judged, and what it said is kept.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Static } from '../../kernel/schema.ts';
import { callFault } from '../llm/llm-chat.service.ts';
import type { Toolbox } from '../mcp/toolbox.service.ts';
import type { ConfiguredProvider } from '../providers/registry.ts';
import type { ReadOnlySql } from '../sql/read-only-sql.service.ts';
import type { RunState, ScopeServer } from './chat-runs.queries.ts';
import type { ChatRunRequest, RUN_CODES } from './chat-runs.schemas.ts';
import { evidenceOf } from './evidence.ts';
import type { LiveRun } from './live-run.ts';
import { INTERRUPTED } from './lost-run.ts';
import { judge, offeredIn, repairOf } from './offered.ts';
import { openingOf, type Talk } from './run-conversation.ts';
import {
  ACCESS_ENDED,
  ask,
  type Budget,
  converse,
  type Loop,
  RunEnded,
  type Spent,
  Steps,
  type Usage,
} from './run-loop.ts';
import { answerByRules } from './run-rules.ts';

export interface RunJob {
  run: LiveRun;
  request: Static<typeof ChatRunRequest>;
  talk: Talk;
  servers: readonly ScopeServer[];
  /** Undefined: by rules. */
  model: { provider: ConfiguredProvider; model: string } | undefined;
  toolbox: Toolbox;
  sql: Pick<ReadOnlySql, 'explain' | 'prepareOnly'>;
  budget: Budget;
  log: Log;
  now(): Promise<Ctx>;
}

type Stop = 'end_turn' | 'max_tokens' | 'content_filter' | 'budget' | 'cancelled' | 'interrupted' | 'error';

async function loopOf(
  work: RunJob,
  model: NonNullable<RunJob['model']>,
  more: Pick<Loop, 'steps' | 'usage' | 'spent'>,
): Promise<Loop> {
  const { run, talk, toolbox, budget, now } = work;
  const opening = await openingOf(await now(), work, { marks: more.steps.marks, before: talk.before });
  return { run, toolbox, ...model, ...opening, budget, now, ...more };
}

/** The server that statements are for: the only one in scope, or the one that was asked about last. */
const targetOf = ({ servers, request }: RunJob, steps: Steps) =>
  request.scope?.kind === 'server'
    ? request.scope.id
    : (steps.connection_id ?? (servers.length === 1 ? servers[0]?.id : undefined));

async function judgeStatements(work: RunJob, steps: Steps, from: number) {
  const { run, sql, now } = work;
  const connection_id = targetOf(work, steps);
  const judged = [];
  for (const offered of offeredIn(run.text, from)) {
    run.signal.throwIfAborted();
    const found = await judge(await now(), sql, { offered, connection_id });
    run.tell(found.told);
    judged.push(found);
  }
  return judged;
}

const STOPS = { max_tokens: 'max_tokens', content_filter: 'content_filter', error: 'error' } as const;

async function answer(work: RunJob, more: Pick<Loop, 'steps' | 'usage' | 'spent'>): Promise<Stop> {
  const { run, model } = work;
  if (!model) {
    await answerByRules({ ...work, steps: more.steps });
    return 'end_turn';
  }
  const loop = await loopOf(work, model, more);
  const stop = await converse(loop);
  const wish = repairOf(await judgeStatements(work, more.steps, 0));
  if (wish !== undefined && more.usage.total_tokens < work.budget.tokens) {
    const from = run.text.length;
    await ask(loop, wish);
    await judgeStatements(work, more.steps, from);
  }
  return stop in STOPS ? STOPS[stop as keyof typeof STOPS] : 'end_turn';
}

const ENDINGS = {
  cancelled: ['cancelled', 'cancelled', 'It was stopped.'],
  interrupted: ['interrupted', 'interrupted', INTERRUPTED],
  access_ended: ['failed', 'error', ACCESS_ENDED],
  time_used_up: ['failed', 'budget', 'The time of a question is used up. Ask for less at once.'],
} as const satisfies Record<string, readonly [RunState, Stop, string]>;

interface Ending {
  state: RunState;
  stop: Stop;
  code?: (typeof RUN_CODES)[number];
  error?: string;
}

function endingOf({ run, model, log }: RunJob, error: unknown): Ending {
  if (run.why !== undefined) {
    const [state, stop, said] = ENDINGS[run.why];
    return { state, stop, code: run.why, error: said };
  }
  if (error instanceof RunEnded)
    return {
      ...{ state: 'failed', code: error.code, error: error.message },
      stop: error.code === 'access_ended' ? 'error' : 'budget',
    };
  // The budget of a day, which is kept for all calls.
  if (error instanceof Fault && error.code === 'too_many_requests')
    return { state: 'failed', stop: 'budget', code: 'tokens_used_up', error: error.message };
  // No price is known where the budget is one of money.
  if (error instanceof Fault && error.code === 'unavailable')
    return { state: 'failed', stop: 'error', code: 'provider', error: error.message };
  const fault = model ? callFault(model.provider.display_name, error) : error;
  const isProviders = fault !== error && fault instanceof Error;
  log.warn({ event: 'chat.failed', run_id: run.id, err: error });
  const said = isProviders
    ? fault.message
    : 'That failed with an internal error; the log of the server has the details.';
  return { state: 'failed', stop: 'error', code: isProviders ? 'provider' : 'internal', error: said };
}

/** Tells everything up to the last event; never throws. */
export async function doWork(work: RunJob): Promise<{ state: RunState; error: string | undefined }> {
  const { run, budget } = work;
  const since = performance.now();
  const usage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const spent: Spent = { usd: 0 };
  const steps = new Steps({ run, toolbox: work.toolbox, now: work.now });
  const timer = setTimeout(() => run.cancel('time_used_up'), budget.ms);
  const ending: Ending = await answer(work, { steps, usage, spent })
    .then((stop): Ending => ({ state: 'done', stop }))
    .catch((error: unknown) => endingOf(work, error));
  clearTimeout(timer);
  run.tell({ type: 'evidence', figures: evidenceOf(run.text, steps.answers) });
  const { state, stop: stop_reason, code, error } = ending;
  if (code && error !== undefined) run.tell({ type: 'error', error, code });
  const cost = work.model && spent.usd !== undefined ? { cost: spent.usd } : {};
  run.tell({ type: 'done', stop_reason, usage, took_ms: Math.round(performance.now() - since), ...cost });
  return { state, error };
}
