// The operations of the timeline and the services behind them.

import { type Ctx, withReadBudget } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as changes from './changes.contract.ts';
import { listChanges } from './changes.service.ts';
import * as contract from './timeline.contract.ts';
import { listTimelineEvents } from './timeline.service.ts';

const PAGE = 500;
const CHANGES_OF_A_KIND = 50;

export function timelineRoutes(): Route<Ctx>[] {
  return [
    route(contract.listTimelineEvents, (ctx, { query }) =>
      withReadBudget(ctx, () => listTimelineEvents(ctx, { ...query, limit: query.limit ?? PAGE })),
    ),
    route(changes.listChanges, (ctx, { query }) =>
      withReadBudget(ctx, () => listChanges(ctx, { ...query, limit: query.limit ?? CHANGES_OF_A_KIND })),
    ),
  ];
}
