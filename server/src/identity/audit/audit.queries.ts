// SQL of the audit log. There is no statement that changes a row: the datastore would refuse it.
import type { Db } from '../../kernel/db.ts';
import { join, type Sql, sql } from '../../kernel/sql.ts';
import type { Principal, ViaKind } from '../access/principal.ts';
import { isHidden, seenBy, seesEverything } from './visibility.queries.ts';

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
  via: ViaKind | null;
  via_id: number | null;
  address: string | null;
  request_id: string | null;
  action: string;
  outcome: 'ok' | 'refused' | 'failed' | null;
  target_kind: string | null;
  target_id: string | null;
  target_name: string | null;
  details: Record<string, unknown>;
  occurrences: number | null;
  hash: string | null;
  /** True where all but who, what and when was left out. */
  hidden: boolean;
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

/** Whether rows are looked for by what is left out of those that are hidden. */
const asksForHidden = ({ outcome, target_kind, target_id }: AuditFilter) =>
  outcome !== undefined || target_kind !== undefined || target_id !== undefined;

function conditions(filter: AuditFilter): Sql[] {
  const all: Sql[] = [sql`e.id is not null`];
  if (filter.start_time !== undefined) all.push(sql`e.at >= ${filter.start_time}::timestamptz`);
  if (filter.end_time !== undefined) all.push(sql`e.at < ${filter.end_time}::timestamptz`);
  if (filter.actor_id !== undefined) all.push(sql`e.actor_id = ${filter.actor_id}::integer`);
  if (filter.actor !== undefined) all.push(sql`lower(e.actor_name) = lower(${filter.actor})`);
  if (filter.action !== undefined) all.push(sql`e.action = ${filter.action}`);
  if (filter.outcome !== undefined) all.push(sql`e.outcome = ${filter.outcome}`);
  if (filter.target_kind !== undefined) all.push(sql`e.target_kind = ${filter.target_kind}`);
  if (filter.target_id !== undefined) all.push(sql`e.target_id = ${filter.target_id}`);
  return all;
}

/** Rows as somebody may see them; `reader` undefined: whoever has the datastore itself. */
export interface AuditQuery {
  filter: AuditFilter;
  reader: Principal | undefined;
}

/** What precedes the statement, what is hidden, and which rows fit. */
function partsOf({ filter, reader }: AuditQuery): { before: Sql; hidden: Sql; fits: Sql } {
  const wanted = conditions(filter);
  if (!reader || seesEverything(reader))
    return { before: sql``, hidden: sql`false`, fits: join(wanted, sql` and `) };
  if (asksForHidden(filter)) wanted.push(sql`not ${isHidden}`);
  return { before: seenBy(reader), hidden: isHidden, fits: join(wanted, sql` and `) };
}

export function selectAuditEvents(db: Db, query: AuditQuery): Promise<AuditEvent[]> {
  const { before, hidden, fits } = partsOf(query);
  return db.rows<AuditEvent>(sql`/* audit.list */
    ${before}
    select
      e.id, e.at, e.actor_id, e.actor_name, e.action, h.hidden,
      case when not h.hidden then e.via end as via,
      case when not h.hidden then e.via_id end as via_id,
      case when not h.hidden then e.address end as address,
      case when not h.hidden then e.request_id end as request_id,
      case when not h.hidden then e.outcome end as outcome,
      case when not h.hidden then e.target_kind end as target_kind,
      case when not h.hidden then e.target_id end as target_id,
      case when not h.hidden then e.target_name end as target_name,
      case when h.hidden then '{}'::jsonb else e.details end as details,
      case when not h.hidden then e.occurrences end as occurrences,
      case when not h.hidden then encode(e.hash, 'hex') end as hash
    from (
      select e.*
      from matriarch.audit_events e
      where ${fits}
      order by e.at desc, e.id desc
      limit ${query.filter.limit} offset ${query.filter.offset}
    ) e
    cross join lateral (select ${hidden} as hidden) h
    order by e.at desc, e.id desc`);
}

export async function countAuditEvents(db: Db, query: AuditQuery): Promise<number> {
  const { before, fits } = partsOf(query);
  const { count } = await db.one<{ count: number }>(sql`/* audit.count */
    ${before}
    select count(*) as count
    from matriarch.audit_events e
    where ${fits}`);
  return count;
}
