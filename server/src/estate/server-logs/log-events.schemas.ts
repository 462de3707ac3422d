// An event of a log as it is answered, and what chooses events.
import {
  boolean,
  component,
  list,
  nullable,
  number,
  oneOf,
  optional,
  record,
  text,
  timestamp,
} from '../../kernel/schema.ts';

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
const DeadlockSide = component('LogDeadlockSide', {
  process_id: text(),
  mode: nullable(text({ description: 'Of the lock that it waits for, such as ShareLock.' })),
  waits_for: nullable(text({ description: 'Such as transaction 742, or tuple (0,1) of relation 16384.' })),
  blocked_by: nullable(text({ description: 'process_id of the side that holds it.' })),
  statement: nullable(text({ description: 'null: the log does not say it.' })),
  is_ended: boolean({ description: 'PostgreSQL ended the transaction of this side.' }),
});

export const LogEvent = component('LogEvent', {
  id: text({ description: 'Stays the same.' }),
  occurred_at: timestamp({ description: 'As the log says.' }),
  class: text(),
  title: text(),
  weight: oneOf(WEIGHTS),
  severity: text({ description: 'As PostgreSQL names it in English.' }),
  sqlstate: nullable(text()),
  database_name: nullable(text()),
  user_name: nullable(text()),
  application_name: nullable(text()),
  process_id: nullable(text()),
  queryid: nullable(text({ description: 'Of the statement, where the log says it.' })),
  message: text({
    description:
      'Secrets are masked in all texts; constants of statements as well, unless logs.keep_literals is on.',
  }),
  detail: nullable(text()),
  hint: nullable(text()),
  context: nullable(text()),
  statement: nullable(text()),
  figures: record(nullable(number()), { description: 'Numbers of the message, by the class.' }),
  is_cut: boolean({ description: 'The event was longer than is read.' }),
  deadlock_sides: nullable(
    list(DeadlockSide, { description: 'Of a deadlock, in the order in which they wait for each other.' }),
  ),
});

/** Which events are meant: those that all of these fit. */
export const eventFilters = {
  class: optional(
    text({
      maxLength: 1000,
      pattern: '^[a-z0-9_]+(,[a-z0-9_]+)*$',
      description: 'With commas between; `unclassified` are those of no class.',
    }),
  ),
  important: optional(
    boolean({
      description: 'Only classes that matter: trouble, and what explains it. They are kept for 90 days.',
    }),
  ),
  severity: optional(oneOf(LOG_SEVERITIES)),
  sqlstate: optional(text({ pattern: '^[0-9A-Z]{5}$' })),
  database_name: optional(text({ maxLength: 63 })),
  user_name: optional(text({ maxLength: 63 })),
  application_name: optional(text({ maxLength: 63 })),
  process_id: optional(text({ pattern: '^[0-9]{1,10}$' })),
  queryid: optional(text({ pattern: '^-?[0-9]{1,19}$' })),
  search: optional(
    text({
      minLength: 1,
      maxLength: 200,
      description:
        'Words and "phrases", at most 10. All are in the message, DETAIL, HINT, CONTEXT or STATEMENT, as these are masked, in any case. Words are found whole; `order*` finds what begins so.',
    }),
  ),
};
