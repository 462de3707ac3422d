// Access tokens of one provider (RFC 9068), as they come to /mcp/v1. Guards: signature, issuer, audience and times are checked by the
// library jose, with keys of the provider and asymmetric algorithms alone; an ID token, or a token that is bound to a key of its
// client, is refused; nothing is handed on to anyone.
import type { JWTPayload } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/errors.ts';
import type { OidcSettings } from '../../kernel/oidc-settings.ts';
import { KeysAway, type ProviderKeys } from './provider-keys.ts';

/** Clocks of provider and server may differ by so much. */
export const SKEW_SECONDS = 60;
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** As OpenID Connect has it; it is shown in a command that an administrator copies. */
export const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const ACCESS_TOKEN = 'at+jwt';
/** Of ID tokens and logout tokens alone. */
const OTHER_TOKENS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

export interface TokenBearer {
  issuer: string;
  subject: string;
  /** Of the provider. */
  label: string;
}

export interface TokenRules {
  settings: OidcSettings;
  audience: string;
  keys: ProviderKeys;
  clock: Clock;
}

/** Undefined for what may be an access token; else what is wrong with it. */
function kindFault(typ: string | undefined, payload: JWTPayload, clientId: string): string | undefined {
  const type = typ?.toLowerCase().replace(/^application\//, '');
  if (payload.cnf !== undefined) return 'is bound to a key of its client, which is not supported';
  if (type === ACCESS_TOKEN) return undefined;
  const isOther =
    (type !== undefined && type !== 'jwt') ||
    (payload.typ !== undefined && payload.typ !== 'Bearer') ||
    OTHER_TOKENS.some((name) => name in payload) ||
    [payload.aud].flat().includes(clientId);
  return isOther ? 'is no access token' : undefined;
}

function scopesOf({ scope, scp }: JWTPayload): string[] {
  return [scope, scp].flat().flatMap((one) => (typeof one === 'string' ? one.split(' ') : []));
}

const CLAIM_FAULTS: Record<string, string> = {
  aud: 'is for another resource',
  nbf: 'is not valid yet',
  iat: 'is not valid yet',
};

/** What is wrong, after the signature was found right; an ending of a sentence. */
async function endingOf(error: unknown): Promise<string> {
  const { errors } = await import('jose');
  if (error instanceof errors.JWTExpired) return 'has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return (error.reason === 'check_failed' && CLAIM_FAULTS[error.claim]) || 'is not valid';
  return 'is not valid';
}

/** Whom the token names; a Fault where it is refused, 503 where the provider cannot be asked for its keys. */
export async function proveToken(
  token: string,
  { settings, audience, keys, clock }: TokenRules,
): Promise<TokenBearer | Fault> {
  const { label, client_id, mcp_scopes } = settings;
  const refused = (ending: string) => new Fault('unauthenticated', `The token of ${label} ${ending}.`);
  try {
    const { jwtVerify } = await import('jose');
    const issuer = await keys.issuer();
    const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
      ...{ issuer, audience, algorithms: ALGORITHMS, clockTolerance: SKEW_SECONDS },
      ...{ currentDate: new Date(clock.now()), requiredClaims: ['sub', 'exp'] },
    });
    const kind = kindFault(protectedHeader.typ, payload, client_id);
    if (kind !== undefined) return refused(kind);
    const { sub: subject = '' } = payload;
    if (!SUBJECT.test(subject)) return refused('names no subject of 1 to 255 ASCII characters');
    const held = scopesOf(payload);
    const missing = mcp_scopes.filter((name) => !held.includes(name));
    if (missing.length > 0)
      return new Fault('forbidden', `The token of ${label} lacks the scope ${missing.join(' ')}.`);
    return { issuer, subject, label };
  } catch (error) {
    if (error instanceof KeysAway)
      return new Fault('unavailable', `Cannot reach ${label} to check the token. Try again in a moment.`);
    return refused(await endingOf(error));
  }
}
