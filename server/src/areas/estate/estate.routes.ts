// The estate and the coverage of one server.
import { type Route, route } from '../../kernel/route.ts';
import type { Ctx } from '../access/principal.ts';
import {
  getConnectionCoverage,
  listConnectionStatements,
  retestConnectionCoverage,
} from './coverage.service.ts';
import * as contract from './estate.contract.ts';
import { getEstate } from './estate.service.ts';

export function estateRoutes(): Route<Ctx>[] {
  return [
    route(contract.getEstate, async (ctx: Ctx) => getEstate(ctx)),
    route(contract.getConnectionCoverage, async (ctx: Ctx, { params }) =>
      getConnectionCoverage(ctx, params.id),
    ),
    route(contract.retestConnectionCoverage, async (ctx: Ctx, { params }) =>
      retestConnectionCoverage(ctx, params.id),
    ),
    route(contract.listConnectionStatements, async (ctx: Ctx, { params }) =>
      listConnectionStatements(ctx, params.id),
    ),
  ];
}
