// Operations of the logs of servers and the services behind them.
import { type Ctx, withReadBudget } from '../../identity/identity.ts';
import { type Route, route, streamRoute } from '../../kernel/route.ts';
import * as estateTail from './estate-log-tail.contract.ts';
import { tailEstateLogEvents } from './estate-log-tail.service.ts';
import * as estate from './estate-logs.contract.ts';
import { getEstateLogCounts, listEstateLogEvents } from './estate-logs.service.ts';
import { listConnectionLogEvents } from './log-events.service.ts';
import { getNamedLogCounts } from './log-names.service.ts';
import * as tail from './log-tail.contract.ts';
import { tailConnectionLogEvents } from './log-tail.service.ts';
import * as contract from './server-logs.contract.ts';
import * as upkeep from './upkeep-logs.contract.ts';
import { listConnectionCheckpoints, listConnectionVacuumRuns } from './upkeep-logs.service.ts';

export function serverLogsRoutes(): Route<Ctx>[] {
  return [
    route(contract.getConnectionLogCounts, (ctx, { params, query }) =>
      withReadBudget(ctx, () => getNamedLogCounts(ctx, params.id, query)),
    ),
    route(contract.listConnectionLogEvents, (ctx, { params, query }) =>
      withReadBudget(ctx, () => listConnectionLogEvents(ctx, params.id, query)),
    ),
    route(estate.getEstateLogCounts, (ctx, { query }) =>
      withReadBudget(ctx, () => getEstateLogCounts(ctx, query)),
    ),
    route(estate.listEstateLogEvents, (ctx, { query }) =>
      withReadBudget(ctx, () => listEstateLogEvents(ctx, query)),
    ),
    streamRoute(estateTail.tailEstateLogEvents, async (ctx, { query }, { header }) =>
      tailEstateLogEvents(ctx, { query, last: header('last-event-id') }),
    ),
    streamRoute(tail.tailConnectionLogEvents, (ctx, { params, query }, { header }) =>
      tailConnectionLogEvents(ctx, params.id, { query, last: header('last-event-id') }),
    ),
    route(upkeep.listConnectionVacuumRuns, (ctx, { params, query }) =>
      withReadBudget(ctx, () => listConnectionVacuumRuns(ctx, params.id, query)),
    ),
    route(upkeep.listConnectionCheckpoints, (ctx, { params, query }) =>
      withReadBudget(ctx, () => listConnectionCheckpoints(ctx, params.id, query)),
    ),
  ];
}
