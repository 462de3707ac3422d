// The operation that senders of logs call, and the service behind it.
import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './log-intake.contract.ts';
import { createIntake, type IntakeDeps } from './log-intake.service.ts';
import { answered } from './otlp-answer.ts';

export function logIntakeRoutes(deps: IntakeDeps): Route<Ctx>[] {
  const receive = createIntake(deps);
  return [
    route(contract.receiveLogs, async (ctx, _input, http) => {
      const sent = {
        body: http.raw_body,
        type: http.header('content-type') ?? '',
        encoding: http.header('content-encoding') ?? '',
      };
      return answered(sent, receive(ctx, sent));
    }),
  ];
}
