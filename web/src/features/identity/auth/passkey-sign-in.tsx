// Signing in with a passkey alone.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ApiError, call } from '../../../api/client.ts';
import type { SignInOptions } from '../../../api/types.ts';
import classes from './auth-layout.module.css';
import { FailureNotice } from './failure-notice.tsx';
import { askPasskey, canUsePasskeys } from './passkey.ts';

export function PasskeySignIn({ options }: { options: SignInOptions | undefined }) {
  const client = useQueryClient();
  const signIn = useMutation<unknown, ApiError>({
    mutationFn: async () => call('finishPasskeySignIn', { body: { passkey: await askPasskey() } }),
    onSuccess: () => client.invalidateQueries(),
  });
  if (!options?.passkeys || !canUsePasskeys()) return null;
  return (
    <div className={classes.providers}>
      {signIn.error ? <FailureNotice error={signIn.error} /> : null}
      <Button variant="default" fullWidth loading={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
    </div>
  );
}
