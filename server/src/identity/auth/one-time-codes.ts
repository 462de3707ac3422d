// Codes that show that somebody has a second thing besides the password: those of an authenticator app (RFC 6238, SHA-1, six digits,
// 30 s, as every app reads them), and recovery codes. Guards: the key is a Secret, and codes are compared in constant time.
import { createHash, randomBytes } from 'node:crypto';
import * as OTPAuth from 'otpauth';
import { Secret } from '../../kernel/secret.ts';

export const STEP_MS = 30_000;
/** A clock may be wrong by so many steps, either way. */
const SKEW_STEPS = 1;
const KEY_BYTES = 20;
const ISSUER = 'Matriarch';
const RECOVERY_CODES = 10;
/** With 120 bits nobody finds one by its hash, so a plain hash is enough. */
const RECOVERY_BYTES = 15;

export const newKey = (): Secret => new Secret(new OTPAuth.Secret({ size: KEY_BYTES }).base32);

const generatorOf = (key: Secret, username: string) =>
  new OTPAuth.TOTP({
    issuer: ISSUER,
    label: username,
    algorithm: 'SHA1',
    digits: 6,
    period: STEP_MS / 1000,
    secret: OTPAuth.Secret.fromBase32(key.reveal()),
  });

/** What an app reads from the QR code. */
export const appAddress = (key: Secret, username: string): Secret =>
  new Secret(generatorOf(key, username).toString());

const plain = (code: Secret) => code.reveal().replaceAll(/[\s-]/g, '').toLowerCase();

/** The time step whose code that is; undefined where it is the code of none that counts now. */
export function stepOf(key: Secret, code: Secret, now: number): number | undefined {
  const token = plain(code);
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = generatorOf(key, '').validate({ token, timestamp: now, window: SKEW_STEPS });
  return delta === null ? undefined : Math.floor(now / STEP_MS) + delta;
}

/** Whether it has the form of a code of an app; a recovery code is longer. */
export const isAppCode = (code: Secret): boolean => /^\d{6}$/.test(plain(code));

/** Random bits in base32, in groups of four. */
function newRecoveryCode(): Secret {
  const { buffer } = Uint8Array.from(randomBytes(RECOVERY_BYTES));
  const text = new OTPAuth.Secret({ buffer }).base32.toLowerCase();
  return new Secret(text.replaceAll(/(.{4})(?=.)/g, '$1-'));
}

export const newRecoveryCodes = (): Secret[] => Array.from({ length: RECOVERY_CODES }, newRecoveryCode);

/** What is stored of a recovery code, and searched by. */
export const recoveryHash = (userId: number, code: Secret): Buffer =>
  createHash('sha256')
    .update(`recovery ${userId} ${plain(code)}`)
    .digest();
