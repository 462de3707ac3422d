// What PagerDuty tells us: its V3 webhooks, so that an incident that somebody takes on there is acknowledged here too.
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

/** As little of it as is read; the rest may be whatever PagerDuty sends. */
const PagerDutyWebhook = s.component('PagerDutyWebhook', {
  event: s.object({
    id: s.text({ description: 'The same at each try; what was done for it once is not done again.' }),
    event_type: s.text({
      description: 'incident.acknowledged and incident.unacknowledged; others do nothing.',
    }),
    occurred_at: s.text(),
    agent: s.optional(s.anyObject({ description: 'Who did it; `summary` is the name that is shown.' })),
    data: s.anyObject({ description: 'The incident; `incident_key` says which alert it is.' }),
  }),
});

const PagerDutyOutcome = s.component('PagerDutyOutcome', {
  status: s.oneOf(['acknowledged', 'active', 'ignored'], {
    description: 'What the alert is now; `ignored` where nothing was done.',
  }),
});

export const receivePagerDutyWebhook = operation({
  id: 'receivePagerDutyWebhook',
  route: 'POST /api/v1/notification-channels/{id}/pagerduty',
  tag: 'notification-channels',
  summary: 'Take an acknowledgement from PagerDuty',
  access: { signed: 'X-PagerDuty-Signature' },
  ...byId(1),
  rawBody: { schema: PagerDutyWebhook, limitBytes: 262_144 },
  bodyExample: {
    event: {
      id: '5ac64822-4adc-4fda-ade0-410becf0de4f',
      event_type: 'incident.acknowledged',
      occurred_at: '2026-01-15T09:35:00.000Z',
      agent: { type: 'user_reference', summary: 'Ada Lovelace' },
      data: { type: 'incident', number: 1234, incident_key: 'matriarch-1-0123456789ab' },
    },
  },
  extra: true,
  success: ok(PagerDutyOutcome, { status: 'acknowledged' }),
  notes: [
    'The signature is made with the signing_secret of the channel over the body as it is sent; one of several is enough.',
    'A channel that is not there, switched off, of another type or without a signing_secret answers like a wrong signature: 401.',
    'Only alerts that this channel was told of are changed. What happened before the newest change of the alert, or was done already, is ignored.',
    'incident.unacknowledged takes back only what PagerDuty acknowledged.',
  ],
});
