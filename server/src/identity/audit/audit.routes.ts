// The operation of the audit log and the service behind it.
import { type Route, route } from '../../kernel/route.ts';
import type { Ctx } from '../access/principal.ts';
import * as contract from './audit.contract.ts';
import { listAuditEvents } from './audit.service.ts';

const PAGE = 100;

export function auditRoutes(): Route<Ctx>[] {
  return [
    route(contract.listAuditEvents, (ctx, { query }) =>
      listAuditEvents(ctx, { ...query, limit: query.limit ?? PAGE, offset: query.offset ?? 0 }),
    ),
  ];
}
