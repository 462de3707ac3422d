// Signing in by the header that a reverse proxy sends for a person whom it has signed in.
import { ok, operation, SESSION_COOKIE } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

export const signInByProxy = operation({
  id: 'signInByProxy',
  route: 'POST /api/v1/auth/proxy',
  tag: 'auth',
  summary: 'Sign in by the header of a reverse proxy',
  access: 'public',
  signsIn: true,
  faults: [401, 404],
  extra: true,
  success: {
    ...ok(
      s.component('ProxySignInDone', { success: s.boolean(), expires_at: s.timestamp(), message: s.text() }),
      {
        success: true,
        expires_at: '2026-11-21T10:00:00.000Z',
        message: 'Signed in.',
      },
    ),
    headers: { 'Set-Cookie': `${SESSION_COOKIE}=<token>, as login sets it.` },
  },
  notes: [
    'The header counts from the addresses of auth.proxy.addresses alone. 404 where this way is not configured, 401 says why it was refused.',
  ],
});
