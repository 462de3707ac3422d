// Where a provider sends the browser back to: hands on what it answered, once, and goes on.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { Loading } from '../../../ui/states.tsx';
import classes from './auth-layout.module.css';
import { AuthLayout } from './auth-layout.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { takeNext } from './kept-next.ts';
import { useSignInOptions } from './use-sign-in-options.ts';

export function ProviderAnswerPage() {
  const { provider } = useParams();
  const options = useSignInOptions();
  const finish = useOperationMutation('finishProviderSignIn');
  const client = useQueryClient();
  const navigate = useNavigate();
  const isSent = useRef(false);
  const found = options.data?.providers.find(({ id }) => id === provider);

  useEffect(() => {
    if (!found || isSent.current) return;
    isSent.current = true;
    const answer = window.location.search.slice(1);
    // The answer works once; it is no use in the history of the browser.
    window.history.replaceState(null, '', window.location.pathname);
    finish.mutateAsync({ params: { provider: found.id }, body: { answer: answer || 'none' } }).then(
      async () => {
        await client.invalidateQueries();
        await navigate(takeNext(), { replace: true });
      },
      () => undefined,
    );
  }, [found, finish, client, navigate]);

  const error = finish.error ?? options.error;
  return (
    <AuthLayout title="Sign in">
      {error ? (
        <FailureNotice error={error} />
      ) : options.data && !found ? (
        <p className={classes.text}>This sign-in provider is not configured any more.</p>
      ) : (
        <Loading what="your sign-in" />
      )}
      {error || (options.data && !found) ? (
        <p className={classes.after}>
          <Link className="link" to="/sign-in">
            Back to sign in
          </Link>
        </p>
      ) : null}
    </AuthLayout>
  );
}
