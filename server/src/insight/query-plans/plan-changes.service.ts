// What changed on a server between two plans of a statement that may be why the planner chose another: indexes, settings, version,
// statistics and size of its tables. Guards: only what the two plans are about; what was not measured is left out.
import { queryMetrics } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { inertLine } from '../../kernel/inert-text.ts';
import { append } from '../../kernel/lists.ts';
import type { Static } from '../../kernel/schema.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { iso } from '../../kernel/times.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { readPlans } from '../../plans/read.ts';
import type { Plan } from '../../plans/types.ts';
import { nodesOf } from '../../plans/walk.ts';
import { listChanges } from '../timeline/changes.service.ts';
import type { TimelineEvent } from '../timeline/timeline.contract.ts';
import type { PLAN_CHANGES } from './query-plans.contract.ts';
import type { ExampleRow } from './query-plans.queries.ts';

export interface PlanChange {
  kind: (typeof PLAN_CHANGES)[number];
  occurred_at: string | null;
  summary: string;
}

export interface TwoPlans {
  readonly connection_id: number;
  readonly database_name: string;
  readonly before: Plan;
  readonly after: Plan;
  /** When the plan before was seen last, and the one after first; milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** A change bears the time at which it was first seen, which may be after the first plan that it led to. */
const SEEN_LATER_MS = 2 * HOUR_MS;
const LONGEST_MS = 30 * DAY_MS;
const MOST_OF_A_KIND = 50;
const MOST_CHANGES = 20;
const MOST_TABLES = 5;
const WORTH_GROWTH = 2;

const OF_PLANNER =
  /^(?:enable_|cpu_|parallel_|min_parallel|max_parallel|jit|geqo|(?:seq|random)_page_cost|work_mem|hash_mem_multiplier|effective_|default_statistics_target|plan_cache_mode|constraint_exclusion|(?:from|join)_collapse_limit|cursor_tuple_fraction|recursive_worktable_factor|shared_buffers)/;

type Event = Static<typeof TimelineEvent>;
type Detail = Readonly<Record<string, unknown>>;

const isDetail = (value: unknown): value is Detail => typeof value === 'object' && value !== null;
const detailsOf = ({ details }: Event): Detail[] => {
  const changes: unknown = details?.changes;
  return Array.isArray(changes) ? changes.filter(isDetail) : [];
};
const word = (value: unknown) => (typeof value === 'string' ? value : '');

export const relationsOf = ({ plan }: Plan): Set<string> =>
  new Set(nodesOf(plan).flatMap(({ relation }) => relation ?? []));

function ofIndex(
  event: Event,
  kind: 'index_dropped' | 'index_made',
  tables: ReadonlySet<string>,
): PlanChange[] {
  return detailsOf(event)
    .filter(({ table }) => tables.has(word(table)))
    .map(({ index, table }) => ({
      kind,
      occurred_at: event.occurred_at,
      summary: `Index "${word(index)}" on "${word(table)}" was ${kind === 'index_made' ? 'created' : 'dropped'}.`,
    }));
}

function ofSettings(event: Event): PlanChange[] {
  return detailsOf(event)
    .filter(({ name }) => OF_PLANNER.test(word(name)))
    .map(({ name, old_value, new_value }) => ({
      kind: 'setting',
      occurred_at: event.occurred_at,
      summary: `${word(name)} went from ${word(old_value) || 'unset'} to ${word(new_value) || 'unset'}.`,
    }));
}

function ofEvent(event: Event, tables: ReadonlySet<string>): PlanChange[] {
  const { event_type, occurred_at, summary } = event;
  if (event_type === 'index_dropped' || event_type === 'index_made')
    return ofIndex(event, event_type, tables);
  if (event_type === 'config_change') return ofSettings(event);
  if (event_type === 'role_setting_change') return [{ kind: 'setting', occurred_at, summary }];
  return event_type === 'version_change' ? [{ kind: 'version', occurred_at, summary }] : [];
}

/** What auto_explain says of settings that sessions or functions have. */
function ofSessions({ before, after }: TwoPlans): PlanChange[] {
  const names = new Set([...Object.keys(before.settings), ...Object.keys(after.settings)]);
  return [...names].flatMap((name): PlanChange[] => {
    const [was, is] = [before.settings[name] ?? 'the default', after.settings[name] ?? 'the default'];
    return was === is
      ? []
      : [
          {
            kind: 'setting',
            occurred_at: null,
            summary: `${name} of the session: ${was} before, ${is} now.`,
          },
        ];
  });
}

const moment = (value: unknown): number =>
  value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : Number.NaN;

async function ofTable(ctx: Ctx, two: TwoPlans, table_name: string): Promise<PlanChange[]> {
  const { connection_id, database_name, from, to } = two;
  const of = { connection_id, database_name, table_name, probe_name: 'pg_stat_all_tables' };
  const [rows, then, now] = await Promise.all([
    queryMetrics(ctx, { ...of, order_by: 'last_analyze', limit: 1 }),
    liveRows(ctx, of, from),
    liveRows(ctx, of, to),
  ]);
  const found: PlanChange[] = [];
  const row: unknown = rows[0];
  const analyzed = isDetail(row) ? [moment(row.last_analyze), moment(row.last_autoanalyze)] : [];
  const last = analyzed
    .filter((at) => at >= from - MINUTE_MS && at <= to + MINUTE_MS)
    .toSorted((a, b) => b - a)[0];
  if (last !== undefined)
    found.push({
      kind: 'statistics',
      occurred_at: iso(last),
      summary: `Table "${table_name}" was analyzed.`,
    });
  const growth = then && now ? Math.max(then, now) / Math.max(1, Math.min(then, now)) : 1;
  if (then && now && growth >= WORTH_GROWTH)
    found.push({
      kind: 'size',
      occurred_at: null,
      summary: `Table "${table_name}" had ${shownValue(then, 'rows')} before and has ${shownValue(now, 'rows')} now.`,
    });
  return found;
}

interface OfTable {
  connection_id: number;
  database_name: string;
  table_name: string;
  probe_name: string;
}

/** Live rows around a time. */
async function liveRows(ctx: Ctx, of: OfTable, at: number): Promise<number | undefined> {
  const window = { start_time: iso(at - HOUR_MS), end_time: iso(Math.min(ctx.clock.now(), at + HOUR_MS)) };
  const [series] = await queryMetrics(ctx, {
    ...of,
    ...window,
    metrics: 'n_live_tup',
    buckets: 1,
    aggregation: 'last',
  });
  const found: unknown = series;
  const points: unknown = isDetail(found) ? found.data : undefined;
  const last: unknown = Array.isArray(points) ? points.at(-1) : undefined;
  return isDetail(last) && typeof last.value === 'number' ? last.value : undefined;
}

/** The nearest to the change first; at most twenty. */
async function changesBetween(ctx: Ctx, two: TwoPlans): Promise<PlanChange[]> {
  const { connection_id } = two;
  const to = Math.min(ctx.clock.now(), two.to + SEEN_LATER_MS);
  const from = Math.max(two.from - MINUTE_MS, to - LONGEST_MS);
  if (!(to > from)) return [];
  const tables = relationsOf(two.before).union(relationsOf(two.after));
  const { kinds } = await listChanges(ctx, {
    ...{ connection_id, start_time: iso(from), end_time: iso(to), limit: MOST_OF_A_KIND },
  });
  const events = kinds
    .flatMap((kind) => kind.events)
    .toSorted(
      (a, b) => Math.abs(Date.parse(a.occurred_at) - two.to) - Math.abs(Date.parse(b.occurred_at) - two.to),
    )
    .flatMap((event) => ofEvent(event, tables));
  const own: PlanChange[] = [];
  for (const table of [...tables].slice(0, MOST_TABLES)) append(own, await ofTable(ctx, two, table));
  return [...events, ...ofSessions(two), ...own]
    .slice(0, MOST_CHANGES)
    .map((one) => ({ ...one, summary: inertLine(one.summary) }));
}

/** The example of a plan, where it was kept. */
export const exampleOf = ({ example }: Pick<ExampleRow, 'example'>): Plan | undefined =>
  example === null ? undefined : readPlans(example)[0];

const time = (text: string | null, other: string) => Date.parse(text ?? other);

/** The same of two plans that are kept. */
export async function changesOfPlans(
  ctx: Ctx,
  connection_id: number,
  [one, two]: readonly [ExampleRow, ExampleRow],
): Promise<PlanChange[]> {
  const [before, after] = [exampleOf(one), exampleOf(two)];
  if (!before || !after) return [];
  const from = time(one.last_logged, one.last_seen);
  const to = Math.max(from, time(two.since, two.first_seen));
  return changesBetween(ctx, { connection_id, database_name: two.database_name, before, after, from, to });
}
