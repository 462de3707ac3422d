// What a page says of a password before it is sent.
import { PASSWORD_LENGTH } from '../../../../../server/src/identity/auth/password-length.ts';

export const LENGTH_WORDS = `${PASSWORD_LENGTH.least} to ${PASSWORD_LENGTH.most} characters. A few unrelated words work well.`;

/** What is wrong with a wished password as far as it can be said without the server; null when nothing is. */
export function passwordProblem(password: string, username: string): string | null {
  const length = [...password].length;
  if (length === 0) return 'Type a password.';
  const { least, most } = PASSWORD_LENGTH;
  if (length < least) return `At least ${least} characters; this has ${length}.`;
  if (length > most) return `At most ${most} characters; this has ${length}.`;
  if (password.toLowerCase() === username.toLowerCase()) return 'It must not be your user name.';
  return null;
}
