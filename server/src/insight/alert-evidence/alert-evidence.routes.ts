// The operation on the evidence of an alert.

import { type Ctx, withReadBudget } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './alert-evidence.contract.ts';
import { getAlertEvidence } from './alert-evidence.service.ts';

export function alertEvidenceRoutes(): Route<Ctx>[] {
  return [
    route(contract.getAlertEvidence, (ctx, { params }) =>
      withReadBudget(ctx, () => getAlertEvidence(ctx, params.id)),
    ),
  ];
}
