// What a failed call of a model is for whoever asked, in our words; nothing that the provider wrote.
import { Fault } from '../../kernel/errors.ts';
import { type FailureKind, OutboundError } from '../../kernel/http/outbound-error.ts';
import { NotCapable } from '../providers/support/chat-types.ts';

const WHAT_HAPPENED: Record<FailureKind, string> = {
  timeout: 'did not answer in time',
  unreachable: 'cannot be reached',
  rejected: 'refused the request',
  failed: 'answered with an error',
};

export const kindOf = (error: unknown): FailureKind =>
  error instanceof OutboundError ? error.kind : 'failed';

/** 504 where it took too long, 502 for all else that is the provider's. */
export function providerFault(display_name: string, cause: unknown): Fault {
  const kind = kindOf(cause);
  const code = kind === 'timeout' ? 'gateway_timeout' : 'bad_gateway';
  return new Fault(code, `The LLM provider ${display_name} ${WHAT_HAPPENED[kind]}.`, { cause });
}

/** The same with 501 for what it cannot do; anything that is neither stays what it is. */
export function callFault(display_name: string, error: unknown): unknown {
  if (error instanceof NotCapable)
    return new Fault('not_capable', `The LLM provider ${display_name} cannot take ${error.feature}.`);
  return error instanceof OutboundError ? providerFault(display_name, error) : error;
}
