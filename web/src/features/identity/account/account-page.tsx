// The own account: password, second factor, how things look in this browser, sessions, what one may do, the way out.
import { Button, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { currentDensity, type Density, setDensity } from '../../../lib/preferences.ts';
import { SignOutIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { PasswordForm } from '../auth/password-form.tsx';
import { useSignOut } from '../auth/use-sign-out.ts';
import { useUser } from '../auth/use-user.ts';
import { OwnAccess } from '../rbac/own-access.tsx';
import classes from './account-page.module.css';
import { OwnSessions, OwnSignIns } from './own-sessions.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';

function Appearance() {
  // Mantine would stop transitions with a style element, which the Content-Security-Policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const [density, setDensityState] = useState<Density>(currentDensity);
  return (
    <Panel title="Appearance" note="kept in this browser">
      <div className={layout.stack}>
        <div>
          <p id="theme-label" className={classes.label}>
            Theme
          </p>
          <SegmentedControl
            aria-labelledby="theme-label"
            value={colorScheme}
            onChange={(value) => setColorScheme(value)}
            data={[
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
              { value: 'auto', label: 'As the system' },
            ]}
          />
        </div>
        <div>
          <p id="density-label" className={classes.label}>
            Density
          </p>
          <SegmentedControl
            aria-labelledby="density-label"
            value={density}
            onChange={(value) => {
              setDensity(value);
              setDensityState(value);
            }}
            data={[
              { value: 'comfortable', label: 'Comfortable' },
              { value: 'compact', label: 'Compact' },
            ]}
          />
        </div>
      </div>
    </Panel>
  );
}

function Password() {
  const user = useUser().data;
  const [done, setDone] = useState(false);
  const first = user?.has_password === false;
  return (
    <Panel title={first ? 'Set a password' : 'Change the password'} note="ends all other sessions of yours">
      <div className={layout.close}>
        {done ? (
          <Notice tone="info" role="status">
            The password was changed.
          </Notice>
        ) : null}
        <PasswordForm
          username={user?.username ?? ''}
          askCurrent={!first}
          submitLabel={first ? 'Set password' : 'Change password'}
          onDone={() => setDone(true)}
        />
      </div>
    </Panel>
  );
}

export function AccountPage() {
  const user = useUser().data;
  const signOut = useSignOut();
  return (
    <>
      <PageHeader
        title="Account"
        facts={`${user?.username ?? ''}${user?.is_superuser ? ', superuser' : ''}`}
        actions={
          <Button
            variant="default"
            leftSection={<SignOutIcon size={16} />}
            loading={signOut.isPending}
            onClick={() => signOut.mutate({})}
          >
            Sign out
          </Button>
        }
      />
      <div className={classes.panels}>
        {user?.by_provider === true && user.has_password === false ? null : <Password />}
        {user?.has_password === false ? null : <SecondFactor />}
        {user?.has_password === false ? null : <Passkeys />}
        <Appearance />
      </div>
      <div className={classes.tables}>
        <OwnSessions />
        <OwnSignIns />
      </div>
      <OwnAccess />
    </>
  );
}
