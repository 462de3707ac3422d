// The operation on the evidence of an alert.
import { type Route, route } from '../../kernel/route.ts';
import type { Ctx } from '../access/principal.ts';
import * as contract from './alert-evidence.contract.ts';
import { getAlertEvidence } from './alert-evidence.service.ts';

export function alertEvidenceRoutes(): Route<Ctx>[] {
  return [route(contract.getAlertEvidence, async (ctx: Ctx, { params }) => getAlertEvidence(ctx, params.id))];
}
