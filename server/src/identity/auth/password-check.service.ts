// Looks whether a password is right, for signing in and for what asks for it again. Guards: the attempt is counted before, and the
// same work is done whatever is wrong.
import type { Secret } from '../../kernel/secret.ts';
import {
  type AuthCtx,
  type LoginAttempts,
  type Reservation,
  settle,
  takeBack,
} from './login-attempts.service.ts';
import type { Passwords } from './passwords.ts';
import * as users from './users.queries.ts';

export interface Claim {
  address: string;
  username: string;
  password: Secret;
}

export interface Checked {
  reservation: Reservation;
  /** The account, when it may sign in and the password is its own. */
  user: users.UserRow | undefined;
  /** The account that was named, right password or not. */
  named: users.UserRow | undefined;
}

export interface PasswordCheck {
  passwords: Passwords;
  attempts: LoginAttempts;
}

/** Reserves an attempt and compares the password; one hash in every case. */
export async function checkPassword(ctx: AuthCtx, auth: PasswordCheck, claim: Claim): Promise<Checked> {
  const reservation = await auth.attempts.reserve(ctx, claim);
  try {
    const username = claim.username.replaceAll('\0', ' ');
    const found = await ctx.db.maybe<users.UserRow>(users.findUserByName(username));
    const candidate = found?.enabled && !found.is_service_account ? found : undefined;
    const right = await auth.passwords.verify(claim.password, candidate?.password_hash ?? null);
    await settle(ctx, reservation);
    return { reservation, user: right ? candidate : undefined, named: found };
  } catch (error) {
    await takeBack(ctx, reservation);
    throw error;
  }
}
