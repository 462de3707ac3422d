// A one-time link: exchanged at once, taken out of the address and the history before anything else happens, then an
// offer to set a password. The token stands after #, so no server log ever holds it.
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { ApiError, call } from '../../../api/client.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Loading, RequestId } from '../../../ui/states.tsx';
import classes from './auth-layout.module.css';
import { AuthLayout } from './auth-layout.tsx';
import { PasswordForm } from './password-form.tsx';
import { useUser } from './use-user.ts';

type State = { phase: 'idle' } | { phase: 'trying' } | { phase: 'in' } | { phase: 'failed'; error: ApiError };

/** The token of the address, once: reading it removes it. */
function useToken(exchange: (token: string) => void): void {
  const { hash } = useLocation();
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each token is tried once
  useEffect(() => {
    if (hash.length < 2) return;
    navigate('/link', { replace: true });
    exchange(decodeURIComponent(hash.slice(1)));
  }, [hash]);
}

function Failed({ error }: { error: ApiError }) {
  return (
    <AuthLayout title="This link does not open">
      <Notice tone="bad" role="alert">
        {error.message}
        {error.status === 401 ? null : <RequestId error={error} />}
      </Notice>
      <p className={classes.after}>
        A link works once and for an hour. On the server, <code>npm run matriarch -- user link</code> with
        your user name prints a new one.
      </p>
      <Button component={Link} to="/sign-in" variant="default">
        Sign in with a password
      </Button>
    </AuthLayout>
  );
}

function SignedIn() {
  const user = useUser();
  const navigate = useNavigate();
  if (!user.data?.authenticated) {
    return (
      <AuthLayout title="Signing in">
        <Loading what="your account" lines={3} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title={`You are signed in as ${user.data.username ?? 'administrator'}`}>
      <p className={classes.text}>
        Set a password, so that you can come back when this session has ended. You can also do it later.
      </p>
      <PasswordForm
        askCurrent={user.data.has_password !== false}
        username={user.data.username ?? ''}
        submitLabel="Set password and continue"
        onDone={() => navigate('/')}
      >
        <Link className="link" to="/">
          Later
        </Link>
      </PasswordForm>
    </AuthLayout>
  );
}

export function LinkPage() {
  const [state, setState] = useState<State>({ phase: 'idle' });
  const client = useQueryClient();
  useToken(async (token) => {
    setState({ phase: 'trying' });
    try {
      await call('loginWithLink', { body: { token } });
      await client.invalidateQueries();
      setState({ phase: 'in' });
    } catch (error) {
      const failure = error instanceof ApiError ? error : new ApiError(String(error), { status: 0 });
      setState({ phase: 'failed', error: failure });
    }
  });
  if (state.phase === 'in') return <SignedIn />;
  if (state.phase === 'failed') return <Failed error={state.error} />;
  if (state.phase === 'trying') {
    return (
      <AuthLayout title="Signing in">
        <Loading what="your account" lines={3} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title="No link here">
      <p className={classes.text}>
        Open the whole one-time link that Matriarch printed when it started; the part after # is missing.
      </p>
      <Button component={Link} to="/sign-in" variant="default">
        Sign in with a password
      </Button>
    </AuthLayout>
  );
}
