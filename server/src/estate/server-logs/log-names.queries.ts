// Events of a log by the user and by the application that they name. Guards: what is read is bounded by a window and a limit.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { NameKind } from './log-rows.ts';

const at = (ms: number): Sql => sql`to_timestamp(${ms / 1000}::float8)`;

export interface NameSum {
  kind: NameKind;
  name: string;
  events: number;
  errors: number;
}

const TOP_NAMES = 10;

/** The most frequent of each kind, in the slots of a window; those that were too many to be told apart are last. */
export const topNames = (db: Db, connection_id: number, { from, to }: { from: number; to: number }) =>
  db.rows<NameSum>(sql`/* server_logs.names */
    select r.kind, r.name, r.events, r.errors
    from (
      select
        n.kind, n.name, sum(n.events)::bigint as events, sum(n.errors)::bigint as errors,
        row_number() over (partition by n.kind order by n.name = '(others)', sum(n.events) desc, n.name) as place
      from matriarch.log_name_counts n
      where n.connection_id = ${connection_id} and n.slot >= ${at(from)} and n.slot < ${at(to)}
      group by n.kind, n.name
    ) r
    where r.place <= ${TOP_NAMES}
    order by r.kind, r.place`);

/** Since when names are counted of that log; null: they are not. */
export const firstNamed = async (db: Db, connection_id: number): Promise<string | null> => {
  const row = await db.one<{ first: string | null }>(sql`/* server_logs.first_named */
    select min(n.slot) as first from matriarch.log_name_counts n where n.connection_id = ${connection_id}`);
  return row.first;
};
