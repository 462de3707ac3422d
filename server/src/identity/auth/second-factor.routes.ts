// The operations of the own second factor, and the services behind them.
import { type Route, route } from '../../kernel/route.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Ctx } from '../access/principal.ts';
import type { SecondFactorAuth } from './own-proof.service.ts';
import { proofOf } from './passkeys.routes.ts';
import * as contract from './second-factor.contract.ts';
import * as own from './second-factor.service.ts';

export function secondFactorRoutes(auth: SecondFactorAuth): Route<Ctx>[] {
  return [
    route(contract.getSecondFactor, (ctx) => own.getSecondFactor(ctx)),
    route(contract.startSecondFactor, (ctx, { body }, http) =>
      own.startSecondFactor(ctx, auth, proofOf(body, http)),
    ),
    route(contract.confirmSecondFactor, async (ctx, { body }, { address }) => ({
      recovery_codes: await own.confirmSecondFactor(ctx, auth, { address, code: new Secret(body.code) }),
    })),
    route(contract.replaceRecoveryCodes, async (ctx, { body }, http) => ({
      recovery_codes: await own.replaceRecoveryCodes(ctx, auth, proofOf(body, http)),
    })),
    route(contract.removeOwnSecondFactor, async (ctx, { body }, http) => {
      await own.removeOwnSecondFactor(ctx, auth, proofOf(body, http));
      return { message: 'The second factor was removed.' };
    }),
  ];
}
