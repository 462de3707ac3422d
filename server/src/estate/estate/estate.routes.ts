// The estate and the coverage of one server.

import type { Ctx } from '../../identity/identity.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import {
  getConnectionCoverage,
  listConnectionStatements,
  retestConnectionCoverage,
  watchConnectionStatements,
} from './coverage.service.ts';
import * as contract from './estate.contract.ts';
import { createEstate } from './estate.service.ts';
import { getEstateHistory } from './history.contract.ts';
import { createEstateHistory } from './history.service.ts';
import { searchEstate as searchContract } from './search.contract.ts';
import { searchEstate } from './search.service.ts';

export function estateRoutes(): Route<Ctx>[] {
  const estate = createEstate();
  const history = createEstateHistory();
  return [
    // Read of all servers and polled by everybody: written as it is; a test holds it to its schema.
    route(contract.getEstate, async (ctx) => new Reply({ json: await estate(ctx) })),
    route(getEstateHistory, async (ctx) => new Reply({ json: await history(ctx) })),
    route(searchContract, (ctx, { query }) => searchEstate(ctx, query)),
    route(contract.getConnectionCoverage, (ctx, { params, query }) =>
      getConnectionCoverage(ctx, params.id, query),
    ),
    route(contract.retestConnectionCoverage, (ctx, { params }) => retestConnectionCoverage(ctx, params.id)),
    route(contract.listConnectionStatements, (ctx, { params }) => listConnectionStatements(ctx, params.id)),
    route(contract.watchConnectionStatements, (ctx, { params }) => watchConnectionStatements(ctx, params.id)),
  ];
}
