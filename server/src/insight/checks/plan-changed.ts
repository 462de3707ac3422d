// Statements that are planned in another way than before, and take longer since. Guards: a plan that changed is nothing to tell of by
// itself; only the time that its statement takes makes it a finding.
import { inertLine } from '../../kernel/inert-text.ts';
import { shownTime, shownValue } from '../../kernel/shown-value.ts';
import { objectsIn } from './facts.ts';
import { number, type Table, tablesOf, text } from './index-workload.ts';
import {
  type KeptPlan,
  type KeptPlans,
  type LoggedRegression,
  lostBy,
  NOTABLE_FACTOR,
  NOTABLE_MS,
  planKey,
} from './kept-plan.ts';
import { LEAST_CALLS, LEAST_FACTOR, meanOf, plansNow, since } from './plans-kept.ts';
import { percentOf } from './statements.ts';
import { defineCheck, type Problem, unknown } from './types.ts';
import { qualified, quoted } from './units.ts';

const LEAST_SHARE = 0.05;
const NOTABLE_SHARE = 0.3;

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** The index that would serve it best, where one was found; otherwise new statistics, by which the planner decides. */
function remedyOf({ item, candidates }: Table, queryid: string): string {
  const table = qualified(item.text('schemaname'), item.text('relname'));
  const [best] = candidates
    .flatMap((one) => {
      const own = objectsIn(one.after).find((after) => text(after, 'queryid') === queryid);
      return own ? [{ columns: texts(one.columns), cost: number(own, 'cost') }] : [];
    })
    .toSorted((a, b) => a.cost - b.cost);
  return best && best.columns.length > 0
    ? `create index concurrently on ${table} (${best.columns.map(quoted).join(', ')});`
    : `analyze ${table};`;
}

function foundOf(table: Table, plan: KeptPlan | undefined): Problem | [] {
  if (!plan?.before || plan.before.shape === plan.shape) return [];
  const { before, queryid, database_name } = plan;
  const own = since(plan, before.base);
  const mean = meanOf(own);
  if (mean === null || own.calls < LEAST_CALLS || before.calls < LEAST_CALLS) return [];
  const [factor, share] = [mean / before.mean_ms, own.time_ms / Math.max(1, own.all_ms)];
  if (!(factor >= LEAST_FACTOR) || share < LEAST_SHARE) return [];
  const isNotable = factor >= NOTABLE_FACTOR && share >= NOTABLE_SHARE && own.time_ms >= NOTABLE_MS;
  return {
    database_name,
    object_name: `statement ${queryid}`,
    object_key: queryid,
    severity: isNotable ? 'warning' : 'info',
    message: `Statement ${queryid} takes ${shownValue(mean, 'ms')} since its plan changed at ${shownTime(before.changed_at)}. It took ${shownValue(before.mean_ms, 'ms')} with the previous plan.`,
    figure: { value: mean, unit: 'ms', promised: before.mean_ms },
    evidence: {
      queryid,
      plan: plan.shape,
      plan_before: before.shape,
      mean_time: mean,
      mean_time_before: before.mean_ms,
      calls: own.calls,
      calls_before: before.calls,
      percent_of_time: percentOf(Math.min(1, share)),
    },
    remedy: remedyOf(table, queryid),
    since: before.changed_at,
  };
}

/** Of the log there is no time of all statements to compare with: what the slower plan has cost more. */
const LEAST_LOST_MS = 1000;
const MOST_TABLES = 5;

function loggedFound(one: LoggedRegression): Problem | [] {
  const { queryid, mean_ms, before_mean_ms, runs, changes } = one;
  const lost = lostBy(one);
  if (lost < LEAST_LOST_MS) return [];
  const isNotable = mean_ms >= NOTABLE_FACTOR * before_mean_ms && lost >= NOTABLE_MS;
  const [first] = changes;
  const by = one.source === 'log' ? 'in the log' : `according to ${one.source}`;
  return {
    database_name: one.database_name,
    object_name: `statement ${queryid}`,
    object_key: queryid,
    severity: isNotable ? 'warning' : 'info',
    message: `Statement ${queryid} takes ${shownValue(mean_ms, 'ms')} ${by} since its plan changed at ${shownTime(one.since)}. It took ${shownValue(before_mean_ms, 'ms')} with the previous plan.${first === undefined ? '' : ` Before: ${first}`}`,
    figure: { value: mean_ms, unit: 'ms', promised: before_mean_ms },
    evidence: {
      queryid,
      plan: one.outline,
      plan_before: one.outline_before,
      mean_time: mean_ms,
      mean_time_before: before_mean_ms,
      calls: runs,
      calls_before: one.before_runs,
      changed_before: changes.length === 0 ? null : changes.join(' '),
    },
    remedy: loggedRemedy(one),
    since: one.since,
  };
}

