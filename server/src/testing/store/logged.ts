// Counts and events of logs in a datastore, as the reader of logs stores them, and how reading is doing.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { Logged } from './log-case-rows.ts';

export interface LoggedAt {
  connection_id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export async function logged(
  db: Db,
  { connection_id, at }: LoggedAt,
  { class: name, events, severity = 'LOG', waited_ms }: Logged,
): Promise<void> {
  const time = new Date(at).toISOString();
  await db.run(sql`/* test.log_counts */
    insert into matriarch.log_counts as c
      (connection_id, minute, class, sqlstate, severity, database_name, events, kept)
    values (${connection_id}, date_trunc('minute', ${time}::timestamptz), ${name}, '', ${severity}, 'shop', ${events}, 0)
    on conflict (connection_id, minute, class, sqlstate, severity, database_name) do update
    set events = c.events + excluded.events`);
  if (waited_ms === undefined) return;
  await db.run(sql`/* test.log_events */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, is_cut
    )
    values (
      ${connection_id}, ${time}::timestamptz, ${name}, ${severity}, '', '', '', '', '', '', '', '', '', '',
      ${JSON.stringify({ waited_ms })}::jsonb, false
    )`);
}

export interface LookedAt extends LoggedAt {
  since?: number;
  /** Null: all was read. */
  until?: number | null;
  format?: string | null;
}

const DAYS_MS = 3 * 86_400_000;

/** The log was looked at then. */
export const looked = (
  db: Db,
  { connection_id, at, since = at - DAYS_MS, until = null, format = 'stderr' }: LookedAt,
) =>
  db.run(sql`/* test.log_sources */
    insert into matriarch.log_sources (connection_id, format, looked_at, reading_since, read_until)
    values (
      ${connection_id}, ${format}, ${new Date(at).toISOString()}::timestamptz, ${new Date(since).toISOString()}::timestamptz,
      ${until === null ? null : new Date(until).toISOString()}::timestamptz
    )
    on conflict (connection_id) do update
    set format = excluded.format, looked_at = excluded.looked_at, read_until = excluded.read_until,
      reading_since = excluded.reading_since`);
