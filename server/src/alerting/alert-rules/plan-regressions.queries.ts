// The statement that reads which plans are slower than those before, as it was found last.
import { type Sql, sql } from '../../kernel/sql.ts';

export interface KeptRegression {
  database_name: string;
  /** Or `text:` and a hash of the statement, where the log does not say it. */
  queryid: string;
  /** Milliseconds since the epoch. */
  since: number;
  runs: number;
  mean_ms: number;
  before_mean_ms: number;
  /** What changed before, a line each. */
  changes: readonly string[];
}

export interface KeptRegressions {
  connection_id: number;
  /** Milliseconds since the epoch. */
  at: number;
  items: readonly KeptRegression[];
}

export const keptRegressions = (connection_ids: readonly number[]): Sql => sql`
  /* store.plan_regressions */
  select r.connection_id, (extract(epoch from r.made_at) * 1000)::double precision as at, r.items
  from matriarch.plan_regressions r
  where r.connection_id = any (${connection_ids}::integer[])`;

export const loggedPlansOf = (connection_id: number): Sql => sql`
  /* store.has_logged_plans */
  select
    exists (
      select 1 from matriarch.query_plans p where p.connection_id = ${connection_id} and p.logged > 0
    ) as has_plans,
    exists (
      select 1 from matriarch.plan_counters c
      where c.connection_id = ${connection_id} and c.read_at > now() - interval '1 day'
    ) as is_counted`;
