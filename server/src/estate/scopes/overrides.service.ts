// Sets and deletes overrides of probes, alert rules and channels. The callers' permission has been checked, and that they
// see the whole scope. Guards: each change is in the audit log, in the same transaction.
import { type AuditEntry, type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import {
  dropOverride,
  type OverrideKey,
  type OverrideKind,
  type OverrideValues,
  putOverride,
} from './overrides.queries.ts';

/** What the audit log says was set. */
type Target = NonNullable<AuditEntry['target']>;
type Details = NonNullable<AuditEntry['details']>;

interface Change {
  target: Target;
  details: Details;
}

const note = (tx: Ctx, { scope, scope_id }: OverrideKey<OverrideKind>, { target, details }: Change) =>
  recordAudit(tx, { action: 'settings.change', target, details: { scope, scope_id, ...details } });

export async function setOverride<K extends OverrideKind>(
  ctx: Ctx,
  key: OverrideKey<K>,
  { values, ...change }: Change & { values: OverrideValues<K> },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const isThere = await putOverride(tx.db, key, values);
    if (!isThere) throw new Fault('not_found', `There is no such ${key.scope}.`);
    await note(tx, key, change);
  });
}

export async function deleteOverride(
  ctx: Ctx,
  key: OverrideKey<OverrideKind>,
  target: Target,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if ((await dropOverride(tx.db, key)) > 0) await note(tx, key, { target, details: { is_deleted: true } });
  });
}
