// The own sessions and sign-ins: which can be ended, and how what was refused is shown.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { OwnSessions, OwnSignIns } from './own-sessions.tsx';

const AT = '2026-11-20T10:00:00.000Z';
const session = { created_at: AT, expires_at: '2026-11-21T10:00:00.000Z', last_used_at: AT };
const here = { ...session, id: 7, is_current: true, opened_with: 'password', address: '198.51.100.1' };
const phone = { ...session, id: 8, is_current: false, opened_with: 'oidc', address: '198.51.100.2' };
const old = { ...session, id: 9, is_current: false, opened_with: null, address: null };
const OPTIONS = { local_sign_in: 'always', providers: [{ id: 'oidc', label: 'Example account' }] } as const;
const getSignInOptions = { ...OPTIONS, providers: [...OPTIONS.providers] };

it('ends another session, and never offers to end this one', async () => {
  const api = await startApi({ getSignInOptions, listOwnSessions: { sessions: [here, phone, old] } });
  const { user } = show(<OwnSessions />);
  const table = await screen.findByRole('table', { name: 'Open sessions' });
  const [, first, second, third] = within(table).getAllByRole('row');
  expect(first?.textContent).toMatch(/198\.51\.100\.1Password.*This session$/);
  await within(table).findByText('Example account');
  expect(second?.textContent).toContain('198.51.100.2');
  expect(third?.textContent).toMatch(/^unknown–/);
  expect(screen.getAllByRole('button').map(({ ariaLabel }) => ariaLabel)).toEqual([
    'End the session from 198.51.100.2',
    'End the session from an unknown address',
  ]);
  api.answer({ endOwnSession: new Refusal(404, 'You have no such session. It may have ended already.') });
  await user.click(screen.getByRole('button', { name: 'End the session from 198.51.100.2' }));
  await screen.findByText(/It may have ended already/);
  const ended = { message: 'The session has ended.' };
  api.answer({ endOwnSession: ended, listOwnSessions: { sessions: [here, old] } });
  await user.click(screen.getByRole('button', { name: 'End the session from 198.51.100.2' }));
  await expect.poll(() => screen.queryByText('198.51.100.2')).toBeNull();
  expect(api.sent.findLast(({ operation }) => operation === 'endOwnSession')?.path).toBe(
    '/api/v1/user/sessions/8',
  );
});

it('shows refused sign-ins with their number and reason', async () => {
  const usual = {
    at: AT,
    outcome: 'ok',
    opened_with: 'link',
    address: '::1',
    reason: null,
    occurrences: 1,
  } as const;
  const reason = 'The user name or password is not right.';
  const refused = { ...usual, outcome: 'refused', opened_with: null, reason, occurrences: 3 } as const;
  const asked = { ...refused, outcome: 'code_asked', reason: 'A code.', occurrences: 1 } as const;
  await startApi({ getSignInOptions, listOwnSignIns: { sign_ins: [usual, refused, asked] } });
  show(<OwnSignIns />);
  const table = await screen.findByRole('table', { name: 'Latest sign-ins' });
  expect(within(table).getByText('One-time link')).toBeTruthy();
  expect(within(table).getByTitle(reason).textContent).toContain('Refused 3 times');
  expect(within(table).getByText('Password right, code asked for')).toBeTruthy();
  expect(within(table).getAllByText(/Refused/)).toHaveLength(1);
});
