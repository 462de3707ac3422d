// Statements that nobody ran before the last day and that take a good part of the time already. Guards: where statements were thrown out,
// one that is counted since lately may be an old one; where counting began lately, all of them are new.

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
    message: `The statement ${queryid} was first executed at ${new Date(since).toISOString().slice(0, 16)}Z and takes ${percentOf(share)} % of the time of all statements since.`,
    figure: { value: 100 * share, unit: 'percent' },
    evidence: {
      ...common.evidence,
      stats_since: new Date(since).toISOString(),
      percent_of_time_since: percentOf(share),
    },
    remedy: `-- Its text, to look at its plan, and at what was released then:\n${showText(statement)}`,
  };
}

function judge(facts: Facts) {
  if (facts.versionNum < 170_000)
    return unknown('Since when a statement is counted is told by PostgreSQL 17 and later.');
  const early = tooEarly(facts);
  if (early) return early;
  const evicted = facts.row('pg_stat_statements_info')?.number('dealloc') ?? null;
  if (evicted === null) return unknown('Whether statements were thrown out is not known.');
  if (evicted > 0)
    return unknown(
      `Statements were thrown out ${evicted} times, so that old ones may look new; pg_stat_statements.max is too small.`,
    );
  const statements = statementsOf(facts);
  const reset = statements[0]?.item.time('stats_reset') ?? null;
  if (reset === null || facts.now - reset < LEAST_DAYS * DAY_MS)
    return unknown(`Statements have to be counted for ${LEAST_DAYS} days before one of them is called new.`);
  const all = statements.reduce((sum, one) => sum + rateOf(one, facts.now), 0);
  return { found: statements.flatMap((one) => foundOf(one, { now: facts.now, all })) };
}

export const check = defineCheck({
  name: 'statement_new_heavy',
  category: 'statements',
  title: 'New statement that takes much of the time',
  meaning: 'Something was released that costs the server a good part of its time.',
  advice: 'Look at the plan of the statement, and whether it is meant to run so often.',
  caution: 'Where it took the place of another statement, the server may have no more to do than before.',
  source: 'pgstatstatements.html',
  proof: 'measured',
  reads: { ...readsOf([]), pg_stat_statements_info: ['dealloc'] },
  judge,
});
