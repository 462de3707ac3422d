// Statements that nobody ran before the last day and that take a good part of the time already. Guards: where statements were thrown out,
// one that is counted since lately may be an old one; where counting began lately, all of them are new.

import { shownTime } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { Facts } from './facts.ts';
import {
  ofStatement,
  percentOf,
  readsOf,
  type Statement,
  showText,
  statementsOf,
  tooEarly,
} from './statements.ts';
import { defineCheck, type Problem, unknown } from './types.ts';

/** So long statements have to be counted before one of them is called new. */
const LEAST_DAYS = 3;
const LEAST_CALLS = 20;
const LEAST_MS = 60_000;
/** Of the time that statements take at present. */
const LEAST_SHARE = 0.2;
const NOTABLE_SHARE = 0.5;

/** Milliseconds of executing in each millisecond since it is counted. */
const rateOf = ({ time, since }: Statement, now: number) => time / Math.max(1, now - since);

function foundOf(statement: Statement, { now, all }: { now: number; all: number }): Problem | [] {
  const { calls, time, since, queryid } = statement;
  const share = rateOf(statement, now) / Math.max(all, Number.MIN_VALUE);
  if (now - since > DAY_MS || calls < LEAST_CALLS || time < LEAST_MS || share < LEAST_SHARE) return [];
  const common = ofStatement(statement);
  return {
    ...common,
    severity: share >= NOTABLE_SHARE ? 'warning' : 'info',
    message: `Statement ${queryid} first ran at ${shownTime(since)}. It takes ${percentOf(share)} % of the time of all statements since.`,
    figure: { value: 100 * share, unit: 'percent' },
    evidence: {
      ...common.evidence,
      stats_since: new Date(since).toISOString(),
      percent_of_time_since: percentOf(share),
    },
    remedy: `-- Its text. Check its plan, and what was released then:\n${showText(statement)}`,
  };
}

function judge(facts: Facts) {
  if (facts.versionNum < 170_000)
    return unknown('Only PostgreSQL 17 and later report when a statement was first counted.');
  const early = tooEarly(facts);
  if (early) return early;
  const evicted = facts.row('pg_stat_statements_info')?.number('dealloc') ?? null;
  if (evicted === null) return unknown('Whether statements were evicted is unknown.');
  if (evicted > 0)
    return unknown(
      `Statements were evicted ${evicted} times, so old ones may look new. pg_stat_statements.max is too small.`,
    );
  const statements = statementsOf(facts);
  const reset = statements[0]?.item.time('stats_reset') ?? null;
  if (reset === null || facts.now - reset < LEAST_DAYS * DAY_MS)
    return unknown(`Detecting new statements needs ${LEAST_DAYS} days of statistics.`);
  const all = statements.reduce((sum, one) => sum + rateOf(one, facts.now), 0);
  return { found: statements.flatMap((one) => foundOf(one, { now: facts.now, all })) };
}

export const check = defineCheck({
  name: 'statement_new_heavy',
  category: 'statements',
  title: 'New expensive statement',
  figureName: 'of all time',
  meaning: 'A recent release costs the server much of its time.',
  advice: 'Check the plan of the statement, and whether it should run so often.',
  caution: 'If it replaced another statement, the total load may be the same.',
  source: 'pgstatstatements.html',
  proof: 'measured',
  reads: { ...readsOf([]), pg_stat_statements_info: ['dealloc'] },
  judge,
});
