// Operations of what runs out and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './runway.contract.ts';
import { listRunway } from './runway.service.ts';

export function runwayRoutes(): Route<Ctx>[] {
  return [route(contract.listRunway, (ctx, { query }) => listRunway(ctx, query))];
}
