// Signing in by the header of a reverse proxy, or where to go for that when the browser did not come through it.
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { SignInOptions } from '../../../api/types.ts';
import { useOperationMutation } from '../../../api/use-operation.ts';
import classes from './auth-layout.module.css';
import { FailureNotice } from './failure-notice.tsx';

export function ProxySignIn({ options }: { options: SignInOptions | undefined }) {
  const client = useQueryClient();
  const signIn = useOperationMutation('signInByProxy');
  const proxy = options?.proxy;
  if (!proxy) return null;
  if (!proxy.is_ready)
    return (
      <p className={classes.text}>{`To sign in with ${proxy.label}, open this page through its proxy.`}</p>
    );
  const go = async () => {
    try {
      await signIn.mutateAsync({});
      await client.invalidateQueries();
    } catch {
      // Shown below.
    }
  };
  return (
    <div className={classes.providers}>
      {signIn.error ? <FailureNotice error={signIn.error} /> : null}
      <Button variant="default" fullWidth loading={signIn.isPending} onClick={go}>
        {`Sign in with ${proxy.label}`}
      </Button>
    </div>
  );
}
