// What a backtest found, in words. Pure. Guards: how much of the time was measured is said wherever it was not all of it.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { countOf } from '../../../lib/format.ts';
import { exactTime } from '../../../lib/time.ts';

export type Backtest = OperationTypes['backtestAlertRule']['result'];
type Outcome = Backtest['candidate'];

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** "2 h 10 min", "3 d 4 h", "45 s". */
export function lengthWords(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  const [large, unit, rest, small] =
    whole < 2 * DAY
      ? [Math.floor(whole / HOUR), 'h', Math.floor((whole % HOUR) / MINUTE), 'min']
      : [Math.floor(whole / DAY), 'd', Math.floor((whole % DAY) / HOUR), 'h'];
  return rest === 0 ? `${large} ${unit}` : `${large} ${unit} ${rest} ${small}`;
}

const timesWords = (fired: number) => (fired === 0 ? 'never' : countOf(fired, 'time'));

function setWords({ values, fired }: Outcome): string {
  return values?.enabled === false ? 'as set now it is switched off' : `as set now: ${timesWords(fired)}`;
}

/** "Would have fired 3 times in 30 days, 2 h 10 min in all; as set now: 12 times." */
export function backtestWords({ candidate, in_force, start_time, end_time, coverage }: Backtest): string {
  const days = countOf(Math.round((Date.parse(end_time) - Date.parse(start_time)) / (DAY * 1000)), 'day');
  if (coverage === 0) return `Nothing was measured in ${days}, so the answer is unknown.`;
  const { fired, open_seconds, affected } = candidate;
  const what =
    fired === 0
      ? `Would not have fired in ${days}`
      : `Would have fired ${countOf(fired, 'time')} in ${days}, ${lengthWords(open_seconds)} in all`;
  const where = affected > 1 ? `, on ${affected} of them` : '';
  return `${what}${where}; ${setWords(in_force)}.`;
}

const EVERY: Readonly<Record<Backtest['read'][number]['tier'], string>> = {
  raw: 'samples',
  m1: 'rollups',
  m15: 'rollups',
  h1: 'rollups',
};

/** From what it was judged, and how much of the time was measured. */
export function readWords({ read, coverage, servers, things, measured_since, start_time }: Backtest): string {
  const parts = read.map(
    ({ tier, resolution_seconds }) => `${EVERY[tier]} of ${lengthWords(resolution_seconds)}`,
  );
  const looked =
    servers > 1 || things > 1
      ? `${countOf(things, 'series', 'series')} of ${countOf(servers, 'server')}, `
      : '';
  const percent = coverage < 0.01 ? 'less than 1' : Math.round(coverage * 100);
  const share = coverage >= 0.995 ? 'all of the time' : `${percent} % of the time`;
  const isLate = measured_since !== null && Date.parse(measured_since) - Date.parse(start_time) > DAY * 1000;
  const since = isLate ? ` The first value is of ${exactTime(measured_since)}.` : '';
  return `Judged by ${looked}${parts.join(', then ')}; ${share} was measured.${since}`;
}
