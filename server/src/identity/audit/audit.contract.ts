// The audit log over HTTP: read only, for whoever holds the permission of its own.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const AuditEvent = s.component('AuditEvent', {
  id: s.integer({ description: 'Its place in the log, without gaps.', format: 'int64' }),
  at: s.timestamp(),
  actor_id: s.nullable(
    s.integer({
      description:
        'The user, also one that is deleted by now; null for an unknown user and for the program itself.',
    }),
  ),
  actor_name: s.nullable(s.text({ description: 'The name at that time, or such as `system: cli`.' })),
  via: s.nullable(
    s.oneOf(['session', 'token', 'provider_token', 'system'], { description: 'How the actor had come in.' }),
  ),
  via_id: s.nullable(
    s.integer({ description: 'The id of the session, of the token, or of the identity at a provider.' }),
  ),
  address: s.nullable(s.text({ description: 'Where the request came from.' })),
  request_id: s.nullable(s.text({ description: 'X-Request-ID of the request, as in the log.' })),
  action: s.text({ description: 'What was done, such as `group.grant`.' }),
  outcome: s.nullable(s.oneOf(['ok', 'refused', 'failed'])),
  target_kind: s.nullable(s.text({ description: 'What it was done to, such as `connection`.' })),
  target_id: s.nullable(s.text()),
  target_name: s.nullable(s.text({ description: 'The name at that time.' })),
  details: s.anyObject({ description: 'What was changed or why it was refused. Never a secret.' }),
  occurrences: s.nullable(
    s.integer({ minimum: 1, description: 'Refusals that repeat within a minute are one event.' }),
  ),
  hash: s.nullable(
    s.text({ description: 'SHA-256 of this event and of the one before it, in hexadecimal.' }),
  ),
  hidden: s.boolean({
    description:
      'True where it is about a connection, cluster or group that the caller cannot see: only who, what and when are shown.',
  }),
});

const AuditEventList = s.component('AuditEventList', {
  events: s.list(AuditEvent),
  total_count: s.integer({ minimum: 0, description: 'All that fit the filter.' }),
});

export const listAuditEvents = operation({
  id: 'listAuditEvents',
  route: 'GET /api/v1/audit',
  tag: 'utilities',
  summary: 'List what was done, by whom and from where',
  access: { permission: 'view_audit' },
  extra: true,
  query: s.object({
    start_time: s.optional(s.timestamp({ description: 'From this time on.' })),
    end_time: s.optional(s.timestamp({ description: 'Before this time.' })),
    actor_id: s.optional(s.id({ description: 'What this user did.' })),
    actor: s.optional(
      s.text({
        maxLength: 255,
        description: 'What the user of this name did, in any case; also `system: cli`.',
      }),
    ),
    action: s.optional(s.text({ maxLength: 64, description: 'Such as `group.grant`.' })),
    outcome: s.optional(s.oneOf(['ok', 'refused', 'failed'])),
    target_kind: s.optional(s.text({ maxLength: 64, description: 'Such as `connection`.' })),
    target_id: s.optional(s.text({ maxLength: 255 })),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 100 })),
    offset: s.optional(s.integer({ minimum: 0, maximum: 2147483647, default: 0 })),
  }),
  success: ok(AuditEventList, {
    events: [
      {
        id: 42,
        at: '2026-11-20T10:00:00.000Z',
        actor_id: 7,
        actor_name: 'ada',
        via: 'session',
        via_id: 12,
        address: '203.0.113.9',
        request_id: '5f0c2f1e',
        action: 'group.grant',
        outcome: 'ok',
        target_kind: 'group',
        target_id: '3',
        target_name: 'on call',
        details: { connection_id: 1, access_level: 'read' },
        occurrences: 1,
        hidden: false,
        hash: '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90',
      },
    ],
    total_count: 1,
  }),
  notes: [
    'Of events about a connection, cluster or group that the caller cannot see only actor, action and time are shown, and a filter by outcome or target does not find them.',
    'Newest first. Each event holds the hash of the one before it; `npm run matriarch -- audit verify` walks the chain.',
  ],
});
