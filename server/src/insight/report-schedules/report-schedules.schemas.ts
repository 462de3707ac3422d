// The shapes of report schedules: when a report of which servers goes by which channel, and what came of the last one.
import {
  boolean,
  component,
  displayName,
  id,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';

const REPORT_SCOPES = ['estate', 'cluster', 'server'] as const;
const STATES = ['queued', 'sending', 'sent', 'dead', 'skipped'] as const;

const head = {
  scope: oneOf(REPORT_SCOPES),
  cron_expression: text({ minLength: 1, maxLength: 255, description: 'Five fields; at most once an hour.' }),
  timezone: text({ minLength: 1, maxLength: 64, description: 'IANA name of a time zone.' }),
};

const LastReport = component('LastReport', {
  notification_id: integer(),
  tick: timestamp({ description: 'Which time of the schedule, or when a user sent it.' }),
  state: oneOf(STATES),
  reply: nullable(text({ description: 'What came of it, in our own words.' })),
  ended_at: nullable(timestamp()),
});

export const ReportSchedule = component('ReportSchedule', {
  id: id(),
  name: text(),
  ...head,
  scope_id: nullable(integer({ description: 'Of the cluster or connection; null for the estate.' })),
  target_name: nullable(text({ description: 'Null: it is gone, or the caller cannot see it.' })),
  channel_id: nullable(integer({ description: 'Null: the channel was deleted.' })),
  channel_name: nullable(text()),
  owner_username: text({ description: 'The report says what they may see when it is sent.' }),
  enabled: boolean(),
  in_words: text(),
  next_at: nullable(timestamp({ description: 'Null: not enabled, or without a channel.' })),
  last: nullable(LastReport),
});

export const ReportScheduleList = list(ReportSchedule);

export const ReportScheduleRequest = component('ReportScheduleRequest', {
  name: displayName(),
  ...head,
  scope_id: optional(id({ description: 'Of the cluster or connection; absent for the estate.' })),
  channel_id: id({ description: 'A channel of type email.' }),
  enabled: optional(boolean({ default: true })),
});

export const ReportPreview = component('ReportPreview', {
  subject: text(),
  text: text(),
  html: text(),
  recipients: list(text()),
});
