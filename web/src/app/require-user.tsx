// The door: nobody signed in goes to the sign-in page and comes back to the wanted address afterwards.
import { Navigate, useLocation } from 'react-router';
import { useUser } from '../features/auth/use-user.ts';
import { Logo } from '../ui/logo.tsx';
import { ErrorState } from '../ui/states.tsx';
import classes from './require-user.module.css';
import { Shell } from './shell.tsx';

export function RequireUser() {
  const user = useUser();
  const location = useLocation();
  if (user.data?.authenticated) return <Shell user={user.data} />;
  if (user.data) {
    const wanted = location.pathname + location.search;
    return (
      <Navigate replace to={wanted === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`} />
    );
  }
  return (
    <main className={classes.door}>
      <h1 className="visually-hidden">Matriarch</h1>
      {user.error ? (
        <ErrorState error={user.error} what="your account" onRetry={() => user.refetch()} />
      ) : (
        <div role="status" className={classes.mark}>
          <Logo size={44} />
          <span className="visually-hidden">Loading Matriarch</span>
        </div>
      )}
    </main>
  );
}
