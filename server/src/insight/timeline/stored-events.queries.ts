// Events that are stored as such: of alerts and of blackouts, in one statement.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

export interface StoredParts {
  alerts: Sql;
  blackouts: Sql;
}

/** Rows of each part in its order, as JSON: times have an offset, and up to six digits of a second. */
export const readStored = <A, B>(
  db: Db,
  { alerts, blackouts }: StoredParts,
): Promise<{ alerts: A[]; blackouts: B[] }> =>
  db.one(sql`/* timeline.stored_events */
    select
      (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from (${alerts}) a) as alerts,
      (select coalesce(jsonb_agg(to_jsonb(b)), '[]') from (${blackouts}) b) as blackouts`);
