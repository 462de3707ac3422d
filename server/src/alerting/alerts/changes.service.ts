// What the alerter reads of alerts before it judges, and how it writes what a round changed: all of it in one transaction, with
// its notifications. Guards: whoever has lost the lease writes nothing.

import { type Ctx, inTransaction } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { SILENT_SECONDS } from '../alert-rules/judge.service.ts';
import type { QueueOptions } from '../notification-channels/outbox.service.ts';
import { queueChanges, type Written } from './alert-notifications.service.ts';
import { SEVERITIES } from './alerts.schemas.ts';
import { type AlertKey, keyText } from './alerts.types.ts';
import {
  type ClearedAlert,
  clearAlerts,
  dropCauses,
  dropPending,
  type FiredAlert,
  forgetCleared,
  holdLease,
  type Inserted,
  insertFired,
  listMutes,
  listOpen,
  listPending,
  type MuteRow,
  markCauses,
  type OpenRow,
  type PendingRow,
  savePending,
  type UpdatedAlert,
  updateOpen,
} from './changes.queries.ts';
import { type ReopenedAlert, reopenAlerts } from './reopen.queries.ts';
import {
  type AudienceRow,
  listAudiences,
  listClusterMembers,
  listUnreachableMembers,
  listUpstreams,
  listWatched,
  type WatchedRow,
} from './watched.queries.ts';

export type {
  AudienceRow,
  ClearedAlert,
  FiredAlert,
  OpenRow,
  PendingRow,
  ReopenedAlert,
  UpdatedAlert,
  WatchedRow,
};
export { listAudiences, listClusterMembers, listUnreachableMembers, listUpstreams };

const KEPT_DAYS = 90;
const MOST_FORGOTTEN = 10_000;

export interface OpenState {
  watched: WatchedRow[];
  /** Open, or cleared a moment ago. */
  alerts: OpenRow[];
  pending: PendingRow[];
  mutes: MuteRow[];
}

/** Four statements. */
export async function readOpenState(db: Db): Promise<OpenState> {
  return {
    watched: await listWatched(db),
    alerts: await listOpen(db, SILENT_SECONDS),
    pending: await listPending(db),
    mutes: await listMutes(db),
  };
}

export interface AlertChanges {
  fired: FiredAlert[];
  /** Alerts that cleared a moment ago and are the same incident still. */
  reopened: ReopenedAlert[];
  updated: UpdatedAlert[];
  cleared: ClearedAlert[];
  pending: PendingRow[];
  /** Conditions that are met no more, or that have become alerts. */
  pendingEnded: AlertKey[];
  /** Of alerts that fired or are open: the key of the alert that each follows from. */
  causes: { of: AlertKey; cause: AlertKey }[];
  /** Open alerts that have outlived what they followed from. */
  released: number[];
}

export const isNothing = (changes: AlertChanges): boolean =>
  Object.values(changes).every((list) => list.length === 0);

interface WrittenAlerts extends Written {
  fired: readonly Inserted[];
}

export interface Lease {
  name: string;
  epoch: number;
}

async function mark(
  db: Db,
  { causes }: AlertChanges,
  { open: before, fired }: { open: readonly OpenRow[]; fired: readonly Inserted[] },
): Promise<void> {
  if (causes.length === 0) return;
  const open = before.filter(({ status }) => status !== 'cleared');
  const ids = new Map([...open, ...fired].map((one) => [keyText(one), one.id]));
  const marked = causes.flatMap(({ of, cause }) => {
    const [id, cause_id] = [ids.get(keyText(of)), ids.get(keyText(cause))];
    return id === undefined || cause_id === undefined ? [] : [{ id, cause_id }];
  });
  if (marked.length > 0) await markCauses(db, marked);
}

/** Undefined when somebody else has the lease by now. */
export function writeChanges(
  ctx: Ctx,
  changes: AlertChanges,
  by: QueueOptions & { lease: Lease; open: readonly OpenRow[] },
): Promise<WrittenAlerts | undefined> {
  return inTransaction(ctx, async (tx) => {
    const { db } = tx;
    if (!(await holdLease(db, by.lease))) return undefined;
    const { updated, pendingEnded, pending } = changes;
    if (pendingEnded.length > 0) await dropPending(db, pendingEnded);
    if (pending.length > 0) await savePending(db, pending);
    const changed = updated.length > 0 ? await updateOpen(db, updated) : [];
    const worse = changed.filter(
      ({ severity, severity_before }) => SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(severity_before),
    );
    const cleared = changes.cleared.length > 0 ? await clearAlerts(db, changes.cleared) : [];
    const made = changes.fired.length > 0 ? await insertFired(db, changes.fired) : [];
    const again = changes.reopened.length > 0 ? await reopenAlerts(db, changes.reopened) : [];
    const fired = [...made, ...again];
    await mark(db, changes, { open: by.open, fired });
    const freed = changes.released.length > 0 ? await dropCauses(db, changes.released) : [];
    const released = freed.filter(({ is_acknowledged }) => !is_acknowledged);
    const written = { fired, cleared, worse, released };
    // What has to be sent goes with what is written, or neither does.
    await queueChanges(tx, written, by);
    return written;
  });
}

/** What has been cleared for 90 days is forgotten, some at a time; answers how many. */
export const forgetOldAlerts = (db: Db): Promise<number> => forgetCleared(db, KEPT_DAYS, MOST_FORGOTTEN);