/** What changed is undone by people who know why it was done; statistics harm nothing. */
function loggedRemedy({ changes, tables }: LoggedRegression): string {
  const why = changes.length === 0 ? ['Nothing is known that changed before.'] : changes;
  const lines = tables.slice(0, MOST_TABLES).map((name) => `analyze ${quoted(name)};`);
  return ['-- What changed before:', ...why.map((line) => `--   ${inertLine(line)}`), ...lines].join('\n');
}

const PLANNED_BY = ['pg_index_advice', 'pg_costly_statements'];
const NOTHING_TO_COMPARE =
  'Plans are compared where pg_stat_statements is read, auto_explain logs plans in a log that is read, or pg_store_plans or pg_stat_plans is installed.';
const STATEMENTS = 'create extension if not exists pg_stat_statements;';

/** Each statement once, at the largest of its tables that has a remedy of its own. */
function once(all: readonly Problem[]): Problem[] {
  const found = new Map<string, Problem>();
  for (const one of all) {
    const key = `${one.database_name}\n${one.object_key}`;
    const known = found.get(key);
    if (!known || (known.remedy.startsWith('analyze') && !one.remedy.startsWith('analyze')))
      found.set(key, one);
  }
  return [...found.values()];
}

const plansOf = (plans: KeptPlans, table: Table) =>
  objectsIn(table.statements).map((one) =>
    plans.get(planKey({ database_name: table.item.database_name, queryid: text(one, 'queryid') })),
  );

export const check = defineCheck({
  name: 'plan_changed',
  category: 'statements',
  title: 'Plan regression',
  figureName: 'mean time',
  meaning: 'The planner chose another plan for the statement, and it takes longer.',
  advice: 'Compare the two plans. An index may be missing, or table statistics may be stale.',
  caution:
    'Plans are those that ran, where the log or an extension has them. Others are generic and seen about once an hour. For some values the planner may choose another plan. A table that grew may need more time with any plan.',
  source: 'using-explain.html',
  proof: 'measured',
  where: 'primary',
  reads: { pg_server_info: ['server_version_num'] },
  uses: {
    pg_index_advice: ['relid', 'schemaname', 'relname', 'table_bytes', 'advice'],
    pg_costly_statements: ['queryid', 'total_exec_time'],
  },
  judge: (facts) => {
    if (!facts.plans) return unknown('No earlier plans are stored for comparison.');
    const isPlanned = PLANNED_BY.every((probe) => facts.databasesRead(probe).size > 0);
    if (!isPlanned && !facts.logged) return unknown(NOTHING_TO_COMPARE, STATEMENTS);
    const plans = plansNow(facts.plans, facts);
    const logged = (facts.logged?.regressions ?? []).flatMap(loggedFound);
    const planned = tablesOf(facts).flatMap((table) =>
      plansOf(plans, table).flatMap((plan) => foundOf(table, plan)),
    );
    const keyOf = ({ database_name, object_key }: Problem) => `${database_name}\n${object_key}`;
    const known = new Set(logged.map(keyOf));
    // What really ran says more than a plan without values.
    return { found: [...logged, ...once(planned.filter((one) => !known.has(keyOf(one))))] };
  },
  figureAfter: (facts, { database_name, object_key }) => {
    const logged = facts.logged?.means.find(
      (one) => one.queryid === object_key && one.database_name === database_name,
    );
    if (logged) return logged.mean_ms;
    const plans = facts.plans && plansNow(facts.plans, facts);
    const plan = plans?.get(planKey({ database_name, queryid: object_key }));
    return plan ? meanOf(plan.before ? since(plan, plan.before.base) : plan) : null;
  },
});
