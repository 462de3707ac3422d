// What has to be known of a connection before the samples of one instant are read: which probes keep any and for how long,
// how often they ran, and how the newest run of each ended.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Row } from '../../store/layout/types.ts';
import { everyFact, newestRuns } from '../../store/read/doors/relations.ts';

export interface MomentPlanRow {
  part: 'table' | 'packed' | 'interval' | 'run';
  probe: string;
  /** Milliseconds since the epoch: of an interval since when, of a run when its rows were collected. */
  at: number | null;
  /** Of a table how many days it is kept, of an interval its seconds, of a run how many rows there were. */
  figure: number | null;
  outcome: 'ran' | 'skipped' | 'failed' | null;
  reason: string | null;
}

const time = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
const epoch = (moment: Sql) => sql`(extract(epoch from ${moment}) * 1000)::double precision`;

export const momentPlan = (connectionId: number, probes: readonly string[]): Sql => sql`
  /* store.moment_plan */
  select
    'table' as part, m.probe, null::double precision as at,
    coalesce(m.longest_retention_days, m.retention_days)::double precision as figure, null::text as outcome,
    null::text as reason
  from matriarch.metric_tables m
  where m.probe = any (${probes}::text[])
  union all
  select 'packed', t.probe, null, null, null, null
  from matriarch.tier_tables t
  where t.tier = 'packed' and t.probe = any (${probes}::text[])
  union all
  select 'interval', x.probe, ${epoch(sql`x.since`)}, x.interval_seconds, null, null
  from matriarch.interval_changes x
  where x.connection_id = ${connectionId} and x.probe = any (${probes}::text[])
  union all
  select 'run', s.probe, ${epoch(sql`s.collected_at`)}, s.row_count, s.outcome, s.reason
  from ${newestRuns} s
  where s.connection_id = ${connectionId} and s.probe = any (${probes}::text[]) and s.database_name = ''`;

export interface MomentFact {
  part: 'first' | 'run' | 'item';
  probe: string;
  /** Milliseconds since the epoch: of the first reading ever, of the newest one, or since when the item is so. */
  at: number | null;
  reason: string | null;
  value: Row | null;
}

const FACTS = sql`('pg_server_info', 'pg_settings')`;

/** Who the server was, and which of its settings differed from the default, at most `most` of them. */
export const momentFacts = (of: { connection_id: number; at: number; most: number }): Sql => sql`
  /* store.moment_facts */
  select 'first' as part, f.probe, ${epoch(sql`min(f.valid_from)`)} as at, null::text as reason, null::jsonb as value
  from ${everyFact} f
  where f.connection_id = ${of.connection_id} and f.probe in ${FACTS} and f.database_name = ''
  group by f.probe
  union all
  select 'run', s.probe, ${epoch(sql`s.collected_at`)}, s.reason, null
  from ${newestRuns} s
  where s.connection_id = ${of.connection_id} and s.probe in ${FACTS} and s.database_name = ''
  union all
  (
    select
      'item', f.probe, ${epoch(sql`f.valid_from`)}, null,
      case
        when f.probe = 'pg_settings' then jsonb_build_object(
          'name', f.value -> 'name', 'setting', f.value -> 'setting', 'unit', f.value -> 'unit', 'source', f.value -> 'source'
        )
        else f.value
      end
    from ${everyFact} f
    where f.connection_id = ${of.connection_id}
      and f.probe in ${FACTS}
      and f.database_name = ''
      and f.valid_from <= ${time(of.at)}
      and (f.valid_to is null or f.valid_to > ${time(of.at)})
      and (f.probe <> 'pg_settings' or f.value -> 'setting' is distinct from f.value -> 'boot_val')
    order by f.probe, f.item_key collate "C"
    limit ${of.most}
  )`;
