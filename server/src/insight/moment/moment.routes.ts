// The operation on one instant of a server.

import { type Ctx, withReadBudget } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './moment.contract.ts';
import { getConnectionMoment } from './moment.service.ts';

export function momentRoutes(): Route<Ctx>[] {
  return [
    route(contract.getConnectionMoment, (ctx, { params, query }) =>
      withReadBudget(ctx, () => getConnectionMoment(ctx, params.id, query)),
    ),
  ];
}
