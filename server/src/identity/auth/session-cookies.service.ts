// The cookie of a session, whatever the session was opened with. Guards: no script of a page reads it, and no other site sends it
// with a write.
import { SESSION_COOKIE } from '../../kernel/contract.ts';
import type { AuthCtx } from './login-attempts.service.ts';
import { endSession, type OpenedSession } from './sessions.service.ts';

export interface SessionReply {
  body: { success: true; message: string; expires_at?: string; end_session_url?: string };
  headers: { 'Set-Cookie': string };
}

/** What a request brings along. */
interface Bringing {
  readonly token: string | undefined;
  readonly secure: boolean;
}

/** Of every cookie that signs in. */
export const attributes = (secure: boolean) => `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

/** The reply to a sign-in. The session that the browser brought along ends, since the new one takes its place. */
export async function signedIn(
  ctx: AuthCtx,
  { token, expires_at }: OpenedSession,
  { token: before, secure }: Bringing,
): Promise<SessionReply> {
  await endSession(ctx, before, 'new_session');
  const expires = `; Expires=${new Date(expires_at).toUTCString()}`;
  return {
    body: { success: true, expires_at, message: 'Signed in.' },
    headers: {
      'Set-Cookie': `${SESSION_COOKIE}=${token.reveal()}${attributes(secure)}${expires}`,
    },
  };
}

export function signedOut(secure: boolean, end_session_url: string | undefined): SessionReply {
  return {
    body: {
      success: true,
      message: 'Signed out.',
      ...(end_session_url !== undefined && { end_session_url }),
    },
    headers: { 'Set-Cookie': `${SESSION_COOKIE}=${attributes(secure)}; Max-Age=0` },
  };
}
