// Operations of saved searches and the services behind them.
import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './log-searches.contract.ts';
import { deleteLogSearch, listLogSearches, renameLogSearch, saveLogSearch } from './log-searches.service.ts';

export function logSearchesRoutes(): Route<Ctx>[] {
  return [
    route(contract.listLogSearches, listLogSearches),
    route(contract.saveLogSearch, (ctx, { body }) => saveLogSearch(ctx, body)),
    route(contract.renameLogSearch, (ctx, { params, body }) =>
      renameLogSearch(ctx, { id: params.id, name: body.name }),
    ),
    route(contract.deleteLogSearch, async (ctx, { params }) => {
      await deleteLogSearch(ctx, params.id);
      return { status: 'deleted' };
    }),
  ];
}
