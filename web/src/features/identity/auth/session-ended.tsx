// Stands over the page when the session has ended: says so, and takes the password again. The page stays as it is
// underneath, with everything that was typed, and can be read by nobody until the same user is back.
import { Button, Modal, PasswordInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { SignInOptions, UserInfo } from '../../../api/types.ts';
import { withBase, withoutBase } from '../../../lib/base-path.ts';
import { typed } from '../../../ui/field.ts';
import layout from '../../../ui/layout.module.css';
import classes from './auth-layout.module.css';
import { CodeField } from './code-field.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { ProxySignIn } from './proxy-sign-in.tsx';
import { useLogin } from './use-login.ts';
import { useSignInOptions } from './use-sign-in-options.ts';

/** Keys stay in here: Escape would close a dialog of the page that lies underneath. */
const KEEP_KEYS = { 'data-mantine-stop-propagation': 'true' };

function Form({ username }: { username: string }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const login = useLogin();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await login.send({ username, password, code })) === 'password') setPassword('');
    setCode('');
  };
  return (
    <form className={layout.fields} onSubmit={submit}>
      {login.error ? <FailureNotice error={login.error} /> : null}
      <input type="hidden" autoComplete="username" value={username} readOnly />
      <PasswordInput
        {...KEEP_KEYS}
        label={`Password of ${username}`}
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={1024}
        {...typed(password, setPassword)}
      />
      {login.needsCode ? <CodeField value={code} onChange={setCode} isFirst /> : null}
      <div className={classes.row}>
        <Button {...KEEP_KEYS} type="submit" loading={login.isPending}>
          Sign in
        </Button>
        <Button {...KEEP_KEYS} variant="subtle" onClick={() => window.location.assign(withBase('/sign-in'))}>
          Leave the page
        </Button>
      </div>
    </form>
  );
}

/** Whether a password may do. Where there is no other way, the form says why not. */
function isOpenTo(user: UserInfo, options: SignInOptions | undefined): boolean {
  if (!options || (options.providers.length === 0 && !options.proxy)) return true;
  if (options.local_sign_in === 'off' || user.has_password === false) return false;
  return options.local_sign_in === 'always' || user.is_superuser === true;
}

export function SessionEnded({ user }: { user: UserInfo }) {
  const options = useSignInOptions();
  return (
    <Modal.Root
      opened
      onClose={() => undefined}
      closeOnClickOutside={false}
      closeOnEscape={false}
      centered
      lockScroll={false}
      zIndex={400}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--page)" />
      <Modal.Content aria-label="Your session has ended" radius="md">
        <Modal.Body>
          <h2 className={classes.title}>Your session has ended</h2>
          <p className={classes.text}>
            Sign in again to go on. What you have typed on this page is still there.
          </p>
          <ProxySignIn options={options.data} />
          <ProviderButtons
            options={options.data}
            next={withoutBase(window.location.pathname) + window.location.search}
          />
          {isOpenTo(user, options.data) ? <Form username={user.username ?? ''} /> : null}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
