// Signing in with a password, then on to where one wanted to go.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { useOperationMutation } from '../../api/use-operation.ts';
import classes from './auth-layout.module.css';
import { AuthLayout } from './auth-layout.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { safeNext } from './safe-next.ts';
import { useUser } from './use-user.ts';

export function SignInPage() {
  const [search] = useSearchParams();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const user = useUser();
  const login = useOperationMutation('login');
  if (user.data?.authenticated) return <Navigate replace to={safeNext(search.get('next'))} />;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await login.mutateAsync({ body: { username: username.trim(), password } });
      await client.invalidateQueries();
    } catch {
      // Shown below; the typed name stays, the password is typed again.
      setPassword('');
    }
  };
  return (
    <AuthLayout title="Sign in">
      <form className={classes.form} onSubmit={submit}>
        {login.error ? <FailureNotice error={login.error} /> : null}
        <TextInput
          label="User name"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          autoFocus
          maxLength={255}
          value={username}
          onChange={(event) => setUsername(event.target.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          maxLength={1024}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <div className={classes.row}>
          <Button type="submit" fullWidth loading={login.isPending}>
            Sign in
          </Button>
        </div>
      </form>
    </AuthLayout>
  );
}
