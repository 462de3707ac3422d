// In place of every page, while an account has to set up a second factor. The recovery codes stay until they are kept, although the
// server lets the account in by then.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { UserInfo } from '../../api/types.ts';
import { AuthLayout } from '../auth/auth-layout.tsx';
import { PasswordForm } from '../auth/password-form.tsx';
import { useSignOut } from '../auth/use-sign-out.ts';
import classes from './second-factor.module.css';
import { RecoveryCodes, SecondFactorSetup } from './second-factor-setup.tsx';

export interface RequiredSecondFactorProps {
  user: UserInfo;
  codes: readonly string[] | undefined;
  onCodes: (codes: readonly string[] | undefined) => void;
}

function Steps({ user, codes, onCodes }: RequiredSecondFactorProps) {
  const [hasPassword, setHasPassword] = useState(user.has_password !== false);
  if (codes) return <RecoveryCodes codes={codes} onDone={() => onCodes(undefined)} />;
  if (!hasPassword)
    return (
      <PasswordForm
        username={user.username ?? ''}
        askCurrent={false}
        submitLabel="Set password"
        onDone={() => setHasPassword(true)}
      />
    );
  return <SecondFactorSetup submitLabel="Continue" onCodes={onCodes} />;
}

export function RequiredSecondFactor(props: RequiredSecondFactorProps) {
  const signOut = useSignOut();
  return (
    <AuthLayout title="Set up a second factor">
      <div className={classes.form}>
        {props.codes ? null : (
          <p className={classes.text}>
            Your account must have a second factor. Set it up with an authenticator app to go on.
          </p>
        )}
        <Steps {...props} />
        {props.codes ? null : (
          <div className={classes.row}>
            <Button variant="subtle" loading={signOut.isPending} onClick={() => signOut.mutate({})}>
              Sign out
            </Button>
          </div>
        )}
      </div>
    </AuthLayout>
  );
}
