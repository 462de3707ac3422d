// The operation of the timeline and the service behind it.
import { type Route, route } from '../../kernel/route.ts';
import type { Ctx } from '../access/principal.ts';
import * as contract from './timeline.contract.ts';
import { listTimelineEvents } from './timeline.service.ts';

const PAGE = 500;

export function timelineRoutes(): Route<Ctx>[] {
  return [
    route(contract.listTimelineEvents, async (ctx: Ctx, { query }) =>
      listTimelineEvents(ctx, { ...query, limit: query.limit ?? PAGE }),
    ),
  ];
}
