// What has to be remembered of a sign-in until the provider has answered, sealed in a cookie of the browser that began: strangers
// fill no table, and any process can go on. Guards: it can neither be read nor forged, it ends after ten minutes, and it is of one
// provider alone, so that the answer of one cannot be passed off as that of another.
import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { openBytes, SealBroken, sealBytes } from '../../kernel/crypto.ts';
import type { OidcProviderId } from '../../kernel/oidc-settings.ts';
import type { Secret } from '../../kernel/secret.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { STATE_COOKIE } from './oidc.contract.ts';

export const STATE_MS = 10 * MINUTE_MS;
const LONGEST_COOKIE = 2048;
const COOKIE = new RegExp(`(?:^|;)\\s*${STATE_COOKIE}=([A-Za-z0-9_-]+)\\s*(?:;|$)`);

/** Of one attempt to sign in. */
export interface Begun {
  state: string;
  nonce: string;
  code_verifier: string;
}

export interface StateCookies {
  seal(provider: OidcProviderId, begun: Begun, now: number): string;
  /** Undefined for a cookie that is missing, changed, too old or of another provider. */
  open(provider: OidcProviderId, header: string | undefined, now: number): Begun | undefined;
}

const keyOf = (secret: Secret): KeyObject =>
  createSecretKey(createHash('sha256').update(secret.reveal()).digest());

function begunOf(text: string, now: number): Begun | undefined {
  const [state = '', nonce = '', code_verifier = '', until] = text.split(' ');
  return now < Number(until) ? { state, nonce, code_verifier } : undefined;
}

export function createStateCookies(secret: Secret): StateCookies {
  const key = keyOf(secret);
  const about = (provider: OidcProviderId) => [STATE_COOKIE, provider] as const;
  return {
    seal(provider, { state, nonce, code_verifier }, now) {
      const text = [state, nonce, code_verifier, now + STATE_MS].join(' ');
      return sealBytes(key, about(provider), Buffer.from(text)).toString('base64url');
    },
    open(provider, header, now) {
      const value = header === undefined ? undefined : COOKIE.exec(header)?.[1];
      if (value === undefined || value.length > LONGEST_COOKIE) return undefined;
      try {
        const text = openBytes(key, about(provider), Buffer.from(value, 'base64url')).toString('utf8');
        return begunOf(text, now);
      } catch (error) {
        if (error instanceof SealBroken) return undefined;
        throw error;
      }
    },
  };
}
