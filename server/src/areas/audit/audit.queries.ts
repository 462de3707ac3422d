// SQL of the audit log. There is no statement that changes a row: the datastore would refuse it.
import type { Db } from '../../kernel/db.ts';
import { join, type Sql, sql } from '../../kernel/sql.ts';

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

export interface AuditEvent {
  id: number;
  at: string;
  actor_id: number | null;
  actor_name: string | null;
  via: 'session' | 'token' | 'system' | null;
  via_id: number | null;
  address: string | null;
  request_id: string | null;
  action: string;
  outcome: 'ok' | 'refused' | 'failed';
  target_kind: string | null;
  target_id: string | null;
  target_name: string | null;
  details: Record<string, unknown>;
  occurrences: number;
  hash: string;
}

export interface AuditFilter {
  start_time?: string | undefined;
  end_time?: string | undefined;
  actor_id?: number | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  outcome?: string | undefined;
  target_kind?: string | undefined;
  target_id?: string | undefined;
  limit: number;
  offset: number;
}

function conditions(filter: AuditFilter): Sql {
  const all: Sql[] = [sql`e.id is not null`];
  if (filter.start_time !== undefined) all.push(sql`e.at >= ${filter.start_time}::timestamptz`);
  if (filter.end_time !== undefined) all.push(sql`e.at < ${filter.end_time}::timestamptz`);
  if (filter.actor_id !== undefined) all.push(sql`e.actor_id = ${filter.actor_id}::integer`);
  if (filter.actor !== undefined) all.push(sql`lower(e.actor_name) = lower(${filter.actor})`);
  if (filter.action !== undefined) all.push(sql`e.action = ${filter.action}`);
  if (filter.outcome !== undefined) all.push(sql`e.outcome = ${filter.outcome}`);
  if (filter.target_kind !== undefined) all.push(sql`e.target_kind = ${filter.target_kind}`);
  if (filter.target_id !== undefined) all.push(sql`e.target_id = ${filter.target_id}`);
  return join(all, sql` and `);
}

export function selectAuditEvents(db: Db, filter: AuditFilter): Promise<AuditEvent[]> {
  return db.rows<AuditEvent>(sql`/* audit.list */
    select
      e.id, e.at, e.actor_id, e.actor_name, e.via, e.via_id, e.address, e.request_id, e.action, e.outcome,
      e.target_kind, e.target_id, e.target_name, e.details, e.occurrences, encode(e.hash, 'hex') as hash
    from matriarch.audit_events e
    where ${conditions(filter)}
    order by e.id desc
    limit ${filter.limit} offset ${filter.offset}`);
}

export async function countAuditEvents(db: Db, filter: AuditFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`/* audit.count */
    select count(*) as count
    from matriarch.audit_events e
    where ${conditions(filter)}`);
  return count;
}
