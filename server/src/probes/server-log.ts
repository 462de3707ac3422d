// What rules judge of the log of a server: metrics of the events that were counted of it, wherever its lines came from. Guards: the counts
// that are kept of the log are the one source, so nothing is sampled or counted a second time; no statement is run on a server for it.
import type { LogProbe } from './types.ts';

/** Deadlocks, sign-ins and the like have rules of their own. */
const WITH_OWN_RULES = [
  'archive_failed',
  'authentication_failed',
  'crash_recovery',
  'data_corruption',
  'deadlock',
  'disk_full',
  'panic',
  'process_crashed',
  'session_ended_by_crash',
] as const;

export const serverLog: LogProbe = {
  name: 'server_log',
  description: 'Events in the log of the server.',
  level: 'S',
  log: true,
  intervalSeconds: 60,
  retentionDays: 400,
  keeps: 'samples',
  columns: [{ name: 'class', type: 'text', kind: 'key', description: 'Class of the events.' }],
  metrics: [
    {
      name: 'panics',
      unit: 'count',
      description: 'PANIC events in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'log panics' },
    },
    {
      name: 'crash_events',
      unit: 'count',
      description: 'Events of crashed processes and of crash recovery in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'log events', classes: ['process_crashed', 'crash_recovery'] },
    },
    {
      name: 'corruption_events',
      unit: 'count',
      description: 'Events of damaged pages and indexes (XX001, XX002) in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'log events', classes: ['data_corruption'] },
    },
    {
      name: 'disk_full_events',
      unit: 'count',
      description: 'Writes that failed for lack of disk space (53100) in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'log events', classes: ['disk_full'] },
    },
    {
      name: 'deadlocks_per_minute',
      unit: 'count',
      description: 'Most deadlocks within one minute of the last hour.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'log events', classes: ['deadlock'], per: 'minute' },
    },
    {
      name: 'failed_sign_ins',
      unit: 'count',
      description: 'Failed sign-ins in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'log events', classes: ['authentication_failed'] },
    },
    {
      name: 'checkpoints_too_frequent',
      unit: 'count',
      description: 'Warnings of checkpoints that follow each other too fast in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'log events', classes: ['checkpoints_too_frequent'] },
    },
    {
      name: 'archive_failures',
      unit: 'count',
      description: 'Events of failed WAL archiving in the last hour.',
      combine: 'sum',
      worse: 'more',
      value: { kind: 'log events', classes: ['archive_failed'] },
    },
    {
      name: 'longest_lock_wait_seconds',
      unit: 'seconds',
      description: 'Longest lock wait that was logged in the last five minutes.',
      combine: 'max',
      worse: 'more',
      value: {
        kind: 'log figure',
        classes: ['lock_wait', 'lock_acquired', 'lock_wait_failed'],
        figure: 'waited_ms',
        scale: 0.001,
        minutes: 5,
      },
    },
    {
      name: 'errors_times_usual',
      unit: '',
      description:
        'How many times the hourly mean of the day before the errors of a class in the last hour are.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'log errors', leastUsual: 10, except: WITH_OWN_RULES },
    },
    {
      name: 'plan_slowdown',
      unit: '',
      description:
        'Mean time of a run with the plan that a statement has now, in times of that with the plan before; of plans that cost a minute more and were logged or counted in the last hour.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'plan regression' },
    },
  ],
  caps: { maxRows: 0, maxBytes: 0, maxText: 0, timeoutMs: 0 },
};
