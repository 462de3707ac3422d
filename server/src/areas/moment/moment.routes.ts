// The operation on one instant of a server.
import { type Route, route } from '../../kernel/route.ts';
import type { Ctx } from '../access/principal.ts';
import * as contract from './moment.contract.ts';
import { getConnectionMoment } from './moment.service.ts';

export function momentRoutes(): Route<Ctx>[] {
  return [
    route(contract.getConnectionMoment, async (ctx: Ctx, { params, query }) =>
      getConnectionMoment(ctx, params.id, query),
    ),
  ];
}
