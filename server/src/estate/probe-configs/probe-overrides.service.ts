// Overrides of probes for a server, a cluster or a group.

import type { Ctx } from '../../identity/identity.ts';
import type { Static } from '../../kernel/schema.ts';
import { deleteOverride, setOverride } from '../scopes/overrides.service.ts';
import { demandScope, demandWholeScope, type Scope } from '../scopes/scopes.service.ts';
import type { ProbeOverride, ProbeOverrideUpdate } from './probe-configs.schemas.ts';
import { demandInterval, demandProbe, describe, probeNames } from './probe-configs.service.ts';
import { listOverrides } from './probe-overrides.queries.ts';

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

interface ProbeAt extends Scope {
  probe_name: string;
}

/** What the audit log says was changed. */
async function demandBoth(ctx: Ctx, { probe_name: name, ...scope }: ProbeAt) {
  demandProbe(name);
  await demandWholeScope(ctx, scope);
  return { kind: 'probe', name };
}

/** The caller's permission has been checked. */
export async function setProbeOverride(
  ctx: Ctx,
  { probe_name: subject, ...scope }: ProbeAt,
  details: Static<typeof ProbeOverrideUpdate>,
): Promise<void> {
  const target = await demandBoth(ctx, { probe_name: subject, ...scope });
  const { is_enabled, collection_interval_seconds: interval_seconds, retention_days } = details;
  demandInterval(subject, interval_seconds);
  const values = { is_enabled, interval_seconds, retention_days };
  await setOverride(ctx, { kind: 'probe', ...scope, subject }, { values, target, details });
}

/** The caller's permission has been checked. */
export async function deleteProbeOverride(ctx: Ctx, at: ProbeAt): Promise<void> {
  const target = await demandBoth(ctx, at);
  const { scope, scope_id, probe_name: subject } = at;
  await deleteOverride(ctx, { kind: 'probe', scope, scope_id, subject }, target);
}
