// Tokens are 32 random bytes. Only their SHA-256 is stored, so a copy of the datastore lets nobody in; a slow hash
// is not needed, since 256 random bits cannot be guessed.
import { createHash, randomBytes } from 'node:crypto';
import { lifetimeMs } from '../../kernel/lifetime.ts';
import { Secret } from '../../kernel/secret.ts';

/** Session tokens have no prefix; the others can be recognised wherever they leak to. */
export type TokenPrefix = '' | 'mat_' | 'mlk_';

export function newToken(prefix: TokenPrefix): Secret {
  return new Secret(prefix + randomBytes(32).toString('base64url'));
}

/** The 32 bytes that are stored for a token and searched by. */
export function tokenHash(token: Secret): Buffer {
  return createHash('sha256').update(token.reveal()).digest();
}

/** What lists show of a token: the first 12 hexadecimal characters of its SHA-256, never a part of it. */
export function tokenPrefix(hash: Buffer): string {
  return hash.toString('hex').slice(0, 12);
}

export const EXPIRES_IN_HELP =
  'Give a number and a unit, as in 12h, 30d, 8w, 6m or 1y (at most 10y), or "never".';

export type Lifetime = { ok: true; ms: number | undefined } | { ok: false };

/** Reads a lifetime; empty text and `never` are no limit. */
export function parseExpiresIn(text: string): Lifetime {
  if (text === '' || text === 'never') return { ok: true, ms: undefined };
  const ms = lifetimeMs(text);
  return ms === undefined ? { ok: false } : { ok: true, ms };
}

/** A time as the wire and the tables have it. */
export function utc(ms: number): string {
  return new Date(ms).toISOString();
}
