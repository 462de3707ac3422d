// What a round of the alerter changes, and how it is written: all of it in one transaction, with its notifications. Guards: whoever has
// lost the lease writes nothing.

import { type Ctx, inTransaction } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import type { Verdict } from '../alert-rules/judge.service.ts';
import { SEVERITIES } from '../alerts/alerts.schemas.ts';
import type { AlertKey } from '../alerts/alerts.types.ts';
import { type QueueOptions, queueChanges, type Written } from '../alerts/outbox.service.ts';
import * as queries from './changes.queries.ts';
import { keyText } from './open-alerts.ts';
import type { OpenRow, PendingRow } from './state.queries.ts';

const KEPT_DAYS = 90;
const MOST_FORGOTTEN = 10_000;

export interface AlertChanges {
  fired: queries.FiredAlert[];
  /** Alerts that cleared a moment ago and are the same incident still. */
  reopened: queries.ReopenedAlert[];
  updated: queries.UpdatedAlert[];
  cleared: queries.ClearedAlert[];
  pending: PendingRow[];
  /** Conditions that are met no more, or that have become alerts. */
  pendingEnded: AlertKey[];
  /** Of alerts that fired or are open: the key of the alert that each follows from. */
  causes: { of: AlertKey; cause: AlertKey }[];
  /** Open alerts that have outlived what they followed from. */
  released: number[];
}

export const noChanges = (): AlertChanges => ({
  fired: [],
  reopened: [],
  updated: [],
  cleared: [],
  pending: [],
  pendingEnded: [],
  causes: [],
  released: [],
});

export const isNothing = (changes: AlertChanges): boolean =>
  Object.values(changes).every((list) => list.length === 0);

/** What a verdict means for an alert that is open. A sample that does not meet the condition leaves its words as they are. */
export function applyToOpen(
  { cleared, updated }: AlertChanges,
  { id, ...open }: OpenRow,
  of: { verdict: Verdict; fields: Omit<queries.UpdatedAlert, 'id' | 'well_samples'>; message?: string },
): void {
  const { verdict, fields, message = null } = of;
  if (verdict === 'cleared') cleared.push({ id, message });
  if (verdict === 'firing') updated.push({ ...fields, id, well_samples: 0 });
  if (verdict !== 'recovering') return;
  const metric_value = fields.metric_value ?? open.metric_value;
  const well_samples = open.well_samples + 1;
  updated.push({ ...fields, id, title: null, description: null, metric_value, well_samples });
}

interface WrittenAlerts extends Written {
  fired: readonly queries.Inserted[];
}

export interface Lease {
  name: string;
  epoch: number;
}

async function mark(
  db: Db,
  { causes }: AlertChanges,
  { open: before, fired }: { open: readonly OpenRow[]; fired: readonly queries.Inserted[] },
): Promise<void> {
  if (causes.length === 0) return;
  const open = before.filter(({ status }) => status !== 'cleared');
  const ids = new Map([...open, ...fired].map((one) => [keyText(one), one.id]));
  const marked = causes.flatMap(({ of, cause }) => {
    const [id, cause_id] = [ids.get(keyText(of)), ids.get(keyText(cause))];
    return id === undefined || cause_id === undefined ? [] : [{ id, cause_id }];
  });
  if (marked.length > 0) await queries.markCauses(db, marked);
}

/** Undefined when somebody else has the lease by now. */
export function writeChanges(
  ctx: Ctx,
  changes: AlertChanges,
  by: QueueOptions & { lease: Lease; open: readonly OpenRow[] },
): Promise<WrittenAlerts | undefined> {
  return inTransaction(ctx, async (tx) => {
    const { db } = tx;
    if (!(await queries.holdLease(db, by.lease))) return undefined;
    const { updated, pendingEnded, pending } = changes;
    if (pendingEnded.length > 0) await queries.dropPending(db, pendingEnded);
    if (pending.length > 0) await queries.savePending(db, pending);
    const changed = updated.length > 0 ? await queries.updateOpen(db, updated) : [];
    const worse = changed.filter(
      ({ severity, severity_before }) => SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(severity_before),
    );
    const cleared = changes.cleared.length > 0 ? await queries.clearAlerts(db, changes.cleared) : [];
    const made = changes.fired.length > 0 ? await queries.insertFired(db, changes.fired) : [];
    const again = changes.reopened.length > 0 ? await queries.reopenAlerts(db, changes.reopened) : [];
    const fired = [...made, ...again];
    await mark(db, changes, { open: by.open, fired });
    const freed = changes.released.length > 0 ? await queries.dropCauses(db, changes.released) : [];
    const released = freed.filter(({ is_acknowledged }) => !is_acknowledged);
    const written = { fired, cleared, worse, released };
    // What has to be sent goes with what is written, or neither does.
    await queueChanges(tx, written, by);
    return written;
  });
}

/** What has been cleared for 90 days is forgotten, some at a time; answers how many. */
export const forgetOldAlerts = (db: Db): Promise<number> =>
  queries.forgetCleared(db, KEPT_DAYS, MOST_FORGOTTEN);
