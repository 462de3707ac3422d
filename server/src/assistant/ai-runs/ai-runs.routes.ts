// Operations on calls of language models and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './ai-runs.contract.ts';
import { listAiRunsOf, readAiRun, usageFor } from './ai-runs.service.ts';
import type { ModelCalls } from './model-calls.service.ts';

export function aiRunsRoutes(calls: ModelCalls): Route<Ctx>[] {
  return [
    route(contract.listAiRuns, (ctx, { query }) => listAiRunsOf(ctx, query)),
    route(contract.getAiRun, (ctx, { params }) => readAiRun(ctx, params.id)),
    route(contract.getLlmUsage, (ctx, { query }) => usageFor(ctx, calls, query)),
  ];
}
