// The operations of the own second factor, and the services behind them.
import { type Route, route } from '../../kernel/route.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Ctx } from '../access/principal.ts';
import * as contract from './second-factor.contract.ts';
import * as own from './second-factor.service.ts';

const secretsOf = ({ password, code }: { password: string; code: string }) => ({
  password: new Secret(password),
  code: new Secret(code),
});

export function secondFactorRoutes(auth: own.SecondFactorAuth): Route<Ctx>[] {
  return [
    route(contract.getSecondFactor, async (ctx: Ctx) => own.getSecondFactor(ctx)),
    route(contract.startSecondFactor, async (ctx: Ctx, { body }, { address }) =>
      own.startSecondFactor(ctx, auth, { address, password: new Secret(body.password) }),
    ),
    route(contract.confirmSecondFactor, async (ctx: Ctx, { body }, { address }) => ({
      recovery_codes: await own.confirmSecondFactor(ctx, auth, { address, code: new Secret(body.code) }),
    })),
    route(contract.replaceRecoveryCodes, async (ctx: Ctx, { body }, { address }) => ({
      recovery_codes: await own.replaceRecoveryCodes(ctx, auth, { address, ...secretsOf(body) }),
    })),
    route(contract.removeOwnSecondFactor, async (ctx: Ctx, { body }, { address }) => {
      await own.removeOwnSecondFactor(ctx, auth, { address, ...secretsOf(body) });
      return { message: 'The second factor was removed.' };
    }),
  ];
}
