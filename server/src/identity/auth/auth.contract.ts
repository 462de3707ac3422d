// Signing in and out, and who one is. Sessions travel in a cookie or as Bearer token; every failure to sign in
// reads the same, so that nobody learns which accounts exist.
import { ok, operationsOf, SESSION_COOKIE } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { passkeyAnswer } from './passkeys.contract.ts';

const operation = operationsOf({ tag: 'auth' });

const LoginRequest = s.component('LoginRequest', {
  username: s.text({ minLength: 1, maxLength: 255 }),
  password: s.text({ minLength: 1, maxLength: 1024 }),
  code: s.optional(
    s.ours(
      s.text({
        maxLength: 64,
        description: 'Of the authenticator app, or a recovery code, where the account has a second factor.',
      }),
    ),
  ),
  passkey: s.optional(s.ours(passkeyAnswer)),
});
const LoginResponse = s.component('LoginResponse', {
  success: s.boolean(),
  expires_at: s.timestamp(),
  message: s.text(),
});
const LogoutResponse = s.component('LogoutResponse', {
  success: s.boolean(),
  message: s.text(),
  end_session_url: s.optional(
    s.ours(
      s.text({ description: 'Where signing out goes on, at the provider that the session was opened with.' }),
    ),
  ),
});
const UserInfoResponse = s.component('UserInfoResponse', {
  authenticated: s.boolean(),
  user_id: s.optional(s.ours(s.id({ description: 'For asking after the own privileges.' }))),
  username: s.optional(s.text()),
  is_superuser: s.optional(s.boolean()),
  admin_permissions: s.optional(s.list(s.text())),
  has_password: s.optional(
    s.ours(s.boolean({ description: 'False until the account that a one-time link opened has a password.' })),
  ),
  by_provider: s.optional(
    s.ours(s.boolean({ description: 'True for a session that was opened with a sign-in provider.' })),
  ),
  needs_second_factor: s.optional(
    s.ours(
      s.boolean({
        description: 'True while the account has to set up a second factor before anything else is allowed.',
      }),
    ),
  ),
});
const CapabilitiesResponse = s.component('CapabilitiesResponse', {
  ai_enabled: s.boolean(),
  max_iterations: s.integer({ default: 50 }),
});
const LinkLoginRequest = s.component('LinkLoginRequest', {
  token: s.text({ minLength: 1, maxLength: 255, description: 'The part of a one-time link after #.' }),
});
const PasswordChangeRequest = s.component('PasswordChangeRequest', {
  current_password: s.optional(
    s.text({ maxLength: 1024, description: 'Not needed while the account has none.' }),
  ),
  new_password: s.text({
    minLength: 1,
    maxLength: 1024,
    description: '12 to 128 characters, not a common password.',
  }),
});
export const MessageResponse = s.component('MessageResponse', { message: s.text() });

const COOKIE = {
  'Set-Cookie': `${SESSION_COOKIE}=<token>; Path=/; HttpOnly; SameSite=Lax; Expires in 24 h; Secure over TLS.`,
};
const signedIn = { success: true, expires_at: '2026-11-21T10:00:00.000Z', message: 'Signed in.' };

export const login = operation({
  id: 'login',
  route: 'POST /api/v1/auth/login',
  summary: 'Authenticate and obtain a session token',
  access: 'public',
  signsIn: true,
  body: LoginRequest,
  bodyExample: { username: 'admin', password: 'correct horse battery' },
  faults: [401],
  success: { status: 200, schema: LoginResponse, example: signedIn, headers: COOKIE },
  notes: [
    'The session token is only in Set-Cookie; the same value works as Bearer token.',
    'Wrong user name, wrong password, disabled account and service account answer the same text in the same time.',
    'A right password of an account with a second factor, without `code` or `passkey`, is 401 with the header X-Second-Factor: needed. A code works once.',
    '429 with Retry-After after too many attempts; the account itself is never disabled by failures.',
  ],
});

export const loginWithLink = operation({
  id: 'loginWithLink',
  route: 'POST /api/v1/auth/link',
  summary: 'Sign in with a one-time link',
  access: 'public',
  signsIn: true,
  body: LinkLoginRequest,
  bodyExample: { token: 'mlk_2Zx0…' },
  faults: [401],
  extra: true,
  success: { status: 200, schema: LoginResponse, example: signedIn, headers: COOKIE },
  notes: ['A link works once and for an hour. A used, expired or unknown one is 401.'],
});

export const logout = operation({
  id: 'logout',
  route: 'POST /api/v1/auth/logout',
  summary: 'Log out and clear the session cookie',
  access: 'public',
  beforeSecondFactor: true,
  success: {
    ...ok(LogoutResponse, { success: true, message: 'Signed out.' }),
    headers: { 'Set-Cookie': `${SESSION_COOKIE} with an empty value and Max-Age=0.` },
  },
  notes: ['200 with or without a session. Ends the session named by the Bearer token or the cookie.'],
});

export const changeOwnPassword = operation({
  id: 'changeOwnPassword',
  route: 'PUT /api/v1/user/password',
  summary: 'Set or change the own password',
  access: 'session',
  beforeSecondFactor: true,
  body: PasswordChangeRequest,
  bodyExample: { current_password: 'correct horse battery', new_password: 'staple giraffe orbit' },
  extra: true,
  success: ok(MessageResponse, { message: 'Password changed.' }),
  notes: ['All other sessions of the account end. 403 when the current password is wrong.'],
});

export const getUserInfo = operation({
  id: 'getUserInfo',
  route: 'GET /api/v1/user/info',
  summary: 'Current user information',
  access: 'public',
  beforeSecondFactor: true,
  success: ok(UserInfoResponse, {
    authenticated: true,
    user_id: 1,
    username: 'admin',
    is_superuser: true,
    admin_permissions: ['*'],
    has_password: true,
  }),
  notes: [
    '200 with or without a session. Without one the body is {"authenticated": false} and nothing else.',
    'With an API token is_superuser and admin_permissions are already cut to its scope.',
  ],
});

export const getCapabilities = operation({
  id: 'getCapabilities',
  route: 'GET /api/v1/capabilities',
  summary: 'Server capability flags',
  access: 'signed-in',
  success: ok(CapabilitiesResponse, { ai_enabled: false, max_iterations: 50 }),
  notes: [
    "ai_enabled is true when at least one LLM provider is configured; max_iterations bounds a client's tool loop.",
  ],
});
