// The challenge of a passkey until the browser has answered, sealed in a cookie of that browser: strangers fill no table, and any
// process can go on. Guards: it can neither be read nor forged, it ends after five minutes, and it is good for its purpose alone.
import { createHash, createSecretKey } from 'node:crypto';
import { openBytes, SealBroken, sealBytes } from '../../kernel/crypto.ts';
import type { Secret } from '../../kernel/secret.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { PASSKEY_COOKIE } from './passkeys.contract.ts';

export const CHALLENGE_MS = 5 * MINUTE_MS;
const LONGEST_COOKIE = 1024;
const COOKIE = new RegExp(`(?:^|;)\\s*${PASSKEY_COOKIE}=([A-Za-z0-9_-]+)\\s*(?:;|$)`);

export interface Challenge {
  challenge: string;
  /** Of the account, where a passkey is added. */
  user_handle: string;
}

export interface Challenges {
  seal(purpose: string, challenge: Challenge, now: number): string;
  /** Undefined for a cookie that is missing, changed, too old or of another purpose. */
  open(purpose: string, cookies: string | undefined, now: number): Challenge | undefined;
}

function challengeOf(text: string, now: number): Challenge | undefined {
  const [challenge = '', user_handle = '', until] = text.split(' ');
  return now < Number(until) ? { challenge, user_handle } : undefined;
}

export function createChallenges(secret: Secret): Challenges {
  const key = createSecretKey(createHash('sha256').update(secret.reveal()).digest());
  const about = (purpose: string) => [PASSKEY_COOKIE, purpose] as const;
  return {
    seal(purpose, { challenge, user_handle }, now) {
      const text = [challenge, user_handle, now + CHALLENGE_MS].join(' ');
      return sealBytes(key, about(purpose), Buffer.from(text)).toString('base64url');
    },
    open(purpose, cookies, now) {
      const value = cookies === undefined ? undefined : COOKIE.exec(cookies)?.[1];
      if (value === undefined || value.length > LONGEST_COOKIE) return undefined;
      try {
        return challengeOf(openBytes(key, about(purpose), Buffer.from(value, 'base64url')).toString(), now);
      } catch (error) {
        if (error instanceof SealBroken) return undefined;
        throw error;
      }
    },
  };
}
