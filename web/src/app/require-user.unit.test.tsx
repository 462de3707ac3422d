// The end of a session: the page stays underneath with what was typed, hidden from everybody, until the same user is back.
import { screen } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { expect, it } from 'vitest';
import { AddConnectionPage } from '../features/estate/connections/add-connection-page.tsx';
import { readPreference } from '../lib/preferences.ts';
import { Refusal, startApi } from '../testing/api.ts';
import { EVERYWHERE } from '../testing/estate.ts';
import { ADMIN, show } from '../testing/show.tsx';
import { RequireUser } from './require-user.tsx';

const ENDED = new Refusal(401, 'Your session has ended.');

const pages = (
  <Routes>
    <Route element={<RequireUser />}>
      <Route path="/servers/new" element={<AddConnectionPage />} />
    </Route>
    <Route path="/sign-in" element={<p>The door</p>} />
  </Routes>
);

it('keeps what was typed when the session ends, and goes on when the user is back', async () => {
  const answers = { ...EVERYWHERE, getMonitoringScript: { monitoring_script: '' } };
  const api = await startApi(answers);
  const { user } = show(pages, { at: '/servers/new' });
  const host = await screen.findByLabelText<HTMLInputElement>('Host');
  expect(readPreference('signed-in')).toBe('yes');
  await user.type(host, 'db1.example.com');
  await user.type(screen.getByLabelText('Role'), 'watcher');
  api.answer({ createConnection: ENDED, getEstate: ENDED, getUserInfo: { authenticated: false } });
  await user.click(screen.getByRole('button', { name: 'Add and monitor' }));
  await screen.findByRole('dialog', { name: 'Your session has ended' });
  await user.keyboard('{Escape}');
  const password = screen.getByLabelText('Password of anna');
  api.answer({ login: new Refusal(401, 'Wrong user name or password.') });
  await user.type(password, 'wrong');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByText('Wrong user name or password.');
  api.answer({ ...answers, login: { success: true, expires_at: '2030-01-01T00:00:00Z', message: '' } });
  await user.type(password, 'staple giraffe orbit');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByLabelText('Host')).toBe(host);
  expect(host.value).toBe('db1.example.com');
  expect(api.sent.findLast(({ operation }) => operation === 'login')?.body).toEqual({
    username: 'anna',
    password: 'staple giraffe orbit',
  });
});

it('leads who is not signed in to the door, and keeps the wanted address', async () => {
  await startApi({ getUserInfo: { authenticated: false } });
  const { router } = show(pages, { at: '/servers/new?from=tour' });
  await screen.findByText('The door');
  expect(readPreference('signed-in')).toBe('no');
  expect(router.state.location.search).toBe(`?next=${encodeURIComponent('/servers/new?from=tour')}`);
  expect(ADMIN.authenticated).toBe(true);
});
