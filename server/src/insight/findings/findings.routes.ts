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
    route(contract.listFindings, async (ctx: Ctx, { query }) => listFindings(ctx, query)),
    route(contract.countFindings, async (ctx: Ctx) => countFindings(ctx)),
    route(contract.listConnectionFindings, async (ctx: Ctx, { params, query }) =>
      listConnectionFindings(ctx, params.id, query),
    ),
    route(contract.getFinding, async (ctx: Ctx, { params }) => getFinding(ctx, params.id)),
    route(contract.muteFinding, async (ctx: Ctx, { params, body }) => muteFinding(ctx, params.id, body)),
    route(contract.unmuteFinding, async (ctx: Ctx, { params }) => unmuteFinding(ctx, params.id)),
    route(reportOperation, async (ctx: Ctx, { query }) =>
      withReadBudget(ctx, () => getFindingsReport(ctx, query)),
    ),
    route(contract.listChecks, async (ctx: Ctx) => listChecks(ctx)),
  ];
}
