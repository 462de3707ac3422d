// Shapes of blackouts and of the schedules that make them.
import {
  boolean,
  component,
  displayName,
  id,
  integer,
  list,
  longId,
  nullable,
  oneOf,
  optional,
  ours,
  text,
  timestamp,
} from '../../kernel/schema.ts';

export const BLACKOUT_SCOPES = ['estate', 'group', 'cluster', 'server'] as const;

/** What it holds for: exactly the id that scope names, none for the estate. */
const target = {
  scope: oneOf(BLACKOUT_SCOPES),
  group_id: optional(id()),
  cluster_id: optional(id()),
  connection_id: optional(id()),
  database_name: optional(text({ minLength: 0, maxLength: 255, description: 'One database of a server.' })),
};

const targetName = optional(
  ours(text({ description: 'The name of the server, cluster or group; absent for the estate.' })),
);
const reason = { minLength: 0, maxLength: 4000 };

export const Blackout = component('Blackout', {
  id: longId(),
  ...target,
  database_name: optional(text()),
  reason: text(),
  start_time: timestamp(),
  end_time: timestamp({ description: 'It is over at this time.' }),
  created_by: text({ description: 'The name of the user.' }),
  created_at: timestamp(),
  is_active: boolean({ description: 'In force now: start_time ≤ now < end_time.' }),
  target_name: targetName,
  schedule_id: optional(ours(id({ description: 'The schedule that made it, while that is there.' }))),
});

export const BlackoutList = component('BlackoutList', {
  blackouts: list(Blackout),
  total_count: integer({ minimum: 0 }),
});

export const BlackoutCreateRequest = component('BlackoutCreateRequest', {
  ...target,
  reason: optional(text(reason)),
  start_time: timestamp(),
  end_time: timestamp(),
});

export const BlackoutUpdateRequest = component('BlackoutUpdateRequest', {
  reason: optional(text(reason)),
  end_time: optional(timestamp()),
});

export const BlackoutSchedule = component('BlackoutSchedule', {
  id: longId(),
  ...target,
  database_name: optional(text()),
  name: text(),
  cron_expression: text(),
  duration_minutes: integer(),
  timezone: text(),
  reason: text(),
  enabled: boolean(),
  created_by: text(),
  created_at: timestamp(),
  updated_at: timestamp(),
  target_name: targetName,
  in_words: optional(
    ours(text({ description: 'Such as: Every Sunday at 02:00, for 2 hours, Europe/Vienna.' })),
  ),
  next_start: optional(
    ours(
      nullable(timestamp({ description: 'Null while it is disabled, and where there is no further date.' })),
    ),
  ),
});

export const BlackoutScheduleList = component('BlackoutScheduleList', {
  schedules: list(BlackoutSchedule),
  total_count: integer({ minimum: 0 }),
});

const times = {
  cron_expression: text({
    minLength: 1,
    description: 'Five fields: minute, hour, day of month, month, day of week. No macros, no seconds.',
  }),
  duration_minutes: integer({ minimum: 1, maximum: 10_080, description: 'Elapsed time.' }),
  // No default in the schema: it would be filled in, and what is absent in a PUT keeps what is stored.
  timezone: optional(
    text({ description: 'The IANA name of the zone whose clocks are meant; UTC at first.' }),
  ),
};

export const BlackoutScheduleRequest = component('BlackoutScheduleRequest', {
  ...target,
  name: displayName(),
  ...times,
  reason: optional(text(reason)),
  enabled: optional(boolean({ description: 'True at first.' })),
});

export const SchedulePreviewRequest = component('SchedulePreviewRequest', times);

const ScheduledTime = component('ScheduledTime', {
  start_time: timestamp(),
  end_time: timestamp(),
  local_start: text({ description: 'By the clocks of the zone, such as 2026-03-29T03:00.' }),
  local_end: text(),
  utc_offset: text({ description: 'At its start, such as +02:00.' }),
  shift: nullable(
    oneOf(['skipped', 'repeated', 'changes'], {
      description: 'Its time is skipped or repeated there, or the clocks change while it lasts.',
    }),
  ),
  note: nullable(text({ description: 'The same in one sentence.' })),
});

export const SchedulePreview = component('SchedulePreview', {
  in_words: text(),
  timezone: text({ description: 'The zone by its usual spelling.' }),
  duration_minutes: integer(),
  occurrences: list(ScheduledTime, { maxItems: 10, description: 'The next ones within four years.' }),
});

const PlannedBlackout = component('PlannedBlackout', {
  schedule_id: longId(),
  start_time: timestamp(),
  end_time: timestamp(),
});

export const PlannedBlackoutList = component('PlannedBlackoutList', {
  planned: list(PlannedBlackout, { maxItems: 5000 }),
  is_cut: boolean({ description: 'There may be more than are listed.' }),
});
