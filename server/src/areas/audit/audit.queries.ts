// SQL of the audit log. There is no statement that changes a row: the datastore would refuse it.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface NewAuditRow {
  at: string;
  actor_id: number | null;
  actor_name: string | null;
  via: string | null;
  via_id: number | null;
  address: string | null;
  request_id: string | null;
  action: string;
  outcome: string;
  target_kind: string | null;
  target_id: string | null;
  target_name: string | null;
  /** JSON text. */
  details: string;
  occurrences: number;
}

export async function insertAuditRows(db: Db, rows: readonly NewAuditRow[]): Promise<void> {
  await db.run(sql`/* audit.insert */
    insert into matriarch.audit_events (
      at, actor_id, actor_name, via, via_id, address, request_id, action, outcome,
      target_kind, target_id, target_name, details, occurrences
    )
    select
      e.at, e.actor_id, e.actor_name, e.via, e.via_id, e.address, e.request_id, e.action, e.outcome,
      e.target_kind, e.target_id, e.target_name, e.details::jsonb, e.occurrences
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (
      at timestamptz, actor_id integer, actor_name text, via text, via_id integer, address text, request_id text,
      action text, outcome text, target_kind text, target_id text, target_name text, details text, occurrences integer
    )`);
}
