// In place of every page, while an account has to set up a second factor. The recovery codes stay until they are kept, although the
// server lets the account in by then.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { UserInfo } from '../../../api/types.ts';
import { useOperation } from '../../../api/use-operation.ts';
import layout from '../../../ui/layout.module.css';
import { AuthLayout } from '../auth/auth-layout.tsx';
import { canUsePasskeys } from '../auth/passkey.ts';
import { PasswordForm } from '../auth/password-form.tsx';
import { useSignOut } from '../auth/use-sign-out.ts';
import { AddPasskey } from './passkeys.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import classes from './second-factor.module.css';
import { SecondFactorSetup } from './second-factor-setup.tsx';

export interface RequiredSecondFactorProps {
  user: UserInfo;
  codes: readonly string[] | undefined;
  onCodes: (codes: readonly string[] | undefined) => void;
}

function Steps({ user, codes, onCodes }: RequiredSecondFactorProps) {
  const [hasPassword, setHasPassword] = useState(user.has_password !== false);
  const [byPasskey, setByPasskey] = useState(false);
  const canWork = useOperation('listOwnPasskeys', {}).data?.can_work ?? false;
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
  const none = { hasApp: false, hasPasskeys: false };
  return (
    <>
      {byPasskey ? (
        <AddPasskey inForce={none} submitLabel="Continue" onDone={onCodes} />
      ) : (
        <SecondFactorSetup hasPasskeys={false} submitLabel="Continue" onCodes={onCodes} />
      )}
      {canWork && canUsePasskeys() ? (
        <div className={classes.row}>
          <Button variant="default" onClick={() => setByPasskey(!byPasskey)}>
            {byPasskey ? 'Use an authenticator app instead' : 'Use a passkey instead'}
          </Button>
        </div>
      ) : null}
    </>
  );
}

export function RequiredSecondFactor(props: RequiredSecondFactorProps) {
  const signOut = useSignOut();
  return (
    <AuthLayout title="Set up a second factor">
      <div className={layout.fields}>
        {props.codes ? null : (
          <p className={classes.text}>
            Your account must have a second factor. Set it up with an authenticator app or a passkey to go on.
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
