// Overrides of probes for a server, a cluster or a group.

import { type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { demandScope, demandWholeScope, type Scope } from '../scopes/scopes.service.ts';
import type { ProbeOverride, ProbeOverrideUpdate } from './probe-configs.schemas.ts';
import { demandInterval, demandProbe, describe, probeNames } from './probe-configs.service.ts';
import { dropOverride, listOverrides, type OverrideKey, putOverride } from './probe-overrides.queries.ts';

type Override = Static<typeof ProbeOverride>;

/** One row for each probe. */
export async function listProbeOverrides(ctx: Ctx, scope: Scope): Promise<Override[]> {
  await demandScope(ctx, scope);
  const rows = await listOverrides(ctx.db, scope, probeNames);
  return rows.map(({ probe_name, ...rest }) => ({
    name: probe_name,
    description: describe(probe_name),
    ...rest,
  }));
}

async function demandBoth(ctx: Ctx, { scope, scope_id, probe_name }: OverrideKey): Promise<void> {
  demandProbe(probe_name);
  await demandWholeScope(ctx, { scope, scope_id });
}

async function note(tx: Ctx, key: OverrideKey, values: { [name: string]: number | boolean }): Promise<void> {
  const { scope, scope_id, probe_name: name } = key;
  const details = { scope, scope_id, ...values };
  await recordAudit(tx, { action: 'settings.change', target: { kind: 'probe', name }, details });
}

/** The caller's permission has been checked. */
export async function setProbeOverride(
  ctx: Ctx,
  key: OverrideKey,
  input: Static<typeof ProbeOverrideUpdate>,
): Promise<void> {
  await demandBoth(ctx, key);
  const { is_enabled, collection_interval_seconds, retention_days } = input;
  demandInterval(key.probe_name, collection_interval_seconds);
  const values = { is_enabled, interval_seconds: collection_interval_seconds, retention_days };
  await inTransaction(ctx, async (tx) => {
    const isThere = await putOverride(tx.db, key, values);
    if (!isThere) throw new Fault('not_found', `There is no such ${key.scope}.`);
    await note(tx, key, { is_enabled, collection_interval_seconds, retention_days });
  });
}

/** The caller's permission has been checked. */
export async function deleteProbeOverride(ctx: Ctx, key: OverrideKey): Promise<void> {
  await demandBoth(ctx, key);
  await inTransaction(ctx, async (tx) => {
    if ((await dropOverride(tx.db, key)) > 0) await note(tx, key, { is_deleted: true });
  });
}
