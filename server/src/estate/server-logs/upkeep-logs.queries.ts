// Events of the upkeep of one server out of its log: their figures, and no texts. Guards: what is read is bounded by a window and a limit.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Figures } from '../../logs/types.ts';
import { factsInForce } from '../../store/read/doors/relations.ts';

interface UpkeepWindow {
  readonly connection_id: number;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly classes: readonly string[];
}

export interface UpkeepRow {
  id: string;
  occurred_at: string;
  class: string;
  relation_name: string | null;
  figures: Figures;
}

interface UpkeepFilter extends UpkeepWindow {
  readonly table?: string | undefined;
  /** Part of the table's name. */
  readonly search?: string | undefined;
  readonly limit: number;
}

const at = (ms: number): Sql => sql`to_timestamp(${ms / 1000}::float8)`;

export const upkeepEvents = (db: Db, filter: UpkeepFilter): Promise<UpkeepRow[]> =>
  db.rows<UpkeepRow>(sql`/* server_logs.upkeep */
    select e.id::text as id, e.occurred_at, e.class, e.relation_name, e.figures
    from matriarch.log_events e
    where e.connection_id = ${filter.connection_id}
      and e.occurred_at >= ${at(filter.from)} and e.occurred_at < ${at(filter.to)}
      and e.class = any(${filter.classes}::text[])
      and (${filter.table ?? null}::text is null or e.relation_name = ${filter.table ?? null})
      and (${filter.search ?? null}::text is null or position(lower(${filter.search ?? ''}) in lower(e.relation_name)) > 0)
    order by e.occurred_at desc, e.id desc
    limit ${filter.limit}`);

/** Of whole minutes, by class. */
export const upkeepCounts = (db: Db, { connection_id, from, to, classes }: UpkeepWindow) =>
  db.rows<{ events: number; kept: number }>(sql`/* server_logs.upkeep_counts */
    select sum(c.events)::bigint as events, sum(c.kept)::bigint as kept
    from matriarch.log_counts c
    where c.connection_id = ${connection_id} and c.minute >= date_trunc('minute', ${at(from)}) and c.minute < ${at(to)}
      and c.class = any(${classes}::text[])
    group by c.class`);

/** As it is now; undefined where it was never read. */
export const settingOf = async (db: Db, connection_id: number, name: string): Promise<string | undefined> =>
  (
    await db.maybe<{ setting: string | null }>(sql`/* server_logs.setting */
      select f.value ->> 'setting' as setting
      from ${factsInForce('pg_settings')} f
      where f.connection_id = ${connection_id} and f.database_name = '' and f.item_key = ${name}`)
  )?.setting ?? undefined;
