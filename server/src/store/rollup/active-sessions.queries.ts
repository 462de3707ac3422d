// Rolling up active sessions: the class of wait of each combination, and the spans by class.
import { identifier, type Sql, sql } from '../../kernel/sql.ts';

export interface ClassRow {
  /** `CPU`: on the processor, or ready for it. */
  wait_class: string;
  ids: string;
}

/** The class of wait of these combinations; those that are not active are left out. */
export const waitClasses = (connectionId: number, ids: readonly number[]): Sql => sql`
  /* store.wait_classes */
  select coalesce(o.key ->> 'wait_event_type', 'CPU') as wait_class, array_agg(o.object_id)::text as ids
  from metrics.objects o
  where o.connection_id = ${connectionId}
    and o.object_id = any (${ids}::integer[])
    and o.kind = 'pg_active_sessions'
    and o.key ->> 'state' = 'active'
  group by 1`;

export interface ClassSpan {
  /** Milliseconds since the epoch at which it begins. */
  at: number;
  covered_seconds: number;
  wait_classes: string[];
  /** Sessions × seconds, by class. */
  session_seconds: number[];
}

export const putClassSpans = (
  table: string,
  connectionId: number,
  spans: readonly (ClassSpan & { runs: number })[],
): Sql => sql`
  /* store.put_class_spans */
  insert into metrics.${identifier(table)} (
    connection_id, database_name, collected_at, runs, covered_seconds, wait_classes, session_seconds
  )
  select
    ${connectionId}::integer, '', i.collected_at, i.runs, i.covered_seconds,
    array(select jsonb_array_elements_text(i.spent -> 0)),
    array(select e::double precision from jsonb_array_elements_text(i.spent -> 1) e)
  from unnest(
    ${spans.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
    ${spans.map(({ runs }) => runs)}::integer[],
    ${spans.map(({ covered_seconds }) => covered_seconds)}::double precision[],
    ${spans.map(({ wait_classes, session_seconds }) => JSON.stringify([wait_classes, session_seconds]))}::jsonb[]
  ) as i (collected_at, runs, covered_seconds, spent)`;
