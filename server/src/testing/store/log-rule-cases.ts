// For each rule that judges the log what was counted when there is trouble and when there is none. Guards: the two are as near to the
// threshold as they can be, so that a rule with another threshold, operator or class fails its test.
import type { RuleName } from '../../alerting/rules/catalog.gen.ts';
import { rules } from '../../alerting/rules/catalog.gen.ts';

export interface Logged {
  class: string;
  events: number;
  severity?: string;
  /** Of each, the figure that events of the class have. */
  waited_ms?: number;
}

export interface LogCase {
  bad: Logged;
  good: Logged;
  /** In each hour of the day before. */
  usual?: Logged;
  object?: string;
}

const more = (name: string, threshold: number, severity = 'LOG'): LogCase => ({
  bad: { class: name, events: threshold + 1, severity },
  good: { class: name, events: threshold, severity },
});

export const LOG_CASES = {
  // A PANIC goes by the class of its cause.
  log_panic: more('io_error', 0, 'PANIC'),
  log_crash: more('process_crashed', 0),
  log_data_corruption: more('data_corruption', 0, 'ERROR'),
  log_disk_full: more('disk_full', 0, 'ERROR'),
  log_deadlocks_per_minute: more('deadlock', 5, 'ERROR'),
  log_failed_sign_ins: more('authentication_failed', 20, 'FATAL'),
  log_checkpoints_too_frequent: more('checkpoints_too_frequent', 5),
  log_archive_failed: more('archive_failed', 0),
  log_lock_wait: {
    bad: { class: 'lock_acquired', events: 1, waited_ms: 60_001 },
    good: { class: 'lock_acquired', events: 1, waited_ms: 60_000 },
  },
  log_errors_above_usual: {
    usual: { class: 'unique_violation', events: 20, severity: 'ERROR' },
    bad: { class: 'unique_violation', events: 101, severity: 'ERROR' },
    good: { class: 'unique_violation', events: 100, severity: 'ERROR' },
    object: 'unique_violation',
  },
} as const satisfies Partial<Record<RuleName, LogCase>>;

export type LogRuleName = keyof typeof LOG_CASES;

export const isLogRule = (name: RuleName): name is LogRuleName => Object.hasOwn(LOG_CASES, name);

export const logRules = rules.flatMap((rule) => {
  const of: LogCase | undefined = isLogRule(rule.name) ? LOG_CASES[rule.name] : undefined;
  return of ? [{ rule, of }] : [];
});
