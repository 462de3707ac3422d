// Statements that take longer to plan than to execute.
import { shownValue } from '../../kernel/shown-value.ts';
import {
  countAnew,
  judgeEach,
  ofStatement,
  percentOf,
  readsOf,
  type Statement,
  sentStatements,
  statementOf,
} from './statements.ts';
import { defineCheck, type Problem, unknown } from './types.ts';

const LEAST_PLANS = 1000;
/** Of the time that all statements take, planning included. */
const LEAST_SHARE = 0.05;
const NOTABLE_SHARE = 0.3;

function foundOf(statement: Statement, all: number): Problem | [] {
  const { item, time, queryid } = statement;
  const [plans, planning] = [item.number('plans') ?? 0, item.number('total_plan_time') ?? 0];
  const share = planning / Math.max(all, planning);
  if (plans < LEAST_PLANS || planning <= time || share < LEAST_SHARE) return [];
  const common = ofStatement(statement);
  const mean = planning / plans;
  return {
    ...common,
    severity: share >= NOTABLE_SHARE && planning >= 2 * time ? 'warning' : 'info',
    message: `Statement ${queryid} takes ${shownValue(mean, 'ms')} to plan and ${shownValue(statement.mean, 'ms')} to execute. Its planning is ${percentOf(share)} % of all time.`,
    figure: { value: planning, unit: 'ms' },
    evidence: {
      ...common.evidence,
      plans,
      total_plan_time: Math.round(planning),
      total_exec_time: Math.round(time),
      percent_of_all_time: percentOf(share),
    },
    remedy: [
      '-- In the application: prepare it once per session and execute it often. Poolers can keep prepared statements.',
      '-- If many partitions or joins slow down planning, use fewer of them in the query.',
      countAnew(statement),
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'statement_planning',
  category: 'statements',
  title: 'Planning time exceeds execution time',
  figureName: 'planning time',
  meaning: 'The server spends more time planning the statement than executing it.',
  advice: 'Prepare it, so that one plan serves many executions.',
  caution: 'A generic plan may be worse for some values. plan_cache_mode controls that.',
  source: 'sql-prepare.html',
  proof: 'measured',
  reads: { ...readsOf(['plans', 'total_plan_time']), pg_settings: ['name', 'setting'] },
  judge: (facts) => {
    if (facts.setting('pg_stat_statements.track_planning') === 'off')
      return unknown(
        'pg_stat_statements.track_planning is off, so planning times are unknown. It has a small cost on busy servers.',
        'alter system set pg_stat_statements.track_planning = on; select pg_reload_conf();',
      );
    const all = sentStatements(facts).reduce(
      (sum, item) => sum + (item.number('total_exec_time') ?? 0) + (item.number('total_plan_time') ?? 0),
      0,
    );
    return judgeEach(facts, (one) => foundOf(one, all));
  },
  figureAfter: (facts, gone) => statementOf(facts, gone)?.number('total_plan_time') ?? null,
});
