// Which answers are refusals that belong in the audit log: no right to it, a token or session that is not valid, and
// every sign-in or signature that failed. A right password that is asked for a code is noted as that, and is no refusal. Somebody who shows no token at all has not tried to be anybody.
import type { FastifyRequest } from 'fastify';
import type { Refusal, Refusals } from '../identity/audit/refusals.service.ts';
import type { Fault } from '../kernel/errors.ts';

function actionOf(isSignIn: boolean, fault: Fault): Refusal['action'] {
  if (fault.asksCode) return 'session.ask_code';
  return isSignIn ? 'session.create' : 'access.check';
}

/** Costs nothing but memory; the row is written later. */
export function noteRefusal(refusals: Refusals, request: FastifyRequest, fault: Fault): void {
  const { call } = request;
  const operation = call?.operation;
  if (!operation) return;
  const isSignIn = operation.signsIn === true;
  const isSigned = typeof operation.access === 'object' && 'signed' in operation.access;
  const isRefused =
    fault.status === 403 ||
    (fault.status === 401 && (isSignIn || isSigned || Boolean(call.token))) ||
    (fault.status === 429 && isSignIn);
  if (!isRefused) return;
  refusals.note({
    action: actionOf(isSignIn, fault),
    operation: operation.id,
    method: request.method,
    path: call.pathname,
    status: fault.status,
    reason: fault.message,
    principal: call.caller?.principal,
    origin: { address: call.address, request_id: request.id },
    ...(fault.about && { target: fault.about }),
  });
}
