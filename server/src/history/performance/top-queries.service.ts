// The statements that cost a server most in a window, by what their counters grew by. Guards: a statement is counted over
// all users and levels of its database, and its share is of what clients asked for, since what runs inside functions is counted with its
// caller as well; what was evicted and came back counts only what is certain; nothing is asked of
// the server.

import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { recentReadings } from '../../kernel/recent-readings.ts';
import { catalogProbe } from '../../probes/catalog-probe.ts';
import { DATABASE } from '../../store/read/doors/buckets.ts';
import { comparedFrom, windowOf } from '../metrics/metrics.service.ts';
import { figuresOf as figuresOfMetrics } from './increases.ts';
import { isOwnStatement, OWN_STATEMENT } from './own-statements.ts';
import type * as contract from './performance.contract.ts';
import { statementPage } from './statements.ts';
import { type Totals, totals } from './totals.ts';

type Query = Input<typeof contract.listTopQueries>['query'];
type Row = Output<typeof contract.listTopQueries>[number];
type Figures = Omit<Row, 'query' | 'load_percent' | 'is_own' | 'exec_time_course'>;
type Costs = NonNullable<Row['compared']>;

const LIMIT = 10;
const statements = catalogProbe('pg_stat_statements');
const COLUMNS = ['calls', 'total_exec_time', 'rows', 'shared_blks_hit', 'shared_blks_read'] as const;

/** Not rounded yet: at the edges of the window an increase counts by its share of the time. */
function costsOf(grown: readonly Totals['grown'][]): Costs {
  const [calls = 0, total_exec_time = 0, rows = 0, shared_blks_hit = 0, shared_blks_read = 0] = COLUMNS.map(
    (name) => grown.reduce((sum, one) => sum + (one.get(name) ?? 0), 0),
  );
  const mean_exec_time = calls > 0 ? total_exec_time / calls : 0;
  return { calls, total_exec_time, mean_exec_time, rows, shared_blks_hit, shared_blks_read };
}

/** Of a statement that a client sent and one inside functions, which has the same id there. */
function figuresOf([first, ...others]: readonly Totals[], isCompared: boolean): Figures[] {
  if (first === undefined) return [];
  const { group } = first;
  const levels = [first, ...others];
  const compared = levels.flatMap((one) => one.compared ?? []);
  return [
    {
      queryid: String(group.queryid ?? ''),
      database_name: String(group[DATABASE] ?? ''),
      ...costsOf(levels.map(({ grown }) => grown)),
      ...(isCompared && { compared: compared.length > 0 ? costsOf(compared) : null }),
    },
  ];
}

