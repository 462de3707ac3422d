// Operations of the plans of statements and the services behind them.
import { type Ctx, withReadBudget } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './query-plans.contract.ts';
import { diffQueryPlans, getQueryPlan, listQueryPlans } from './query-plans.service.ts';

export function queryPlansRoutes(): Route<Ctx>[] {
  return [
    route(contract.listQueryPlans, (ctx, { params }) =>
      withReadBudget(ctx, () => listQueryPlans(ctx, params.id, params.queryid)),
    ),
    route(contract.getQueryPlan, (ctx, { params }) =>
      withReadBudget(ctx, () => getQueryPlan(ctx, params.id, params.plan_id)),
    ),
    route(contract.diffQueryPlans, (ctx, { params, query }) =>
      withReadBudget(ctx, () => diffQueryPlans(ctx, params.id, query)),
    ),
  ];
}
