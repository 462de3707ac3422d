// What the estate shows of many servers beside their rates, as parts of the one statement that reads those as well: newest
// runs, sessions counted by the declared conditions, and limits. Guards: each part names its
// connections and reads the newest sample, so that it costs the same however much is kept.
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';
import type { Condition } from '../../probes/metric-types.ts';
import { probe as activity } from '../../probes/pg-stat-activity.ts';
import type { More } from '../../store/read/doors/buckets.ts';
import { factInForce, newestRows, newestRuns } from '../../store/read/doors/relations.ts';

const millis = (moment: Sql) => sql`(date_part('epoch', ${moment}) * 1000)::bigint::text`;
const among = (ids: readonly number[]) => sql`t.connection_id = any (${ids}::integer[])`;

/** 'run', probe, when it was collected, outcome, why it was not, and the rows of those probes whose rows are wanted. */
export const newestRunsFor = (of: {
  connection_ids: readonly number[];
  probes: readonly string[];
  withRows: readonly string[];
}): More => ({
  texts: [
    sql`'run'`,
    sql`t.probe`,
    millis(sql`max(t.collected_at)`),
    sql`(array_agg(t.outcome order by t.attempted_at desc))[1]`,
    sql`(array_agg(left(t.reason, 300) order by t.attempted_at desc))[1]`,
    sql`max(t.rows::text) filter (where t.probe = any (${of.withRows}::text[]))`,
  ],
  rest: sql`
    from ${newestRuns} t
    where ${among(of.connection_ids)} and t.probe = any (${of.probes}::text[])
    group by t.connection_id, t.probe`,
});

function isMet(condition: Condition): Sql {
  if ('either' in condition) return sql`(${join(condition.either.map(isMet), sql` or `)})`;
  const column = sql`t.${identifier(condition.column)}`;
  if ('lessThan' in condition) return sql`${column} < t.${identifier(condition.lessThan)}`;
  if ('least' in condition) return sql`coalesce(${column} >= ${condition.least}, false)`;
  const cells = 'in' in condition ? condition.in : condition.notIn;
  const texts = cells.flatMap((one) => (one === null ? [] : [String(one)]));
  const orNull = texts.length < cells.length ? sql`or ${column} is null` : sql``;
  const found = sql`(coalesce(${column}::text = any (${texts}::text[]), false) ${orNull})`;
  return 'in' in condition ? found : sql`not ${found}`;
}

const countOf = (conditions: readonly Condition[]) =>
  sql`(count(*) filter (where ${join([sql`true`, ...conditions.map(isMet)], sql` and `)}))::text`;

/** 'sessions', then how many rows of the newest run of sessions meet each of these lists of conditions. */
export const sessionsCounted = (
  connectionIds: readonly number[],
  counts: readonly (readonly Condition[])[],
): More => ({
  texts: [sql`'sessions'`, ...counts.map(countOf)],
  rest: sql`
    from ${newestRows(activity.name, ['backend_type', 'state', 'wait_event'])} t
    where ${among(connectionIds)}
    group by t.connection_id`,
});

/** 'limit', the most sessions at a time. */
export const connectionLimits = (connectionIds: readonly number[]): More => ({
  texts: [sql`'limit'`, sql`t.value ->> 'max_connections'`],
  rest: sql`from ${factInForce('pg_server_info')} t where ${among(connectionIds)}`,
});
