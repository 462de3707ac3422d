// Signing in where a code is needed: it is asked for once the password was right, and what is sent holds both.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { SignInPage } from './sign-in-page.tsx';

const NEEDED = { 'x-second-factor': 'needed' };
const needed = new Refusal(401, 'This account also needs a code to sign in.', NEEDED);
const answers = {
  getUserInfo: { authenticated: false },
  getSignInOptions: { local_sign_in: 'always', providers: [] },
} as const;

it('asks for the code, says when it was wrong, and starts again on demand', async () => {
  const api = await startApi({ ...answers, getSignInOptions: { local_sign_in: 'always', providers: [] } });
  const { user } = show(<SignInPage />);
  await user.type(await screen.findByLabelText('User name'), 'anna');
  await user.type(screen.getByLabelText('Password'), 'staple giraffe orbit');
  api.answer({ login: needed });
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  const code = await screen.findByLabelText('Code');
  expect(document.activeElement).toBe(code);
  expect(screen.queryByRole('alert')).toBeNull();
  api.answer({ login: new Refusal(401, 'The code is not right.', NEEDED) });
  await user.type(code, '123 456');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByText('The code is not right.');
  expect(api.sent.findLast(({ operation }) => operation === 'login')?.body).toEqual({
    username: 'anna',
    password: 'staple giraffe orbit',
    code: '123 456',
  });
  api.answer({ login: new Refusal(429, 'Too many attempts to sign in.') });
  await user.type(screen.getByLabelText('Code'), '654321');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByText(/Too many attempts/);
  expect(screen.getByLabelText<HTMLInputElement>('Code').value).toBe('');
  await user.click(screen.getByRole('button', { name: 'Back' }));
  expect(screen.getByLabelText<HTMLInputElement>('User name').value).toBe('anna');
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('');
  expect(screen.queryByRole('alert')).toBeNull();
});