/** Statements, and the execution time of all that clients sent. */
interface StatementCosts {
  readonly all: readonly Figures[];
  readonly whole: number;
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

function ordered(
  all: readonly Figures[],
  { order_by = 'total_exec_time', order = 'desc' }: Query,
): Figures[] {
  const sign = order === 'asc' ? 1 : -1;
  return all.toSorted(
    (a, b) =>
      sign * (a[order_by] - b[order_by]) ||
      byText(a.database_name, b.database_name) ||
      byText(a.queryid, b.queryid),
  );
}

const rounded = <T extends Costs>(costs: T): T => ({
  ...costs,
  calls: Math.round(costs.calls),
  rows: Math.round(costs.rows),
  shared_blks_hit: Math.round(costs.shared_blks_hit),
  shared_blks_read: Math.round(costs.shared_blks_read),
});

/** Functions that call themselves count more than once, and the caller of what runs inside them may not be known. */
const shareOf = ({ total_exec_time }: Figures, whole: number) =>
  total_exec_time > 0 ? Math.min(100, (100 * total_exec_time) / whole) : 0;

const rowOf = (figures: Figures, query: string | null, whole: number | undefined): Row => ({
  ...rounded(figures),
  ...(figures.compared && { compared: rounded(figures.compared) }),
  ...(whole !== undefined && { load_percent: shareOf(figures, whole) }),
  is_own: query === null ? null : isOwnStatement(query),
  query: query ?? '',
});

/** Lists are read in parts: those behind the first come from the same reading, which is as dear as all parts together. */
const recent = recentReadings<StatementCosts>({ most: 4, keepMs: 300_000 });
/** Longer ones would fill the memory. */
const MOST_KEPT = 20_000;

/** Everything that decides which statements there are, and in which order. */
function nameOf(query: Query): string {
  const { limit: _limit, offset: _offset, course_buckets: _course, ...decides } = query;
  const { search: _search, exclude_collector: _own, ...of } = decides;
  return JSON.stringify(Object.entries(of).sort(([a], [b]) => byText(a, b)));
}

const keyOf = (database_name: unknown, queryid: unknown) => JSON.stringify([database_name, queryid]);

async function readOrdered({ db, clock }: Ctx, query: Query): Promise<StatementCosts> {
  const { connection_id, database_name, queryid, compare } = query;
  const window = windowOf(query, { now: clock.now(), fallback: '24h' });
  const found = await totals(db, {
    probe: statements,
    columns: COLUMNS,
    connection_ids: [connection_id],
    database_name,
    where: queryid === undefined ? {} : { queryid },
    group_by: [DATABASE, 'queryid', 'toplevel'],
    ...window,
    compare_from: compare && comparedFrom(window, compare),
    // One level of a statement may have grown in the second window alone.
    idle: queryid !== undefined || compare !== undefined,
  });
  const statementsOf = Map.groupBy(found, ({ group }) => keyOf(group[DATABASE], group.queryid));
  const all = [...statementsOf.values()]
    .filter((levels) => queryid !== undefined || levels.some(({ grown }) => grown.isAnything))
    .flatMap((levels) => figuresOf(levels, compare !== undefined));
  const sent = found.filter(({ group }) => String(group.toplevel) !== 'false');
  const whole = sent.reduce((sum, { grown }) => sum + (grown.get('total_exec_time') ?? 0), 0);
  return { all: ordered(all, query), whole };
}

/** The first part is always read anew; without a fixed end there is no telling what the parts belong to. */
async function orderedFor(ctx: Ctx, query: Query): Promise<StatementCosts> {
  const { start_time, end_time, queryid, offset = 0 } = query;
  if (start_time === undefined || end_time === undefined || queryid !== undefined)
    return readOrdered(ctx, query);
  const kept = recent.of(ctx.db);
  const name = nameOf(query);
  const now = ctx.clock.now();
  const before = offset > 0 ? kept.get(name, now) : undefined;
  if (before) return before;
  const found = await readOrdered(ctx, query);
  if (found.all.length <= MOST_KEPT) kept.keep(name, found, now);
  return found;
}

/** The rows of a page with the course of their execution time; nothing more is read without one. */
async function withCourse({ db, clock }: Ctx, query: Query, rows: readonly Row[]): Promise<Row[]> {
  const { connection_id, course_buckets: buckets } = query;
  if (buckets === undefined || rows.length === 0) return [...rows];
  const window = windowOf(query, { now: clock.now(), fallback: '24h' });
  const [found = []] = await figuresOfMetrics(db, [
    {
      probe: statements,
      metrics: ['total_exec_time'],
      connection_ids: [connection_id],
      where: { queryid: [...new Set(rows.map(({ queryid }) => queryid))] },
      group_by: [DATABASE, 'queryid'],
      grid: { ...window, buckets },
    },
  ]);
  const courses = new Map(
    found.map(({ group, figures }) => [
      keyOf(group[DATABASE], String(group.queryid)),
      figures.get('total_exec_time')?.values,
    ]),
  );
  const none = Array.from({ length: buckets }, () => null);
  return rows.map((row) => ({
    ...row,
    exec_time_course: courses.get(keyOf(row.database_name, row.queryid)) ?? none,
  }));
}

/** With how many there are before limit and offset. */
export async function listTopQueries(ctx: Ctx, query: Query): Promise<{ rows: Row[]; total: number }> {
  const { connection_id, queryid, limit = LIMIT, offset = 0 } = query;
  const { all, whole: sent } = await orderedFor(ctx, query);
  const whole = queryid === undefined ? sent : undefined;
  const isCut = query.exclude_collector === true || query.search !== undefined;
  // Where no text decides, only those of the page are asked for.
  const asked = isCut ? all : all.slice(offset, offset + limit);
  const page = await statementPage(ctx.db, {
    connection_id,
    statements: asked,
    without: query.exclude_collector === true ? OWN_STATEMENT : undefined,
    holding: query.search,
    offset: isCut ? offset : 0,
    limit,
  });
  const rows = page.rows.flatMap(({ index, query_text }) => {
    const figures = asked[index];
    return figures ? [rowOf(figures, query_text, whole)] : [];
  });
  return { rows: await withCourse(ctx, query, rows), total: isCut ? page.total : all.length };
}
