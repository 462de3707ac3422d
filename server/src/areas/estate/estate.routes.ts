// The estate and the coverage of one server.
import { type Route, route } from '../../kernel/route.ts';
import type { Ctx } from '../access/principal.ts';
import { getConnectionCoverage } from './coverage.service.ts';
import * as contract from './estate.contract.ts';
import { getEstate } from './estate.service.ts';

export function estateRoutes(): Route<Ctx>[] {
  return [
    route(contract.getEstate, async (ctx: Ctx) => getEstate(ctx)),
    route(contract.getConnectionCoverage, async (ctx: Ctx, { params }) =>
      getConnectionCoverage(ctx, params.id),
    ),
  ];
}
