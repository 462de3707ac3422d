// Operations on metrics and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './metrics.contract.ts';
import { getLatestMetrics, getMetricBaselines, queryMetrics } from './metrics.service.ts';

export function metricsRoutes(): Route<Ctx>[] {
  return [
    route(contract.queryMetrics, (ctx, { query }) => queryMetrics(ctx, query)),
    route(contract.getLatestMetrics, (ctx, { query }) => getLatestMetrics(ctx, query)),
    route(contract.getMetricBaselines, (ctx, { query }) => getMetricBaselines(ctx, query)),
  ];
}
