// Ages of transaction and multixact ids, judged alike. Guards: who holds the horizon back is said, since no vacuum helps before
// that is mended.

import type { Severity } from '../../alerting/rules/types.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import type { Judgement, Problem } from './types.ts';

export interface Ages {
  /** What runs out, as people say it. */
  readonly what: string;
  readonly percent: 'xid_percent' | 'mxid_percent';
  readonly age: 'xid_age' | 'mxid_age';
  readonly warning: number;
  readonly critical: number;
  readonly unit: 'transactions' | 'multixacts';
}

export const WRAPAROUND_COLUMNS = [
  'datname',
  'xid_age',
  'mxid_age',
  'xid_percent',
  'mxid_percent',
  'holder_kind',
  'holder',
  'holder_pid',
  'holder_xmin_age',
  'holder_since',
] as const;

/** It keeps much of the age: a vacuum would freeze little. */
const holds = (item: Item, age: number) => (item.number('holder_xmin_age') ?? 0) > age / 2;

function remedyOf(item: Item, isHeld: boolean): string {
  const pid = item.number('holder_pid');
  const isSession = isHeld && item.text('holder_kind') === 'session' && pid !== null;
  const head = [
    '-- In that database, as its owner or a superuser. It runs alongside normal work.',
    ...(isHeld ? ['-- First fix what holds back vacuum. Until then, vacuum can freeze little.'] : []),
  ];
  return [...head, ...(isSession ? [`select pg_terminate_backend(${pid});`] : []), 'vacuum (freeze);'].join(
    '\n',
  );
}

function foundOf(item: Item, percent: number, ages: Ages): Problem {
  const name = item.text('datname') ?? '';
  const age = item.number(ages.age) ?? 0;
  const isHeld = ages.age === 'xid_age' && holds(item, age);
  const severity: Severity = percent > ages.critical ? 'critical' : 'warning';
  const held = isHeld ? ` A ${item.text('holder_kind')} holds back vacuum: ${item.text('holder')}.` : '';
  return {
    database_name: name,
    object_name: '',
    severity,
    message: `${ages.what.charAt(0).toUpperCase()}${ages.what.slice(1)} age of database "${name}" is ${shownValue(age, 'count')} ${ages.unit}, ${shownValue(percent, 'percent')} of the limit.${held}`,
    figure: { value: percent, unit: 'percent' },
    evidence: {
      [ages.age]: age,
      [ages.percent]: percent,
      holder_kind: item.text('holder_kind'),
      holder: item.text('holder'),
      holder_since: item.text('holder_since'),
    },
    remedy: remedyOf(item, isHeld),
  };
}

export const oldAges = (facts: Facts, ages: Ages): Judgement => ({
  found: facts.rows('pg_wraparound').flatMap((item) => {
    const percent = item.number(ages.percent);
    return percent !== null && percent > ages.warning ? [foundOf(item, percent, ages)] : [];
  }),
});

export const ageAfter = (facts: Facts, { percent }: Ages, datname: string): number | null =>
  facts
    .rows('pg_wraparound')
    .find((item) => item.text('datname') === datname)
    ?.number(percent) ?? null;
