// The statement that reads what is kept of what runs out, for metrics that say in how many days.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { DatedKind } from '../../probes/metric-types.ts';

export interface DaysLeftRow {
  connection_id: number;
  /** When it was found, in milliseconds since the epoch. */
  found_at: number;
  /** Null, as all that follows: there is nothing of these kinds on the server. */
  kind: DatedKind | null;
  database_name: string | null;
  object: string | null;
  used: number | null;
  limited_by: string | null;
  state: 'runs_out' | 'not_growing' | 'unknown' | null;
  /** Milliseconds since the epoch. */
  ends_at: number | null;
  earliest: number | null;
  latest: number | null;
  reason: string | null;
}

/** Of servers for which it was never found there is nothing. */
export const keptDaysLeft = (connection_ids: readonly number[], kinds: readonly DatedKind[]): Sql => sql`
  /* store.days_left */
  select
    r.connection_id, (extract(epoch from r.made_at) * 1000)::double precision as found_at,
    i.kind, i.database_name, i.object, i.used, i.limited_by, t.state, t.at as ends_at, t.earliest, t.latest, t.reason
  from matriarch.runway r
  left join lateral (
    select i.*
    from jsonb_to_recordset(r.items) as i (
      kind text, database_name text, object text, used double precision, limited_by text, trend jsonb
    )
    where i.kind = any (${kinds}::text[])
  ) i on true
  left join lateral jsonb_to_record(i.trend) as t (
    state text, at double precision, earliest double precision, latest double precision, reason text
  ) on true
  where r.connection_id = any (${connection_ids}::integer[])`;
