// An event of a log as it is answered, and what chooses events.
import * as s from '../../kernel/schema.ts';

export const WEIGHTS = ['critical', 'warning', 'info', 'normal'] as const;
export const LOG_SEVERITIES = [
  'DEBUG',
  'LOG',
  'INFO',
  'NOTICE',
  'WARNING',
  'ERROR',
  'FATAL',
  'PANIC',
] as const;
const DeadlockSide = s.component('LogDeadlockSide', {
  process_id: s.text(),
  mode: s.nullable(s.text({ description: 'Of the lock that it waits for, such as ShareLock.' })),
  waits_for: s.nullable(
    s.text({ description: 'Such as transaction 742, or tuple (0,1) of relation 16384.' }),
  ),
  blocked_by: s.nullable(s.text({ description: 'process_id of the side that holds it.' })),
  statement: s.nullable(s.text({ description: 'null: the log does not say it.' })),
  is_ended: s.boolean({ description: 'PostgreSQL ended the transaction of this side.' }),
});

export const LogEvent = s.component('LogEvent', {
  id: s.text({ description: 'Stays the same.' }),
  occurred_at: s.timestamp({ description: 'As the log says.' }),
  class: s.text(),
  title: s.text(),
  weight: s.oneOf(WEIGHTS),
  severity: s.text({ description: 'As PostgreSQL names it in English.' }),
  sqlstate: s.nullable(s.text()),
  database_name: s.nullable(s.text()),
  user_name: s.nullable(s.text()),
  application_name: s.nullable(s.text()),
  process_id: s.nullable(s.text()),
  queryid: s.nullable(s.text({ description: 'Of the statement, where the log says it.' })),
  message: s.text({
    description:
      'Secrets are masked in all texts; constants of statements as well, unless logs.keep_literals is on.',
  }),
  detail: s.nullable(s.text()),
  hint: s.nullable(s.text()),
  context: s.nullable(s.text()),
  statement: s.nullable(s.text()),
  figures: s.record(s.nullable(s.number()), { description: 'Numbers of the message, by the class.' }),
  is_cut: s.boolean({ description: 'The event was longer than is read.' }),
  deadlock_sides: s.nullable(
    s.list(DeadlockSide, { description: 'Of a deadlock, in the order in which they wait for each other.' }),
  ),
});

/** Which events are meant: those that all of these fit. */
export const eventFilters = {
  class: s.optional(
    s.text({
      maxLength: 1000,
      pattern: '^[a-z0-9_]+(,[a-z0-9_]+)*$',
      description: 'With commas between; `unclassified` are those of no class.',
    }),
  ),
  important: s.optional(
    s.boolean({
      description: 'Only classes that matter: trouble, and what explains it. They are kept for 90 days.',
    }),
  ),
  severity: s.optional(s.oneOf(LOG_SEVERITIES)),
  sqlstate: s.optional(s.text({ pattern: '^[0-9A-Z]{5}$' })),
  database_name: s.optional(s.text({ maxLength: 63 })),
  user_name: s.optional(s.text({ maxLength: 63 })),
  application_name: s.optional(s.text({ maxLength: 63 })),
  process_id: s.optional(s.text({ pattern: '^[0-9]{1,10}$' })),
  queryid: s.optional(s.text({ pattern: '^-?[0-9]{1,19}$' })),
  search: s.optional(
    s.text({
      minLength: 1,
      maxLength: 200,
      description:
        'Words and "phrases", at most 10. All are in the message, DETAIL, HINT, CONTEXT or STATEMENT, as these are masked, in any case. Words are found whole; `order*` finds what begins so.',
    }),
  ),
};
