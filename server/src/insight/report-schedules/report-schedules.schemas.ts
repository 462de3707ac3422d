// The shapes of report schedules: when a report of which servers goes by which channel, and what came of the last one.
import * as s from '../../kernel/schema.ts';

const REPORT_SCOPES = ['estate', 'cluster', 'server'] as const;
const STATES = ['queued', 'sending', 'sent', 'dead', 'skipped'] as const;

const head = {
  scope: s.oneOf(REPORT_SCOPES),
  cron_expression: s.text({
    minLength: 1,
    maxLength: 255,
    description: 'Five fields; at most once an hour.',
  }),
  timezone: s.text({ minLength: 1, maxLength: 64, description: 'IANA name of a time zone.' }),
};

const LastReport = s.component('LastReport', {
  notification_id: s.integer(),
  tick: s.timestamp({ description: 'Which time of the schedule, or when a user sent it.' }),
  state: s.oneOf(STATES),
  reply: s.nullable(s.text({ description: 'What came of it, in our own words.' })),
  ended_at: s.nullable(s.timestamp()),
});

export const ReportSchedule = s.component('ReportSchedule', {
  id: s.id(),
  name: s.text(),
  ...head,
  scope_id: s.nullable(s.integer({ description: 'Of the cluster or connection; null for the estate.' })),
  target_name: s.nullable(s.text({ description: 'Null: it is gone, or the caller cannot see it.' })),
  channel_id: s.nullable(s.integer({ description: 'Null: the channel was deleted.' })),
  channel_name: s.nullable(s.text()),
  owner_username: s.text({ description: 'The report says what they may see when it is sent.' }),
  enabled: s.boolean(),
  in_words: s.text(),
  next_at: s.nullable(s.timestamp({ description: 'Null: not enabled, or without a channel.' })),
  last: s.nullable(LastReport),
});

export const ReportScheduleList = s.list(ReportSchedule);

export const ReportScheduleRequest = s.component('ReportScheduleRequest', {
  name: s.displayName(),
  ...head,
  scope_id: s.optional(s.id({ description: 'Of the cluster or connection; absent for the estate.' })),
  channel_id: s.id({ description: 'A channel of type email.' }),
  enabled: s.optional(s.boolean({ default: true })),
});

export const ReportPreview = s.component('ReportPreview', {
  subject: s.text(),
  text: s.text(),
  html: s.text(),
  recipients: s.list(s.text()),
});
