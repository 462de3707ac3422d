// What is stored of a server for its context, as one statement.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { factInForce, factsInForce, newestRun, newestRuns } from '../../store/read/doors/relations.ts';

export interface ContextRow {
  name: string;
  server: {
    version: string | null;
    server_version_num: number | null;
    max_connections: number | null;
    data_directory: string | null;
  } | null;
  /** Null: no database's were read. */
  extensions: string[] | null;
  /** Null: they were not read. */
  settings: { name: string; setting: string | null; unit: string | null }[] | null;
  host: { kind: string; field?: string; value?: unknown }[] | null;
}

export function readContext(db: Db, connectionId: number): Promise<ContextRow> {
  return db.one<ContextRow>(sql`/* connections.context */
    select
      c.name,
      (select f.value from ${factInForce('pg_server_info')} f where f.connection_id = c.id) as server,
      case when exists (
        select from ${newestRuns} r
        where r.connection_id = c.id and r.probe = 'pg_extension' and r.collected_at is not null
      ) then array(
        select distinct (f.value ->> 'extname') collate "C"
        from ${factsInForce('pg_extension')} f
        where f.connection_id = c.id and f.database_name not in ('template0', 'template1')
        order by 1
      ) end as extensions,
      (
        select jsonb_agg(f.value order by f.item_key) filter (
          where f.value -> 'setting' is distinct from f.value -> 'boot_val'
        )
        from ${factsInForce('pg_settings')} f
        where f.connection_id = c.id
      ) as settings,
      (select r.rows from ${newestRun('host')} r where r.connection_id = c.id) as host
    from matriarch.connections c
    where c.id = ${connectionId}`);
}
