// Signing in with a passkey alone. Whether the account may be used is looked at in the transaction that opens the session.
import { Fault } from '../../kernel/errors.ts';
import { demandLocal } from './local-sign-in.ts';
import { type AuthCtx, forgive, type LoginAttempts, rememberAddress } from './login-attempts.service.ts';
import {
  PASSKEY_WRONG,
  type PasskeyAuth,
  type PasskeyGiven,
  provePasskey,
  usePasskey,
} from './passkey-check.service.ts';
import { type OpenedSession, openSession } from './sessions.service.ts';
import type { SignInWays } from './sign-in-ways.types.ts';
import * as users from './users.queries.ts';

/** What this needs of what the room shares. */
export interface PasskeySignInAuth extends PasskeyAuth {
  attempts: LoginAttempts;
  ways: SignInWays;
}

/** Opens a session for a passkey alone: the device has verified the person, so it is both factors. */
export async function loginWithPasskey(
  ctx: AuthCtx,
  auth: PasskeySignInAuth,
  { address, ...given }: PasskeyGiven & { address: string },
): Promise<OpenedSession> {
  demandLocal(auth.ways, undefined, 'passkey');
  const reservation = await auth.attempts.reserve(ctx, { address, username: undefined });
  const passkey = await provePasskey(ctx, auth, given);
  const { user_id, username } = passkey;
  const session = await ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const user = await db.maybe<users.UserRow>(users.lockUser(user_id));
    const isLocal = user?.enabled && !user.is_service_account && user.password_hash !== null;
    if (!isLocal || !(await usePasskey(tx, user_id, passkey)))
      throw new Fault('unauthenticated', PASSKEY_WRONG, {
        about: { kind: 'user', id: user_id, name: username },
      });
    demandLocal(auth.ways, user, 'passkey');
    await forgive(db, reservation);
    await rememberAddress(tx, user_id, address);
    return openSession(tx, user, 'passkey');
  });
  ctx.log.info({ event: 'auth.signed_in', user_id, address, with: 'passkey' });
  return session;
}
