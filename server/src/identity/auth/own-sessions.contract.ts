// The own account's way in: sessions that are open now, and who tried to sign in lately.
import { byId, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { MessageResponse } from './auth.contract.ts';

const operation = operationsOf({ tag: 'auth', extra: true });
const opened_with = s.nullable(
  s.text({
    description:
      '`password`, `password_and_code`, `password_and_recovery_code`, `password_and_passkey`, `passkey`, `link`, `proxy`, or the id of a sign-in provider; null where the audit log does not have it.',
  }),
);
const address = s.nullable(
  s.text({ description: 'Where it came from; null where the audit log does not have it.' }),
);

const OwnSession = s.component('OwnSession', {
  id: s.id(),
  created_at: s.timestamp(),
  expires_at: s.timestamp(),
  last_used_at: s.timestamp({ description: 'To the minute.' }),
  is_current: s.boolean({ description: 'True for the session that asks.' }),
  opened_with,
  address,
});
const SignInAttempt = s.component('SignInAttempt', {
  at: s.timestamp(),
  outcome: s.oneOf(['ok', 'refused', 'code_asked'], {
    description: '`code_asked`: the password was right and the code was asked for, which is no failure.',
  }),
  opened_with,
  address,
  reason: s.nullable(s.text({ description: 'The sentence with which it was refused.' })),
  occurrences: s.integer({ minimum: 1, description: 'Refusals that repeat within a minute are one.' }),
});

export const listOwnSessions = operation({
  id: 'listOwnSessions',
  route: 'GET /api/v1/user/sessions',
  summary: 'List the own open sessions',
  access: 'session',
  success: ok(s.object({ sessions: s.list(OwnSession) }), {
    sessions: [
      {
        id: 12,
        created_at: '2026-11-20T10:00:00.000Z',
        expires_at: '2026-11-21T10:00:00.000Z',
        last_used_at: '2026-11-20T10:05:00.000Z',
        is_current: true,
        opened_with: 'password',
        address: '203.0.113.9',
      },
    ],
  }),
  notes: ['Newest first, ten at most.'],
});

export const endOwnSession = operation({
  id: 'endOwnSession',
  route: 'DELETE /api/v1/user/sessions/{id}',
  summary: 'End one of the own sessions',
  access: 'session',
  ...byId(12),
  faults: [404],
  success: ok(MessageResponse, { message: 'The session has ended.' }),
  notes: ['Takes effect at once, in every process. 404 for a session of another user.'],
});

export const listOwnSignIns = operation({
  id: 'listOwnSignIns',
  route: 'GET /api/v1/user/sign-ins',
  summary: 'List the latest sign-ins to the own account',
  access: 'session',
  query: s.object({ limit: s.optional(s.integer({ minimum: 1, maximum: 200, default: 20 })) }),
  success: ok(s.object({ sign_ins: s.list(SignInAttempt) }), {
    sign_ins: [
      {
        at: '2026-11-20T10:00:00.000Z',
        outcome: 'ok',
        opened_with: 'password',
        address: '203.0.113.9',
        reason: null,
        occurrences: 1,
      },
    ],
  }),
  notes: [
    'Newest first, from the audit log, for as long as it is kept. Refused attempts that named the account are in it.',
  ],
});
