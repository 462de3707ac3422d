// Signing in with a provider or a password, then on to where one wanted to go.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import type { SignInOptions } from '../../../api/types.ts';
import { typed } from '../../../ui/field.ts';
import layout from '../../../ui/layout.module.css';
import { Loading } from '../../../ui/states.tsx';
import classes from './auth-layout.module.css';
import { AuthLayout } from './auth-layout.tsx';
import { CodeField } from './code-field.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { canUsePasskeys } from './passkey.ts';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { ProxySignIn } from './proxy-sign-in.tsx';
import { safeNext } from './safe-next.ts';
import { useLogin } from './use-login.ts';
import { useSignInOptions } from './use-sign-in-options.ts';
import { useUser } from './use-user.ts';

interface LocalSignInProps {
  isFirst: boolean;
  options: SignInOptions | undefined;
}

function LocalSignIn({ isFirst, options }: LocalSignInProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const login = useLogin();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const again = await login.send({ username: username.trim(), password, code });
    // The typed name stays.
    if (again === 'password') setPassword('');
    setCode('');
  };
  const startAgain = () => {
    login.startAgain();
    setPassword('');
  };
  if (login.needsCode)
    return (
      <form className={layout.fields} onSubmit={submit}>
        {login.error ? <FailureNotice error={login.error} /> : null}
        <CodeField value={code} onChange={setCode} isFirst />
        <div className={classes.row}>
          <Button type="submit" fullWidth loading={login.isPending}>
            Sign in
          </Button>
          {options?.passkeys && canUsePasskeys() ? (
            <Button
              variant="default"
              fullWidth
              loading={login.isAsking}
              onClick={() => login.sendPasskey({ username: username.trim(), password })}
            >
              Use a passkey
            </Button>
          ) : null}
          <Button variant="subtle" fullWidth onClick={startAgain}>
            Back
          </Button>
        </div>
      </form>
    );
  return (
    <>
      <PasskeySignIn options={options} />
      <form className={layout.fields} onSubmit={submit}>
        {login.error ? <FailureNotice error={login.error} /> : null}
        <TextInput
          label="User name"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          autoFocus={isFirst}
          maxLength={255}
          {...typed(username, setUsername)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          maxLength={1024}
          {...typed(password, setPassword)}
        />
        <div className={classes.row}>
          <Button type="submit" fullWidth loading={login.isPending}>
            Sign in
          </Button>
        </div>
      </form>
    </>
  );
}

export function SignInPage() {
  const [search] = useSearchParams();
  const user = useUser();
  const options = useSignInOptions();
  const next = safeNext(search.get('next'));
  if (user.data?.authenticated) return <Navigate replace to={next} />;
  // Without an answer the form comes: a password may do where the options cannot be read.
  const isOpen = !options.isPending && options.data?.local_sign_in !== 'off';
  return (
    <AuthLayout title="Sign in">
      {options.isPending ? <Loading what="the ways to sign in" /> : null}
      <ProxySignIn options={options.data} />
      <ProviderButtons options={options.data} next={next} />
      {options.data?.local_sign_in === 'superusers' ? (
        <p className={classes.text}>Only superusers may sign in with a password.</p>
      ) : null}
      {isOpen ? (
        <LocalSignIn
          isFirst={!(options.data?.providers.length || options.data?.proxy)}
          options={options.data}
        />
      ) : null}
    </AuthLayout>
  );
}
