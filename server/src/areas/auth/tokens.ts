// Tokens are 32 random bytes. Only their SHA-256 is stored, so a copy of the datastore lets nobody in; a slow hash
// is not needed, since 256 random bits cannot be guessed.
import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '../../kernel/secret.ts';

/** Session tokens have no prefix; the others can be recognised wherever they leak to. */
export type TokenPrefix = '' | 'mat_' | 'mlk_';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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

const UNIT_MS = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, m: 30 * DAY_MS, y: 365 * DAY_MS };
const LONGEST_MS = 10 * UNIT_MS.y;

export const EXPIRES_IN_HELP =
  'Give a number and a unit, as in 12h, 30d, 8w, 6m or 1y (at most 10y), or "never".';

export type Lifetime = { ok: true; ms: number | undefined } | { ok: false };

/** Reads `<n>h|d|w|m|y` (m = 30 days, y = 365 days); empty text and `never` are no limit. */
export function parseExpiresIn(text: string): Lifetime {
  if (text === '' || text === 'never') return { ok: true, ms: undefined };
  const match = /^([1-9]\d{0,5})([hdwmy])$/.exec(text);
  const unit = match?.[2];
  if (unit !== 'h' && unit !== 'd' && unit !== 'w' && unit !== 'm' && unit !== 'y') return { ok: false };
  const ms = Number(match?.[1]) * UNIT_MS[unit];
  return ms <= LONGEST_MS ? { ok: true, ms } : { ok: false };
}

/** A time as the wire and the tables have it. */
export function utc(ms: number): string {
  return new Date(ms).toISOString();
}
