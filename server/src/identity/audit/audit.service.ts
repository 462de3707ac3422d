// The audit log, for every room: what happened is recorded in the transaction that does it, so that neither exists
// without the other. Guards: rows are only added, hold no secret and are never larger than a few KiB.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Ctx, ViaKind } from '../access/principal.ts';
import * as queries from './audit.queries.ts';
import type { AuditAction, AuditOutcome } from './audit-actions.ts';
import { auditRow } from './audit-row.ts';

export type { AuditEvent } from './audit.queries.ts';

export { AUDIT_OUTCOMES, type AuditAction, type AuditOutcome } from './audit-actions.ts';

/** What is needed of a context; Ctx and PublicCtx are such. */
export interface AuditCtx {
  db: Db;
  clock: Clock;
  log: Log;
  /** Nobody, where the caller is not known. */
  principal?: { user_id: number; username: string; via: { kind: ViaKind; id: number } } | undefined;
  /** Absent for what the program does by itself. */
  origin?: { address: string; request_id: string } | undefined;
}

export type AuditValue =
  | string
  | number
  | boolean
  | null
  | readonly AuditValue[]
  | { readonly [name: string]: AuditValue };

export interface AuditEntry {
  action: AuditAction;
  /** `ok` when absent. */
  outcome?: AuditOutcome;
  /** What it was done to, with the name it had then. */
  target?: { kind: string; id?: number | string; name?: string };
  /** What was changed or granted, or why it was refused. Never a secret: a Secret is not an AuditValue. */
  details?: { readonly [name: string]: AuditValue | undefined };
  /** How often it happened; once when absent. */
  occurrences?: number;
}

/** Somebody who is not a person: `system: cli`, `system: collector`, `system: server`. */
export function systemActor(name: 'cli' | 'collector' | 'server') {
  return { user_id: 0, username: `system: ${name}`, via: { kind: 'system', id: 0 } } as const;
}

/** The same with every right, for work of the program itself. */
export const systemPrincipal = (name: 'cli' | 'server') => ({
  ...systemActor(name),
  is_superuser: true,
  admin_permissions: ['*'],
  scope: undefined,
});

/**
 * Records what is done, in the transaction of `ctx.db` if it is one: call it anywhere inside, the row is sealed at
 * commit. One statement.
 * @example
 * await inTransaction(ctx, async (tx) => {
 *   await addMember(tx.db, …);
 *   await recordAudit(tx, { action: 'group.add_member', target: { kind: 'group', id, name }, details: { user_id } });
 * });
 */
export async function recordAudit(ctx: AuditCtx, entry: AuditEntry): Promise<void> {
  await queries.insertAuditRows(ctx.db, [auditRow(ctx, entry, ctx.clock.now())]);
}

/** The same for many at once, still in one statement. */
export async function recordAudits(ctx: AuditCtx, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await queries.insertAuditRows(
    ctx.db,
    entries.map((entry) => auditRow(ctx, entry, ctx.clock.now())),
  );
}

export interface AuditPage {
  events: queries.AuditEvent[];
  total_count: number;
}

function demandPeriod({ start_time, end_time }: Pick<queries.AuditFilter, 'start_time' | 'end_time'>): void {
  if (start_time !== undefined && end_time !== undefined && Date.parse(start_time) >= Date.parse(end_time))
    throw new Fault('bad_request', 'start_time must be before end_time.');
}

async function list(db: Db, query: queries.AuditQuery): Promise<AuditPage> {
  demandPeriod(query.filter);
  const [events, total_count] = await Promise.all([
    queries.selectAuditEvents(db, query),
    queries.countAuditEvents(db, query),
  ]);
  return { events, total_count };
}

/**
 * What fits the filter, newest first. The caller's permission has been checked. Of rows about something that the caller
 * cannot see only who, what and when is told, and a filter by anything else does not find them.
 */
export function listAuditEvents(ctx: Ctx, filter: queries.AuditFilter): Promise<AuditPage> {
  return list(ctx.db, { filter, reader: ctx.principal });
}

/** All of it, for the command line: whoever has the datastore can read it anyway. */
export function listAllAuditEvents(db: Db, filter: queries.AuditFilter): Promise<AuditPage> {
  return list(db, { filter, reader: undefined });
}
