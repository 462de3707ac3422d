// Deletes the rollups of a time before they are made again.
import { type Sql, sql, timeOf } from '../../kernel/sql.ts';
import type { Slice } from '../format/stored-rows.queries.ts';
import { table } from '../layout/table-layout.ts';

export const deleteRollups = (name: string, { connection_id, database_name, from, to }: Slice): Sql => sql`
  /* store.delete_rollups */
  delete from ${table(name)} r
  where r.connection_id = ${connection_id}
    and r.database_name = ${database_name}
    and r.collected_at >= ${timeOf(from)}
    and r.collected_at < ${timeOf(to)}`;
