// The operation that runs SQL; access to the connection has been checked before.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './sql.contract.ts';
import type { Sql } from './sql.service.ts';

export function sqlRoutes(sql: Pick<Sql, 'runConnectionQuery'>): Route<Ctx>[] {
  return [
    route(contract.runConnectionQuery, (ctx, { params, body }) =>
      sql.runConnectionQuery(ctx, { connection_id: params.id, ...body }),
    ),
  ];
}
