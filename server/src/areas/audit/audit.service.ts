// The audit log, for every room: what happened is recorded in the transaction that does it, so that neither exists
// without the other. Guards: rows are only added, hold no secret and are never larger than a few KiB.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';
import { insertAuditRows, type NewAuditRow } from './audit.queries.ts';
import type { AuditAction, AuditOutcome } from './audit-actions.ts';

export type { AuditAction, AuditOutcome } from './audit-actions.ts';

/** What is needed of a context; Ctx and PublicCtx are such. */
export interface AuditCtx {
  db: Db;
  clock: Clock;
  log: Log;
  /** Nobody, where the caller is not known. */
  principal?:
    | { user_id: number; username: string; via: { kind: 'session' | 'token' | 'system'; id: number } }
    | undefined;
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
  details?: { readonly [name: string]: AuditValue };
  /** How often it happened; once when absent. */
  occurrences?: number;
}

/** Somebody who is not a person: `system: cli`, `system: collector`, `system: server`. */
export function systemActor(name: 'cli' | 'collector' | 'server') {
  return { user_id: 0, username: `system: ${name}`, via: { kind: 'system', id: 0 } } as const;
}

const LONGEST_DETAILS = 8192;
const LONGEST_NAME = 255;

/** What cannot be stored: NUL, and halves of characters. Names come from people and servers. */
const storable = (text: string) => text.replaceAll('\0', ' ').toWellFormed();
const nameText = (text: string | undefined) =>
  text === undefined ? null : storable(text.slice(0, LONGEST_NAME));

/** Too much detail is replaced as a whole: half a JSON would say something else. */
function detailsText(details: AuditEntry['details'] = {}): string {
  const text = JSON.stringify(details, (_name, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
  return text.length <= LONGEST_DETAILS ? text : JSON.stringify({ omitted_characters: text.length });
}

function rowOf(ctx: AuditCtx, entry: AuditEntry): NewAuditRow {
  const { principal, origin } = ctx;
  const isSystem = principal?.via.kind === 'system';
  return {
    at: new Date(ctx.clock.now()).toISOString(),
    actor_id: isSystem ? null : (principal?.user_id ?? null),
    actor_name: nameText(principal?.username),
    via: principal?.via.kind ?? null,
    via_id: isSystem ? null : (principal?.via.id ?? null),
    address: origin?.address ?? null,
    request_id: origin?.request_id ?? null,
    action: entry.action,
    outcome: entry.outcome ?? 'ok',
    target_kind: entry.target?.kind ?? null,
    target_id: nameText(entry.target?.id?.toString()),
    target_name: nameText(entry.target?.name),
    details: detailsText(entry.details),
    occurrences: entry.occurrences ?? 1,
  };
}

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
  await insertAuditRows(ctx.db, [rowOf(ctx, entry)]);
}

/** The same for many at once, still in one statement. */
export async function recordAudits(ctx: AuditCtx, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await insertAuditRows(
    ctx.db,
    entries.map((entry) => rowOf(ctx, entry)),
  );
}
