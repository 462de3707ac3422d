// What a probe is set to, as a form holds it: text while it is typed, checked as a whole before it is sent.
import type { OperationTypes } from '../../../api/operations.gen.ts';

export type ProbeOverview = OperationTypes['listProbes']['result'][number];
export type ProbeSettings = OperationTypes['getProbeSettings']['result'];
export type ProbeSetting = ProbeSettings['probes'][number];
export type Level = ProbeSetting['level'];
export type Values = ProbeOverview['built_in'];

const USUAL_LEAST_SECONDS = 5;
const MOST_SECONDS = 86_400;
const MOST_DAYS = 3650;

export interface Draft {
  is_enabled: boolean;
  interval: string;
  retention: string;
}

/** The least interval of a probe: 5 s, or 1 s where it is built to run more often than that. */
export const leastSeconds = (built: Values): number =>
  built.collection_interval_seconds < USUAL_LEAST_SECONDS ? 1 : USUAL_LEAST_SECONDS;

export function draftOf(values: Values): Draft {
  return {
    is_enabled: values.is_enabled,
    interval: String(values.collection_interval_seconds),
    retention: String(values.retention_days),
  };
}

const wholeNumber = (text: string) => (/^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN);

export type Problems = Partial<Record<'interval' | 'retention', string>>;

export function problemsOf({ interval, retention }: Draft, least: number): Problems {
  const seconds = wholeNumber(interval);
  const days = wholeNumber(retention);
  return {
    ...(seconds >= least && seconds <= MOST_SECONDS
      ? {}
      : { interval: `A whole number of seconds from ${least} to 86,400 (a day).` }),
    ...(days >= 1 && days <= MOST_DAYS ? {} : { retention: 'A whole number of days from 1 to 3,650.' }),
  };
}

/** Only of a draft without problems. */
export function valuesOf({ is_enabled, interval, retention }: Draft): Values {
  return {
    is_enabled,
    collection_interval_seconds: wholeNumber(interval),
    retention_days: wholeNumber(retention),
  };
}

/** The members that were edited, so that what nobody touched stays as it is built. */
export function changedMembers(draft: Draft, initial: Draft): Partial<Values> {
  const values = valuesOf(draft);
  return {
    ...(draft.is_enabled === initial.is_enabled ? {} : { is_enabled: values.is_enabled }),
    ...(draft.interval.trim() === initial.interval
      ? {}
      : { collection_interval_seconds: values.collection_interval_seconds }),
    ...(draft.retention.trim() === initial.retention ? {} : { retention_days: values.retention_days }),
  };
}

export const sameValues = (a: Values, b: Values) =>
  a.is_enabled === b.is_enabled &&
  a.collection_interval_seconds === b.collection_interval_seconds &&
  a.retention_days === b.retention_days;
