// Which ways to sign in the page offers, as the settings say; where these cannot be read, a password may do.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { SignInPage } from './sign-in-page.tsx';

const getUserInfo = { authenticated: false };
const providers = (...labels: string[]) =>
  labels.map((label, index) => ({ id: index === 0 ? ('oidc' as const) : ('oidc_2' as const), label }));
const offered = () => screen.getAllByRole('button').map(({ textContent }) => textContent);

it('offers a password alone without a provider', async () => {
  await startApi({ getUserInfo, getSignInOptions: { local_sign_in: 'always', providers: [] } });
  show(<SignInPage />);
  expect(await screen.findByLabelText('User name')).toBe(document.activeElement);
  expect(screen.queryByText(/Sign in with/)).toBeNull();
});

it('names the providers, and who may use a password', async () => {
  const both = providers('Example account', 'Partners');
  await startApi({ getUserInfo, getSignInOptions: { local_sign_in: 'superusers', providers: both } });
  show(<SignInPage />);
  await screen.findByText('Only superusers may sign in with a password.');
  expect(offered()).toEqual(
    expect.arrayContaining(['Sign in with Example account', 'Sign in with Partners', 'Sign in']),
  );
});

it('has no form where passwords are off', async () => {
  await startApi({
    getUserInfo,
    getSignInOptions: { local_sign_in: 'off', providers: providers('Example account') },
  });
  show(<SignInPage />);
  await screen.findByRole('button', { name: 'Sign in with Example account' });
  expect(screen.queryByLabelText('Password')).toBeNull();
});

it('says why a provider could not be asked', async () => {
  const one = { local_sign_in: 'off', providers: providers('Example account') } as const;
  const refusal = new Refusal(502, 'Cannot reach Example account. Try again in a moment.');
  const api = await startApi({ getUserInfo, getSignInOptions: one, startProviderSignIn: refusal });
  const { user } = show(<SignInPage />);
  await user.click(await screen.findByRole('button', { name: 'Sign in with Example account' }));
  await screen.findByText(/Cannot reach Example account/);
  expect(api.sent.some(({ operation }) => operation === 'startProviderSignIn')).toBe(true);
});

it('has the form where the ways cannot be read', async () => {
  await startApi({ getUserInfo, getSignInOptions: new Refusal(500, 'Something went wrong.') });
  show(<SignInPage />);
  await screen.findByLabelText('User name');
});

it('signs in through the proxy where the browser came by it, and says so otherwise', async () => {
  const label = 'Example proxy';
  const ready = { local_sign_in: 'off', providers: [], proxy: { label, is_ready: true } } as const;
  const getSignInOptions = { ...ready, providers: [] };
  const refusal = new Refusal(401, 'Your account here is disabled. Ask an administrator to enable it.');
  const api = await startApi({ getUserInfo, getSignInOptions, signInByProxy: refusal });
  const { user, unmount } = show(<SignInPage />);
  await user.click(await screen.findByRole('button', { name: 'Sign in with Example proxy' }));
  await screen.findByText(/disabled/);
  expect(api.sent.some(({ operation }) => operation === 'signInByProxy')).toBe(true);
  unmount();
  api.answer({ getSignInOptions: { ...getSignInOptions, proxy: { label, is_ready: false } } });
  show(<SignInPage />);
  await screen.findByText('To sign in with Example proxy, open this page through its proxy.');
  expect(screen.queryByRole('button')).toBeNull();
});
