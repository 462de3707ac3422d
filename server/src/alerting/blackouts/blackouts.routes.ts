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
    route(contract.listBlackouts, (ctx, { query }) => blackouts.listBlackouts(ctx, query, pageOf(query))),
    route(contract.createBlackout, (ctx, { body }) => blackouts.createBlackout(ctx, body)),
    route(contract.getBlackout, (ctx, { params }) => blackouts.getBlackout(ctx, params.id)),
    route(contract.updateBlackout, (ctx, { params, body }) => blackouts.updateBlackout(ctx, params.id, body)),
    route(contract.deleteBlackout, async (ctx, { params }) => {
      await blackouts.deleteBlackout(ctx, params.id);
      return DELETED;
    }),
    route(contract.stopBlackout, (ctx, { params }) => blackouts.stopBlackout(ctx, params.id)),
    route(schedules.listBlackoutSchedules, (ctx, { query }) =>
      service.listBlackoutSchedules(ctx, query, pageOf(query)),
    ),
    route(schedules.createBlackoutSchedule, (ctx, { body }) => service.createBlackoutSchedule(ctx, body)),
    route(schedules.previewBlackoutSchedule, (ctx, { body }) => service.previewBlackoutSchedule(ctx, body)),
    route(schedules.listPlannedBlackouts, (ctx, { query }) => listPlannedBlackouts(ctx, query)),
    route(schedules.getBlackoutSchedule, (ctx, { params }) => service.getBlackoutSchedule(ctx, params.id)),
    route(schedules.updateBlackoutSchedule, (ctx, { params, body }) =>
      service.updateBlackoutSchedule(ctx, params.id, body),
    ),
    route(schedules.deleteBlackoutSchedule, async (ctx, { params }) => {
      await service.deleteBlackoutSchedule(ctx, params.id);
      return DELETED;
    }),
  ];
}
