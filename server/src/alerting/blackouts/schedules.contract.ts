// Schedules of blackouts: cron expressions by the wall clock of a zone. Guards: what is saved has a date, and can be looked
// at before it is saved.

import { byId, created, ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  BLACKOUT_SCOPES,
  BlackoutSchedule,
  BlackoutScheduleList,
  BlackoutScheduleRequest,
  PlannedBlackoutList,
  SchedulePreview,
  SchedulePreviewRequest,
} from './blackouts.schemas.ts';

const operation = operationsOf({ tag: 'blackout-schedules' });
const times = { cron_expression: '0 2 * * SUN', duration_minutes: 120, timezone: 'Europe/Vienna' };
const bodyExample = { scope: 'estate', name: 'Sunday upgrades', ...times, reason: 'Upgrades.' };

const example = {
  id: 3,
  scope: 'group',
  group_id: 4,
  name: 'Sunday upgrades',
  ...times,
  reason: 'Upgrades.',
  enabled: true,
  created_by: 'ada',
  created_at: '2026-11-19T10:00:00.000Z',
  updated_at: '2026-11-19T10:00:00.000Z',
  target_name: 'Production',
  in_words: 'Every Sunday at 02:00, for 2 hours, Europe/Vienna',
  next_start: '2026-11-22T01:00:00.000Z',
};

export const listBlackoutSchedules = operation({
  id: 'listBlackoutSchedules',
  route: 'GET /api/v1/blackout-schedules',
  summary: 'List schedules',
  access: { visible: 'blackouts' },
  faults: [403],
  query: s.object({
    scope: s.optional(s.oneOf(BLACKOUT_SCOPES)),
    group_id: s.optional(s.id()),
    cluster_id: s.optional(s.id()),
    connection_id: s.optional(s.id()),
    enabled: s.optional(s.boolean()),
    limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 100 })),
    offset: s.optional(s.integer({ minimum: 0, maximum: 2147483647, default: 0 })),
  }),
  success: ok(BlackoutScheduleList, { schedules: [example], total_count: 1 }),
  notes: [
    'Ordered by name then id. total_count counts all matches before limit and offset.',
    'A connection that is named and cannot be read answers 403, an unknown one too.',
  ],
});

export const createBlackoutSchedule = operation({
  id: 'createBlackoutSchedule',
  route: 'POST /api/v1/blackout-schedules',
  summary: 'Create a schedule',
  access: { object: 'target', permission: 'manage_blackouts', whole: true },
  body: BlackoutScheduleRequest,
  bodyExample,
  success: created(BlackoutSchedule, example),
  notes: [
    'Target rules as for blackouts. cron_expression (five fields) and timezone (IANA name) are validated, 400 otherwise.',
    'Wall-clock times are meant: one that the clocks skip starts at the first instant after the gap, a repeated one once, at its first occurrence.',
  ],
});

export const previewBlackoutSchedule = operation({
  id: 'previewBlackoutSchedule',
  reads: true,
  route: 'POST /api/v1/blackout-schedules/preview',
  summary: 'The next ten times of a schedule, before it is saved',
  access: 'signed-in',
  body: SchedulePreviewRequest,
  bodyExample: times,
  extra: true,
  success: ok(SchedulePreview, {
    in_words: 'Every day at 02:30, for 1 hour, Europe/Vienna',
    timezone: 'Europe/Vienna',
    duration_minutes: 60,
    occurrences: [
      {
        start_time: '2026-03-29T01:00:00.000Z',
        end_time: '2026-03-29T02:00:00.000Z',
        local_start: '2026-03-29T03:00',
        local_end: '2026-03-29T04:00',
        utc_offset: '+02:00',
        shift: 'skipped',
        note: 'There is no 02:30 on 2026-03-29: the clocks go from 02:00 to 03:00, and it starts then.',
      },
    ],
  }),
});

export const listPlannedBlackouts = operation({
  id: 'listPlannedBlackouts',
  route: 'GET /api/v1/blackout-schedules/planned',
  summary: 'What the enabled schedules will make in a span of time',
  access: { visible: 'blackouts' },
  extra: true,
  query: s.object({ start_time: s.timestamp(), end_time: s.timestamp() }),
  paramsExample: { start_time: '2026-11-01T00:00:00Z', end_time: '2026-12-01T00:00:00Z' },
  faults: [400],
  success: ok(PlannedBlackoutList, {
    planned: [
      { schedule_id: 3, start_time: '2026-11-22T01:00:00.000Z', end_time: '2026-11-22T03:00:00.000Z' },
    ],
    is_cut: false,
  }),
  notes: [
    'Only times after now, by the same rules by which the schedules make blackouts. The span may be up to 62 days.',
    'At most 1200 times of a schedule and 5000 of all, of at most 1000 schedules.',
  ],
});

export const getBlackoutSchedule = operation({
  id: 'getBlackoutSchedule',
  route: 'GET /api/v1/blackout-schedules/{id}',
  summary: 'Get a schedule',
  access: { object: 'blackout' },
  ...byId(3),
  success: ok(BlackoutSchedule, example),
});

export const updateBlackoutSchedule = operation({
  id: 'updateBlackoutSchedule',
  route: 'PUT /api/v1/blackout-schedules/{id}',
  summary: 'Update a schedule',
  access: { object: 'blackout', permission: 'manage_blackouts', whole: true },
  ...byId(3),
  body: BlackoutScheduleRequest,
  bodyExample,
  success: ok(BlackoutSchedule, example),
  notes: [
    'The required members replace the stored ones; absent timezone, reason, database_name and enabled keep theirs. Blackouts already created stay as they are.',
  ],
});

export const deleteBlackoutSchedule = operation({
  id: 'deleteBlackoutSchedule',
  route: 'DELETE /api/v1/blackout-schedules/{id}',
  summary: 'Delete a schedule',
  access: { object: 'blackout', permission: 'manage_blackouts', whole: true },
  ...byId(3),
  success: ok(StatusResponse, { status: 'deleted' }),
  notes: ['status is "deleted". Blackouts it created stay.'],
});
