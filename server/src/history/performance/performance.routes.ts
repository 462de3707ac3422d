// Operations of performance and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import { getDatabaseSummaries } from './databases.service.ts';
import * as load from './load.contract.ts';
import { getConnectionLoad } from './load.service.ts';
import * as contract from './performance.contract.ts';
import * as detail from './query-detail.contract.ts';
import { getQueryDetail } from './query-detail.service.ts';
import { getPerformanceSummary } from './summary.service.ts';
import { listTopQueries } from './top-queries.service.ts';

export function performanceRoutes(): Route<Ctx>[] {
  return [
    route(contract.getPerformanceSummary, (ctx, { query }) => getPerformanceSummary(ctx, query)),
    route(contract.getDatabaseSummaries, (ctx, { query }) => getDatabaseSummaries(ctx, query)),
    route(load.getConnectionLoad, (ctx, { params, query }) => getConnectionLoad(ctx, params.id, query)),
    route(detail.getQueryDetail, (ctx, { params, query }) => getQueryDetail(ctx, params, query)),
    route(contract.listTopQueries, async (ctx, { query }) => {
      const { rows, total } = await listTopQueries(ctx, query);
      return new Reply({ body: rows, headers: { 'X-Total-Count': String(total) } });
    }),
  ];
}
