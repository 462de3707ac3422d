// Stores what lines of a log held, whichever way they came. Guards: counts of a minute that is there already are added to it.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { CountRow, EventRow } from './log-rows.ts';

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
