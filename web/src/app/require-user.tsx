// Who is not signed in goes to the sign-in page and comes back to the wanted address afterwards. When a session ends
// the page stays where it is until its user is back.
import { lazy, Suspense, useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import type { UserInfo } from '../api/types.ts';
import { PageUser, useSession } from '../features/identity/auth/use-user.ts';
import { writePreference } from '../lib/preferences.ts';
import { Logo } from '../ui/logo.tsx';
import { ErrorState } from '../ui/states.tsx';
import classes from './require-user.module.css';
import { Shell } from './shell.tsx';

/** Fetched in a quiet moment, before a session ends. */
const SessionEnded = lazy(async () => ({
  default: (await import('../features/identity/auth/session-ended.tsx')).SessionEnded,
}));

/** Few need it, so that it is no part of what every page begins with. */
const RequiredSecondFactor = lazy(async () => {
  const room = await import('../features/identity/account/required-second-factor.tsx');
  return { default: room.RequiredSecondFactor };
});

/** Who was signed in last on this page. Somebody else gets the page loaded anew, so that nothing is left of before. */
function usePageUser(now: UserInfo | undefined): UserInfo | undefined {
  const [user, setUser] = useState<UserInfo>();
  const isOther = now?.authenticated === true && user !== undefined && user.username !== now.username;
  if (now?.authenticated && !isOther && now !== user) setUser(now);
  useEffect(() => {
    if (isOther) window.location.reload();
  }, [isOther]);
  return user;
}

export function RequireUser() {
  const session = useSession();
  const location = useLocation();
  const [codes, setCodes] = useState<readonly string[]>();
  const user = usePageUser(session.data);
  const isSignedIn = session.data?.authenticated;
  useEffect(() => {
    if (isSignedIn !== undefined) writePreference('signed-in', isSignedIn ? 'yes' : 'no');
  }, [isSignedIn]);
  if (user && session.data?.authenticated && (session.data.needs_second_factor || codes))
    return (
      <Suspense fallback={null}>
        <RequiredSecondFactor user={session.data} codes={codes} onCodes={setCodes} />
      </Suspense>
    );
  if (user)
    return (
      <PageUser value={user}>
        <Shell user={user} />
        {session.data?.authenticated ? null : (
          <Suspense fallback={null}>
            <SessionEnded user={user} />
          </Suspense>
        )}
      </PageUser>
    );
  if (session.data?.authenticated) return null;
  if (session.data) {
    const wanted = location.pathname + location.search;
    return (
      <Navigate replace to={wanted === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`} />
    );
  }
  return (
    <main className={classes.door}>
      <h1 className="visually-hidden">Matriarch</h1>
      {session.error ? (
        <ErrorState error={session.error} what="your account" onRetry={() => session.refetch()} />
      ) : (
        <div role="status" className={classes.mark}>
          <Logo size={44} />
          <span className="visually-hidden">Loading Matriarch</span>
        </div>
      )}
    </main>
  );
}
