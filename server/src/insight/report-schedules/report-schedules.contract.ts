// Reports by email on a schedule. Guards: who manages channels decides where reports go, and each says what its owner may see at the
// time it is sent; only they and superusers see the schedule.

import { byId, created, ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import {
  ReportPreview,
  ReportSchedule,
  ReportScheduleList,
  ReportScheduleRequest,
} from './report-schedules.schemas.ts';

const operation = operationsOf({ tag: 'report-schedules', extra: true });
const access = { permission: 'manage_notification_channels' } as const;
const acting = { ...access, estate: 'where named' } as const;
const bodyExample = {
  name: 'Monday report',
  scope: 'estate' as const,
  cron_expression: '0 8 * * MON',
  timezone: 'Europe/Vienna',
  channel_id: 1,
};
const example = {
  id: 2,
  ...bodyExample,
  scope_id: null,
  target_name: null,
  channel_name: 'Mail of the team',
  owner_username: 'ada',
  enabled: true,
  in_words: 'Every Monday at 08:00, Europe/Vienna',
  next_at: '2026-11-23T07:00:00.000Z',
  last: {
    notification_id: 41,
    tick: '2026-11-16T07:00:00.000Z',
    state: 'sent',
    reply: 'The mail server took the message for 2 recipients.',
    ended_at: '2026-11-16T07:00:03.000Z',
  },
};
const ESTATE = 'Of the estate, it needs access to every server.';
const LIMITED =
  'A token that is limited to some connections is refused: the report would say more than it may read.';

export const listReportSchedules = operation({
  id: 'listReportSchedules',
  route: 'GET /api/v1/report-schedules',
  summary: 'List schedules of reports',
  access,
  success: ok(ReportScheduleList, [example]),
  notes: ["By name. The caller's own; those of all users for superusers."],
});

export const createReportSchedule = operation({
  id: 'createReportSchedule',
  route: 'POST /api/v1/report-schedules',
  summary: 'Have a report sent on a schedule',
  access: acting,
  body: ReportScheduleRequest,
  bodyExample,
  faults: [403, 404],
  success: created(ReportSchedule, example),
  notes: [
    'The caller becomes its owner. It tells of the time since the report before, as far as the owner may see it when it is sent;',
    'once they may not, nothing is sent, and the schedule says why.',
    ESTATE,
    LIMITED,
  ],
});

export const updateReportSchedule = operation({
  id: 'updateReportSchedule',
  route: 'PUT /api/v1/report-schedules/{id}',
  summary: 'Change a schedule of reports',
  access: acting,
  ...byId(2),
  body: ReportScheduleRequest,
  bodyExample,
  faults: [403, 404],
  success: ok(ReportSchedule, example),
  notes: ['It keeps its owner. What was due before the change is not sent.', ESTATE, LIMITED],
});

export const deleteReportSchedule = operation({
  id: 'deleteReportSchedule',
  route: 'DELETE /api/v1/report-schedules/{id}',
  summary: 'Delete a schedule of reports',
  access,
  ...byId(2),
  faults: [404],
  success: ok(StatusResponse, { status: 'deleted' }),
  notes: ['With what waits to be sent of it.'],
});

export const sendReportNow = operation({
  id: 'sendReportNow',
  route: 'POST /api/v1/report-schedules/{id}/send',
  summary: 'Send the report of a schedule now',
  access,
  ...byId(2),
  faults: [403, 404, 409],
  success: ok(StatusResponse, { status: 'queued' }),
  notes: ['409 while one of it waits to be sent, or without a channel.', LIMITED],
});

export const previewReport = operation({
  id: 'previewReport',
  route: 'GET /api/v1/report-schedules/{id}/preview',
  summary: 'The report of a schedule as it would be sent now',
  access,
  ...byId(2),
  faults: [404, 409],
  success: ok(ReportPreview, {
    subject: 'Report: Every server: 1 worse, 2 found, 0 fixed, nothing runs out soon',
    text: 'Report: Every server\n',
    html: '<h1>Report: Every server</h1>',
    recipients: ['ada@example.com'],
  }),
  notes: ['As its owner may see it. 409 with the reason when nothing would be sent.'],
});
