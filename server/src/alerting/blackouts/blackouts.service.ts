// The rules of blackouts. Guards: what somebody cannot see does not exist for them; one that is over stays as it was; every
// change is in the audit log.

import {
  type AuditAction,
  type AuditValue,
  type Ctx,
  demandConnections,
  inTransaction,
  recordAudit,
} from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { iso } from '../../kernel/times.ts';
import * as queries from './blackouts.queries.ts';
import type {
  Blackout,
  BlackoutCreateRequest,
  BlackoutList,
  BlackoutUpdateRequest,
} from './blackouts.schemas.ts';
import { auditTarget, demandChangeable, demandHeld, demandTarget, namedTarget, targetOf } from './targets.ts';

type View = Static<typeof Blackout>;

const NOT_FOUND = 'There is no such blackout.';

/** Milliseconds since the epoch of a time that a request holds or the datastore answers. */
const msOf = (time: string) => Temporal.Instant.from(time.toUpperCase()).epochMilliseconds;
const refuse = (sentence: string) => new Fault('bad_request', sentence);

function viewOf(row: queries.BlackoutRow, now: number): View {
  const { id, reason, start_time, end_time, created_by, created_at, schedule_id } = row;
  return {
    id,
    ...namedTarget(row),
    reason,
    start_time,
    end_time,
    created_by,
    created_at,
    is_active: msOf(start_time) <= now && now < msOf(end_time),
    ...(schedule_id !== null && { schedule_id }),
  };
}

const MOST_CONNECTIONS = 1000;
const MAX_ID = 2_147_483_647;

function idsOf(text: string | undefined): number[] | undefined {
  const ids = text === undefined ? undefined : [...new Set(text.split(',').map(Number))];
  if (ids?.some((one) => one < 1 || one > MAX_ID))
    throw refuse('covers_connection_ids must be ids with commas between, like 1,2,3.');
  if (ids && ids.length > MOST_CONNECTIONS)
    throw refuse(`covers_connection_ids may name at most ${MOST_CONNECTIONS} connections.`);
  return ids;
}

export type BlackoutListRequest = Omit<queries.BlackoutFilter, 'covers_any'> & {
  covers_connection_ids?: string | undefined;
};

export interface Page {
  limit: number;
  offset: number;
}

/** Those the caller can see, newest first. */
export async function listBlackouts(
  ctx: Ctx,
  asked: BlackoutListRequest,
  page: Page,
): Promise<Static<typeof BlackoutList>> {
  const covers_any = idsOf(asked.covers_connection_ids);
  const filter = { ...asked, covers_any };
  const named = [filter.connection_id, filter.covers_connection_id, ...(covers_any ?? [])];
  await demandConnections(
    ctx,
    named.filter((id) => id !== undefined),
  );
  const now = ctx.clock.now();
  const query = { principal: ctx.principal, filter, now: iso(now) };
  const [rows, total_count] = await Promise.all([
    queries.listRows(ctx.db, query, page),
    queries.countRows(ctx.db, query),
  ]);
  return { blackouts: rows.map((row) => viewOf(row, now)), total_count };
}

export async function getBlackout(ctx: Ctx, id: number): Promise<View> {
  const row = await queries.findRow(ctx.db, ctx.principal, id);
  if (!row) throw new Fault('not_found', NOT_FOUND);
  return viewOf(row, ctx.clock.now());
}

async function lock(tx: Ctx, id: number): Promise<queries.BlackoutRow> {
  const row = await queries.lockRow(tx.db, tx.principal, id);
  if (!row) throw new Fault('not_found', NOT_FOUND);
  await demandChangeable(tx, row);
  return row;
}

interface Act {
  action: AuditAction;
  row: queries.BlackoutRow;
  details?: { readonly [name: string]: AuditValue };
}

async function note(tx: Ctx, { action, row, details }: Act): Promise<void> {
  const { id, reason, start_time, end_time } = row;
  await recordAudit(tx, {
    action,
    target: { kind: 'blackout', id },
    details: { ...auditTarget(row), reason, start_time, end_time, ...details },
  });
}

/** The caller's permission has been checked. */
export async function createBlackout(ctx: Ctx, input: Static<typeof BlackoutCreateRequest>): Promise<View> {
  const now = ctx.clock.now();
  const target = targetOf(input);
  const [start, end] = [msOf(input.start_time), msOf(input.end_time)];
  if (end <= start) throw refuse('end_time must be after start_time.');
  if (end <= now) throw refuse('end_time must be in the future.');
  await demandTarget(ctx, target);
  return inTransaction(ctx, async (tx) => {
    await demandHeld(tx, target);
    const row = await queries.insertRow(tx.db, {
      ...target,
      reason: input.reason ?? '',
      start_time: iso(start),
      end_time: iso(end),
      created_by: ctx.principal.username,
      created_at: iso(now),
    });
    await note(tx, { action: 'blackout.create', row });
    return viewOf(row, now);
  });
}

/** The new end, or undefined where it stays; 400 before 409. */
function endOf(row: queries.BlackoutRow, end_time: string | undefined, now: number): number | undefined {
  if (end_time === undefined) return undefined;
  const end = msOf(end_time);
  if (end === msOf(row.end_time)) return undefined;
  if (end <= msOf(row.start_time)) throw refuse('end_time must be after start_time.');
  if (end <= now) throw refuse('end_time must be in the future; stop the blackout to end it now.');
  if (msOf(row.end_time) <= now)
    throw new Fault('conflict', 'This blackout is over, so its end stays. Create another one.');
  return end;
}

/** The caller's permission has been checked. */
export async function updateBlackout(
  ctx: Ctx,
  id: number,
  { reason, end_time }: Static<typeof BlackoutUpdateRequest>,
): Promise<View> {
  if (reason === undefined && end_time === undefined)
    throw refuse('Give at least one of reason and end_time.');
  const now = ctx.clock.now();
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id);
    const end = endOf(before, end_time, now);
    const row = await queries.updateRow(tx.db, {
      id,
      reason: reason ?? before.reason,
      end_time: end === undefined ? before.end_time : iso(end),
    });
    const changed = {
      ...(row.reason !== before.reason && { reason: before.reason }),
      ...(row.end_time !== before.end_time && { end_time: before.end_time }),
    };
    if (Object.keys(changed).length > 0)
      await note(tx, { action: 'blackout.change', row, details: { before: changed } });
    return viewOf(row, now);
  });
}

/** Its end is now. The caller's permission has been checked. */
export async function stopBlackout(ctx: Ctx, id: number): Promise<View> {
  const now = ctx.clock.now();
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id);
    if (msOf(before.start_time) > now)
      throw new Fault('conflict', 'This blackout has not started; delete it instead.');
    if (msOf(before.end_time) <= now) throw new Fault('conflict', 'This blackout is already over.');
    const row = await queries.updateRow(tx.db, { id, reason: before.reason, end_time: iso(now) });
    await note(tx, { action: 'blackout.stop', row, details: { before: { end_time: before.end_time } } });
    return viewOf(row, now);
  });
}

/** The caller's permission has been checked. */
export async function deleteBlackout(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const row = await lock(tx, id);
    await queries.deleteRow(tx.db, id);
    await note(tx, { action: 'blackout.delete', row });
  });
}
