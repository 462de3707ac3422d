// Operations of the overview and the service behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route, streamRoute } from '../../kernel/route.ts';
import * as contract from './overview.contract.ts';
import type { OverviewService } from './overview.service.ts';

export function overviewRoutes(
  overview: Pick<OverviewService, 'getOverview' | 'streamOverview'>,
): Route<Ctx>[] {
  return [
    route(contract.getOverview, (ctx, { query }) => overview.getOverview(ctx, query)),
    streamRoute(contract.streamOverview, (ctx, { query }) => overview.streamOverview(ctx, query)),
  ];
}
