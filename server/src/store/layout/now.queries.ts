// The time of the datastore, by which partitions and policies are judged.
import { sql } from '../../kernel/sql.ts';

export const datastoreNow = sql`
  /* store.now */
  select (extract(epoch from now()) * 1000)::bigint as now`;
