// SQL of how fetching a password from its source went last.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface SourceReading {
  connection_id: number;
  password_source: string;
  /** Null: it went well. */
  problem: string | null;
}

export interface SourceState {
  read_at: string | null;
  failed_at: string | null;
  problem: string | null;
}

/** A connection that was deleted meanwhile is left out; what is known of another source is forgotten. */
export async function saveReading(db: Db, reading: SourceReading): Promise<void> {
  const { connection_id, password_source, problem } = reading;
  await db.run(sql`/* connections.save_source_reading */
    insert into matriarch.password_source_readings as r (connection_id, password_source, read_at, failed_at, problem)
    select
      c.id, ${password_source}::text, case when ${problem}::text is null then now() end,
      case when ${problem}::text is not null then now() end, ${problem}::text
    from matriarch.connections c
    where c.id = ${connection_id} and c.deleted_at is null and c.password_source = ${password_source}::text
    on conflict (connection_id) do update
    set password_source = excluded.password_source,
      read_at = coalesce(
        excluded.read_at, case when r.password_source = excluded.password_source then r.read_at end
      ),
      failed_at = coalesce(
        excluded.failed_at, case when r.password_source = excluded.password_source then r.failed_at end
      ),
      problem = excluded.problem`);
}

export function findReading(db: Db, connection_id: number): Promise<SourceState | undefined> {
  return db.maybe<SourceState>(sql`/* connections.source_reading */
    select r.read_at, r.failed_at, r.problem
    from matriarch.password_source_readings r
    join matriarch.connections c on c.id = r.connection_id and c.password_source = r.password_source
    where r.connection_id = ${connection_id}`);
}
