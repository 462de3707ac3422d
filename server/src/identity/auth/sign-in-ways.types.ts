// What signing in and out owes to settings and providers, which another room knows.
import type { Config } from '../../kernel/config.ts';
import type { EndedSession } from './sessions.queries.ts';

export interface SignInWays {
  /** Who may still sign in with a password. */
  password: Config['auth']['local_sign_in'];
  /** The buttons to name where a password does not do. */
  labels: string;
  /** Where signing out goes on; undefined where it ends here. */
  signOutUrl(ended: EndedSession): Promise<string | undefined>;
}

/** Without providers. */
export const PASSWORDS_ALONE: SignInWays = {
  password: 'always',
  labels: '',
  signOutUrl: async () => undefined,
};
