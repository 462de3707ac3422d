// Scopes: a server, a cluster or a group, as something that settings, rules and blackouts hang on. Guards: nobody sets
// something on what they cannot see, and whatever hangs on a scope goes with it.

import {
  type AuditCtx,
  admitSameSystem,
  type Ctx,
  dropStrays,
  recordAudits,
} from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { deleteOverrides } from './overrides.queries.ts';
import {
  deleteBlackouts,
  deleteGrants,
  deleteLoneClusters,
  detachConnections,
  isGranted,
  isScopeVisible,
  isScopeWhole,
} from './scopes.queries.ts';
import type { Scope, ScopeKind } from './scopes.schemas.ts';

export type { Scope, ScopeKind };
export { isGranted };

/** One statement, then 404 unless the caller can see it; unknown ones read the same. */
export async function demandScope(ctx: Ctx, wanted: Scope): Promise<void> {
  if (await isScopeVisible(ctx.db, ctx.principal, wanted)) return;
  throw new Fault('not_found', `There is no such ${wanted.scope}.`);
}

/** For what acts on every server of it: 404 unless the caller can see it, 403 unless they see all that it holds. */
export async function demandWholeScope(ctx: Ctx, wanted: Scope): Promise<void> {
  await demandScope(ctx, wanted);
  await demandAllOf(ctx, wanted);
}

/** For a scope that the caller is known to see: 403 unless they see all that it holds. */
export async function demandAllOf(ctx: Ctx, wanted: Scope): Promise<void> {
  if (wanted.scope === 'server' || (await isScopeWhole(ctx.db, ctx.principal, wanted))) return;
  throw new Fault(
    'forbidden',
    `This acts on every server of the ${wanted.scope}, so it needs access to all of them. Name a server of yours, or ask who sees them.`,
  );
}

/** Removes what hangs on servers, clusters or groups that are being deleted; part of the caller's transaction. */
export async function forgetScope(db: Db, scope: ScopeKind, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await deleteOverrides(db, scope, ids);
  await deleteGrants(db, scope, ids);
  await deleteBlackouts(db, scope, ids);
  if (scope !== 'server') return;
  await forgetScope(db, 'cluster', await deleteLoneClusters(db, ids));
  await detachConnections(db, ids);
}

/**
 * After servers moved: what they inherited where they were ends, and those that detection put into a cluster inherit
 * there where the system identifier proves it.
 */
export async function admitDetected(ctx: AuditCtx): Promise<void> {
  await dropStrays(ctx.db);
  const admitted = await admitSameSystem(ctx.db);
  await recordAudits(
    ctx,
    admitted.map(({ connection_id: id, name, cluster_id, cluster_name }) => ({
      action: 'cluster.admit_server',
      target: { kind: 'connection', id, name },
      details: { cluster_id, cluster_name },
    })),
  );
}
