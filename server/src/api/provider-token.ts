// Access tokens of a sign-in provider at the gate. Guards: they are taken where the operation says so and nowhere else, from the
// Authorization header alone; what is too long, or no such token by its form, is not looked at.
import type { Access, Caller } from '../identity/access/access.service.ts';
import type { ProviderTokens } from '../identity/oidc/provider-tokens.ts';
import type { Operation } from '../kernel/contract.ts';
import { Fault } from '../kernel/errors.ts';

/** A signed JWT; ours have no dot. */
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
const LONGEST = 8192;

export const isProviderToken = (token: string) => JWT.test(token);

export interface ProviderGate {
  access: Pick<Access, 'byIdentity'>;
  providerTokens?: ProviderTokens | undefined;
}

/** Whose token it is; a Fault that says why it lets nobody in. */
export async function providerCaller(
  { access, providerTokens }: ProviderGate,
  operation: Operation,
  token: string,
): Promise<Caller | Fault | undefined> {
  if (!providerTokens) return undefined;
  if (!operation.takesProviderTokens) return providerTokens.misplaced();
  if (token.length > LONGEST) return new Fault('unauthenticated', `The token is over ${LONGEST} characters.`);
  const bearer = await providerTokens.prove(token);
  if (bearer instanceof Fault) return bearer;
  return (await access.byIdentity(bearer)) ?? providerTokens.stranger(bearer);
}

/** The same with the header by which a client finds out where to sign in (RFC 9728). */
export function withChallenge(
  fault: Fault,
  operation: Operation,
  { tokens, isPresented }: { tokens: ProviderTokens | undefined; isPresented: boolean },
): Fault {
  if (!tokens || !operation.takesProviderTokens) return fault;
  const invalid = isPresented ? 'invalid_token' : undefined;
  if (fault.code === 'unauthenticated')
    return new Fault(fault.code, fault.message, { challenge: tokens.challenge(invalid) });
  return fault;
}
