// The operation that PagerDuty calls, and the service behind it.

import type { PublicCtx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './pagerduty.contract.ts';
import { type PagerDutyDeps, receivePagerDutyWebhook } from './pagerduty.service.ts';

export function pagerdutyRoutes(deps: PagerDutyDeps): Route<PublicCtx>[] {
  return [
    route(contract.receivePagerDutyWebhook, (ctx: PublicCtx, { params }, http) =>
      receivePagerDutyWebhook(ctx, deps, {
        channel_id: params.id,
        body: http.raw_body,
        signature: http.header('x-pagerduty-signature'),
        address: http.address,
      }),
    ),
  ];
}
