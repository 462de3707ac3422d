// Shapes of blackouts and of the schedules that make them.
import * as s from '../../kernel/schema.ts';

export const BLACKOUT_SCOPES = ['estate', 'group', 'cluster', 'server'] as const;

/** What it holds for: exactly the id that scope names, none for the estate. */
const target = {
  scope: s.oneOf(BLACKOUT_SCOPES),
  group_id: s.optional(s.id()),
  cluster_id: s.optional(s.id()),
  connection_id: s.optional(s.id()),
  database_name: s.optional(
    s.text({ minLength: 0, maxLength: 255, description: 'One database of a server.' }),
  ),
};

const targetName = s.optional(
  s.ours(s.text({ description: 'The name of the server, cluster or group; absent for the estate.' })),
);
const reason = { minLength: 0, maxLength: 4000 };

export const Blackout = s.component('Blackout', {
  id: s.longId(),
  ...target,
  database_name: s.optional(s.text()),
  reason: s.text(),
  start_time: s.timestamp(),
  end_time: s.timestamp({ description: 'It is over at this time.' }),
  created_by: s.text({ description: 'The name of the user.' }),
  created_at: s.timestamp(),
  is_active: s.boolean({ description: 'In force now: start_time ≤ now < end_time.' }),
  target_name: targetName,
  schedule_id: s.optional(s.ours(s.id({ description: 'The schedule that made it, while that is there.' }))),
});

export const BlackoutList = s.component('BlackoutList', {
  blackouts: s.list(Blackout),
  total_count: s.integer({ minimum: 0 }),
});

export const BlackoutCreateRequest = s.component('BlackoutCreateRequest', {
  ...target,
  reason: s.optional(s.text(reason)),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
});

export const BlackoutUpdateRequest = s.component('BlackoutUpdateRequest', {
  reason: s.optional(s.text(reason)),
  end_time: s.optional(s.timestamp()),
});

export const BlackoutSchedule = s.component('BlackoutSchedule', {
  id: s.longId(),
  ...target,
  database_name: s.optional(s.text()),
  name: s.text(),
  cron_expression: s.text(),
  duration_minutes: s.integer(),
  timezone: s.text(),
  reason: s.text(),
  enabled: s.boolean(),
  created_by: s.text(),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
  target_name: targetName,
  in_words: s.optional(
    s.ours(s.text({ description: 'Such as: Every Sunday at 02:00, for 2 hours, Europe/Vienna.' })),
  ),
  next_start: s.optional(
    s.ours(
      s.nullable(
        s.timestamp({ description: 'Null while it is disabled, and where there is no further date.' }),
      ),
    ),
  ),
});

export const BlackoutScheduleList = s.component('BlackoutScheduleList', {
  schedules: s.list(BlackoutSchedule),
  total_count: s.integer({ minimum: 0 }),
});

const times = {
  cron_expression: s.text({
    minLength: 1,
    description: 'Five fields: minute, hour, day of month, month, day of week. No macros, no seconds.',
  }),
  duration_minutes: s.integer({ minimum: 1, maximum: 10_080, description: 'Elapsed time.' }),
  // No default in the schema: it would be filled in, and what is absent in a PUT keeps what is stored.
  timezone: s.optional(
    s.text({ description: 'The IANA name of the zone whose clocks are meant; UTC at first.' }),
  ),
};

export const BlackoutScheduleRequest = s.component('BlackoutScheduleRequest', {
  ...target,
  name: s.displayName(),
  ...times,
  reason: s.optional(s.text(reason)),
  enabled: s.optional(s.boolean({ description: 'True at first.' })),
});

export const SchedulePreviewRequest = s.component('SchedulePreviewRequest', times);

const ScheduledTime = s.component('ScheduledTime', {
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  local_start: s.text({ description: 'By the clocks of the zone, such as 2026-03-29T03:00.' }),
  local_end: s.text(),
  utc_offset: s.text({ description: 'At its start, such as +02:00.' }),
  shift: s.nullable(
    s.oneOf(['skipped', 'repeated', 'changes'], {
      description: 'Its time is skipped or repeated there, or the clocks change while it lasts.',
    }),
  ),
  note: s.nullable(s.text({ description: 'The same in one sentence.' })),
});

export const SchedulePreview = s.component('SchedulePreview', {
  in_words: s.text(),
  timezone: s.text({ description: 'The zone by its usual spelling.' }),
  duration_minutes: s.integer(),
  occurrences: s.list(ScheduledTime, { maxItems: 10, description: 'The next ones within four years.' }),
});

const PlannedBlackout = s.component('PlannedBlackout', {
  schedule_id: s.longId(),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
});

export const PlannedBlackoutList = s.component('PlannedBlackoutList', {
  planned: s.list(PlannedBlackout, { maxItems: 5000 }),
  is_cut: s.boolean({ description: 'There may be more than are listed.' }),
});
