// What is typed about a user, what is wrong with it as far as that can be said without the server, and what of it
// travels.
import { passwordProblem } from '../auth/password-rules.ts';
import type { User, UserBody, UserChange } from './types.ts';

export interface UserDraft {
  is_service_account: boolean;
  username: string;
  password: string;
  display_name: string;
  email: string;
  annotation: string;
  enabled: boolean;
  is_superuser: boolean;
}

export const NEW_USER: UserDraft = {
  is_service_account: false,
  username: '',
  password: '',
  display_name: '',
  email: '',
  annotation: '',
  enabled: true,
  is_superuser: false,
};

export function draftOf(user: User): UserDraft {
  const { is_service_account, username, display_name, email, enabled, is_superuser } = user;
  const annotation = user.annotation ?? '';
  return {
    is_service_account,
    username,
    password: '',
    display_name,
    email,
    annotation,
    enabled,
    is_superuser,
  };
}

export type UserProblems = Partial<Record<'username' | 'password', string>>;

const USERNAME = /^[A-Za-z0-9][A-Za-z0-9_.@-]*$/;

export function problemsOf(draft: UserDraft, isNew: boolean): UserProblems {
  const problems: UserProblems = {};
  if (isNew && !USERNAME.test(draft.username))
    problems.username = 'Letters, digits and _ . @ - only; the first is a letter or a digit.';
  const wantsPassword = !draft.is_service_account && (isNew || draft.password !== '');
  const problem = wantsPassword ? passwordProblem(draft.password, draft.username) : null;
  if (problem) problems.password = problem;
  return problems;
}

export function createBody(draft: UserDraft): UserBody {
  const { password, ...rest } = draft;
  return draft.is_service_account ? rest : { ...rest, password };
}

/** Only what was changed; an empty object when nothing was. */
export function changeBody(draft: UserDraft, before: UserDraft): UserChange {
  const { display_name, email, annotation, enabled, is_superuser, password } = draft;
  return {
    ...(display_name !== before.display_name && { display_name }),
    ...(email !== before.email && { email }),
    ...(annotation !== before.annotation && { annotation }),
    ...(enabled !== before.enabled && { enabled }),
    ...(is_superuser !== before.is_superuser && { is_superuser }),
    ...(password !== '' && { password }),
  };
}
