// Stores what lines of a log held, whichever way they came. Guards: counts of a minute that is there already are added to it.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { CountRow, EventRow, NameCount } from './log-rows.ts';

export const addCounts = (db: Db, connection_id: number, rows: readonly CountRow[]): Promise<number> =>
  db.run(sql`/* logs.add_counts */
    insert into matriarch.log_counts as c
      (connection_id, minute, class, sqlstate, severity, database_name, events, kept)
    select
      ${connection_id}::int, to_timestamp(r.minute / 1000), r.class, r.sqlstate, r.severity, r.database_name, r.events, r.kept
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
      minute float8, class text, sqlstate text, severity text, database_name text, events bigint, kept bigint
    )
    on conflict (connection_id, minute, class, sqlstate, severity, database_name) do update
    set events = c.events + excluded.events, kept = c.kept + excluded.kept`);

/** Of a kind in one slot; what more there are is counted together. */
const MOST_NAMES = 100;

export const addNames = (db: Db, connection_id: number, rows: readonly NameCount[]): Promise<number> =>
  db.run(sql`/* logs.add_names */
    with said as (
      select
        to_timestamp(r.slot / 1000) as slot, r.kind, r.name, r.events, r.errors,
        k.name is not null as is_known
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
        slot float8, kind text, name text, events bigint, errors bigint
      )
      left join matriarch.log_name_counts k
        on k.connection_id = ${connection_id}::int and k.slot = to_timestamp(r.slot / 1000) and k.kind = r.kind
          and k.name = r.name
    ),
    ranked as (
      select
        s.*,
        row_number() over (partition by s.slot, s.kind, s.is_known order by s.events desc, s.name) + (
          select count(*)
          from matriarch.log_name_counts c
          where c.connection_id = ${connection_id}::int and c.slot = s.slot and c.kind = s.kind
        ) as place
      from said s
    )
    insert into matriarch.log_name_counts as c (connection_id, slot, kind, name, events, errors)
    select ${connection_id}::int, r.slot, r.kind, n.name, sum(r.events), sum(r.errors)
    from ranked r
    cross join lateral (
      select case when r.is_known or r.place <= ${MOST_NAMES}::int then r.name else '(others)' end as name
    ) n
    group by r.slot, r.kind, n.name
    order by r.slot, r.kind, n.name
    on conflict (connection_id, slot, kind, name) do update
    set events = c.events + excluded.events, errors = c.errors + excluded.errors`);

export const addEvents = (db: Db, connection_id: number, rows: readonly EventRow[]): Promise<number> =>
  db.run(sql`/* logs.add_events */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      queryid, message, detail, hint, context, statement, figures, relation_name, is_cut, has_words
    )
    select
      ${connection_id}::int, to_timestamp(r.occurred_at / 1000), r.class, r.severity, r.sqlstate, r.database_name, r.user_name,
      r.application_name, r.process_id, r.queryid, r.message, r.detail, r.hint, r.context, r.statement, r.figures,
      r.relation_name, r.is_cut, true
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
      occurred_at float8, class text, severity text, sqlstate text, database_name text, user_name text,
      application_name text, process_id text, queryid text, message text, detail text, hint text, context text, statement text,
      figures jsonb, relation_name text, is_cut boolean
    )`);
