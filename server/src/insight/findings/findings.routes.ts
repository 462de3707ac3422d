// Operations of findings and the services behind them.

import { type Ctx, withReadBudget } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './findings.contract.ts';
import {
  countFindings,
  getFinding,
  listChecks,
  listConnectionFindings,
  listFindings,
  muteFinding,
  unmuteFinding,
} from './findings.service.ts';
import { getFindingsReport as reportOperation } from './report.contract.ts';
import { getFindingsReport } from './report.service.ts';

export function findingsRoutes(): Route<Ctx>[] {
  return [
    route(contract.listFindings, (ctx, { query }) => listFindings(ctx, query)),
    route(contract.countFindings, (ctx) => countFindings(ctx)),
    route(contract.listConnectionFindings, (ctx, { params, query }) =>
      listConnectionFindings(ctx, params.id, query),
    ),
    route(contract.getFinding, (ctx, { params }) => getFinding(ctx, params.id)),
    route(contract.muteFinding, (ctx, { params, body }) => muteFinding(ctx, params.id, body)),
    route(contract.unmuteFinding, (ctx, { params }) => unmuteFinding(ctx, params.id)),
    route(reportOperation, (ctx, { query }) => withReadBudget(ctx, () => getFindingsReport(ctx, query))),
    route(contract.listChecks, (ctx) => listChecks(ctx)),
  ];
}
