// The operations of blackouts and schedules and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './blackouts.contract.ts';
import * as blackouts from './blackouts.service.ts';
import { listPlannedBlackouts } from './planned.service.ts';
import * as schedules from './schedules.contract.ts';
import * as service from './schedules.service.ts';

const DELETED = { status: 'deleted' };
const PAGE = 100;
const pageOf = ({
  limit = PAGE,
  offset = 0,
}: {
  limit?: number | undefined;
  offset?: number | undefined;
}) => ({
  limit,
  offset,
});

export function blackoutsRoutes(): Route<Ctx>[] {
  return [
    route(contract.listBlackouts, async (ctx: Ctx, { query }) =>
      blackouts.listBlackouts(ctx, query, pageOf(query)),
    ),
    route(contract.createBlackout, async (ctx: Ctx, { body }) => blackouts.createBlackout(ctx, body)),
    route(contract.getBlackout, async (ctx: Ctx, { params }) => blackouts.getBlackout(ctx, params.id)),
    route(contract.updateBlackout, async (ctx: Ctx, { params, body }) =>
      blackouts.updateBlackout(ctx, params.id, body),
    ),
    route(contract.deleteBlackout, async (ctx: Ctx, { params }) => {
      await blackouts.deleteBlackout(ctx, params.id);
      return DELETED;
    }),
    route(contract.stopBlackout, async (ctx: Ctx, { params }) => blackouts.stopBlackout(ctx, params.id)),
    route(schedules.listBlackoutSchedules, async (ctx: Ctx, { query }) =>
      service.listBlackoutSchedules(ctx, query, pageOf(query)),
    ),
    route(schedules.createBlackoutSchedule, async (ctx: Ctx, { body }) =>
      service.createBlackoutSchedule(ctx, body),
    ),
    route(schedules.previewBlackoutSchedule, async (ctx: Ctx, { body }) =>
      service.previewBlackoutSchedule(ctx, body),
    ),
    route(schedules.listPlannedBlackouts, async (ctx: Ctx, { query }) => listPlannedBlackouts(ctx, query)),
    route(schedules.getBlackoutSchedule, async (ctx: Ctx, { params }) =>
      service.getBlackoutSchedule(ctx, params.id),
    ),
    route(schedules.updateBlackoutSchedule, async (ctx: Ctx, { params, body }) =>
      service.updateBlackoutSchedule(ctx, params.id, body),
    ),
    route(schedules.deleteBlackoutSchedule, async (ctx: Ctx, { params }) => {
      await service.deleteBlackoutSchedule(ctx, params.id);
      return DELETED;
    }),
  ];
}
