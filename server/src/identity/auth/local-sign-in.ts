// Who may sign in without a provider.
import { Fault } from '../../kernel/errors.ts';
import type { SignInWays } from './sign-in-ways.types.ts';
import type * as users from './users.queries.ts';

/** Whether a password or a passkey does, as the settings say; a superuser learns of it only with the right one. */
export function demandLocal({ password, labels }: SignInWays, user?: users.UserRow, what = 'password'): void {
  if (password === 'off')
    throw new Fault(
      'unauthenticated',
      `Signing in with a ${what} is switched off here. Sign in with ${labels}.`,
    );
  if (password === 'superusers' && user && !user.is_superuser)
    throw new Fault(
      'unauthenticated',
      `Only superusers may sign in with a ${what} here. Sign in with ${labels}.`,
      { about: { kind: 'user', id: user.id, name: user.username } },
    );
}
