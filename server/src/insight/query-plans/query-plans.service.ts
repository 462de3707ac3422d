// The plans of a statement, as they are kept. Guards: what was not measured is null; a statement without plans says why and what to do.
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { iso } from '../../kernel/times.ts';
import { keyOfText } from '../../logs/figures/statement-key.ts';
import { diffOf } from '../../plans/diff.ts';
import { AUTO_EXPLAIN } from '../../probes/auto-explain.ts';
import { changesOfPlans, exampleOf } from './plan-changes.service.ts';
import type * as contract from './query-plans.contract.ts';
import { loggingState, type PlanRow, plansById, plansOfStatement, textOf } from './query-plans.queries.ts';
import { worstRegression } from './regression.ts';

type Listed = Output<typeof contract.listQueryPlans>;
type QueryPlan = Listed['plans'][number];
type Diff = Output<typeof contract.diffQueryPlans>;

const NOT_READ =
  'No plan was seen. Plans come from pg_store_plans or pg_stat_plans, which are not installed, or from auto_explain in the log of the server, which Matriarch does not read yet.';
const NOT_LOGGED = 'No plan was seen. The log of the server has no plans: auto_explain does not log any.';
const NOT_SLOW =
  'No plan of this statement was seen. auto_explain logs statements that take longer than auto_explain.log_min_duration.';

const notCounted = (extension: string) =>
  `No plan of this statement was seen. ${extension} has none, or a text that is not whole; of a server its 1,000 dearest plans are read.`;

function worstOf({ misestimates }: PlanRow): QueryPlan['worst_estimate'] {
  const [node, signed] = misestimates.reduce<[number, number]>(
    (worst, one, index) => (Math.abs(one) > Math.abs(worst[1]) ? [index + 1, one] : worst),
    [0, 0],
  );
  if (signed === 0) return null;
  return { node, factor: Math.abs(signed), direction: signed > 0 ? 'more' : 'fewer' };
}

function planOf(row: PlanRow, is_current: boolean): QueryPlan {
  const { analyzed, buffered, logged } = row;
  const mean = (sum: number, of = analyzed) => (of > 0 ? sum / of : null);
  return {
    ...{ id: row.id, database_name: row.database_name, plan_hash: row.plan_hash, source: row.source },
    ...{
      outline: row.outline,
      nodes: row.nodes,
      first_seen: row.first_seen,
      last_seen: row.last_seen,
      is_current,
    },
    logged_count: logged,
    planned_count: row.planned,
    mean_ms: logged > 0 ? row.total_ms / logged : null,
    worst_ms: row.worst_ms,
    mean_rows: mean(row.total_rows),
    mean_hit_blocks: mean(row.hit_blocks, buffered),
    mean_read_blocks: mean(row.read_blocks, buffered),
    mean_temp_blocks: mean(row.temp_blocks, buffered),
    mean_jit_ms: row.source === 'log' ? mean(row.jit_ms) : null,
    worst_estimate: worstOf(row),
    has_example: row.has_example,
  };
}

const newest = (rows: readonly PlanRow[]): PlanRow | undefined => {
  const at = ({ last_logged, last_seen }: PlanRow) => Date.parse(last_logged ?? last_seen);
  const logged = rows.filter(({ last_logged }) => last_logged !== null);
  return (logged.length > 0 ? logged : rows).toSorted((a, b) => at(b) - at(a))[0];
};

/** Of each database and source the newest. */
const currentOf = (rows: readonly PlanRow[]): Set<string> =>
  new Set(
    [...Map.groupBy(rows, ({ database_name, source }) => `${source}\n${database_name}`).values()].flatMap(
      (own) => newest(own)?.id ?? [],
    ),
  );

async function examplesOf(ctx: Ctx, connection_id: number, ids: readonly string[]) {
  const rows = await plansById(ctx.db, connection_id, ids);
  return ids.map((id) => rows.find((row) => row.id === id));
}

async function regressionIn(
  ctx: Ctx,
  connection_id: number,
  rows: readonly PlanRow[],
): Promise<Listed['regression']> {
  const found = worstRegression(rows);
  if (!found) return null;
  const { before, after, since, runs, mean_ms, before_mean_ms, factor } = found;
  const [one, two] = await examplesOf(ctx, connection_id, [before.id, after.id]);
  return {
    ...{ before_id: before.id, after_id: after.id, since: iso(since), runs, mean_ms, before_mean_ms, factor },
    changes: one && two ? await changesOfPlans(ctx, connection_id, [one, two]) : [],
  };
}

async function whyNone(ctx: Ctx, connection_id: number): Promise<Pick<Listed, 'reason' | 'mend'>> {
  const { has_logged, is_read, counted_by } = await loggingState(ctx.db, connection_id);
  if (counted_by !== null) return { reason: notCounted(counted_by), mend: null };
  if (has_logged) return { reason: NOT_SLOW, mend: null };
  return is_read ? { reason: NOT_LOGGED, mend: AUTO_EXPLAIN } : { reason: NOT_READ, mend: null };
}

export async function listQueryPlans(ctx: Ctx, connection_id: number, queryid: string): Promise<Listed> {
  const text = await textOf(ctx.db, connection_id, queryid);
  const keys = text === null ? [queryid] : [queryid, keyOfText(text)];
  const rows = await plansOfStatement(ctx.db, connection_id, keys);
  const current = currentOf(rows);
  return {
    connection_id,
    queryid,
    plans: rows.map((row) => planOf(row, current.has(row.id))),
    regression: await regressionIn(ctx, connection_id, rows),
    ...(rows.length === 0 ? await whyNone(ctx, connection_id) : { reason: null, mend: null }),
  };
}

const NOT_FOUND = 'There is no such plan of a statement on this server. Plans are kept for 90 days.';

export async function getQueryPlan(
  ctx: Ctx,
  connection_id: number,
  plan_id: string,
): Promise<Output<typeof contract.getQueryPlan>> {
  const [row] = await examplesOf(ctx, connection_id, [plan_id]);
  if (!row) throw new Fault('not_found', NOT_FOUND);
  const others = await plansOfStatement(ctx.db, connection_id, [row.statement_key]);
  return {
    connection_id,
    queryid: row.statement_key.startsWith('text:') ? null : row.statement_key,
    plan: planOf(row, currentOf(others).has(row.id)),
    explain: row.example,
    explain_at: row.example_at,
    explain_ms: row.example_ms,
  };
}

export async function diffQueryPlans(
  ctx: Ctx,
  connection_id: number,
  { before, after }: Input<typeof contract.diffQueryPlans>['query'],
): Promise<Diff> {
  const [one, two] = await examplesOf(ctx, connection_id, [before, after]);
  if (!one || !two) throw new Fault('not_found', NOT_FOUND);
  const [first, second] = [exampleOf(one), exampleOf(two)];
  if (!first || !second)
    throw new Fault(
      'not_found',
      'One of the two plans was larger than 128 kB, so that its tree was not kept.',
    );
  const { verdict, same_plan, before_ms, after_ms, rows } = diffOf(first, second);
  const changes = await changesOfPlans(ctx, connection_id, [one, two]);
  return { verdict, same_plan, before_ms, after_ms, rows, changes };
}
