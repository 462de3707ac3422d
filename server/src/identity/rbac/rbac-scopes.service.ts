// Grants on clusters and groups of clusters. Guards: nobody grants what they do not have themselves, on each server that
// is there and on those to come; whoever grants admits the servers that are there, and detection alone admits none but
// those with the same system identifier (decision 012).
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { listServersOf } from '../access/members.queries.ts';
import { admitCluster } from '../access/members.service.ts';
import type { Ctx } from '../access/principal.ts';
import { changingRights } from '../access/rights.service.ts';
import { noteGroup, requireGroup } from './rbac-groups.service.ts';
import type * as contract from './rbac-scopes.contract.ts';
import * as queries from './rbac-scopes.queries.ts';

const KINDS = { cluster: 'cluster', group: 'group of clusters' } as const;
const LEVELS = { read: 1, read_write: 2 } as const;

async function demandScopeSeen(ctx: Ctx, wanted: queries.ScopeRef): Promise<queries.FoundScope> {
  const found = await queries.findScope(ctx.db, ctx.principal, wanted);
  if (!found) throw new Fault('not_found', `There is no ${KINDS[wanted.scope]} ${wanted.scope_id}.`);
  return found;
}

export async function getScopeAccess(
  ctx: Ctx,
  wanted: queries.ScopeRef,
): Promise<Output<typeof contract.getScopeAccess>> {
  await demandScopeSeen(ctx, wanted);
  const grants = await queries.listGrantsOn(ctx.db, ctx.principal, wanted);
  const servers = await listServersOf(ctx.db, wanted);
  const rows = await queries.listMembership(ctx.db, ctx.principal, servers);
  const isGranted = grants.length > 0;
  const named = (inherits: boolean) =>
    rows
      .filter((row) => isGranted && row.inherits === inherits)
      .map(({ connection_id, name }) => ({ connection_id, name }));
  return { grants, inheriting: named(true), waiting: named(false) };
}

/** Every server that is there inherits from now on, so the caller needs the level on each, and on those to come. */
export function grantScope(
  ctx: Ctx,
  groupId: number,
  grant: Input<typeof contract.grantGroupScope>['body'],
): Promise<void> {
  const { scope, scope_id, access_level } = grant;
  return changingRights(ctx, async (tx) => {
    const group = await requireGroup(tx, groupId);
    await queries.lockScope(tx.db, grant);
    const { name, is_default } = await demandScopeSeen(tx, grant);
    if (is_default)
      throw new Fault(
        'bad_request',
        'The default group holds whatever is in no other group, so it cannot be granted. Grant a cluster, another group or every connection.',
      );
    const level = LEVELS[access_level];
    if ((await queries.findOwnScopeLevel(tx.db, tx.principal, grant)) < level)
      throw new Fault(
        'forbidden',
        `You cannot grant what you do not have yourself: ${access_level} on the ${KINDS[scope]} ${name} with the servers to come.`,
      );
    await queries.saveScopeGrant(tx.db, groupId, grant);
    const servers = await listServersOf(tx.db, grant);
    for (const cluster_id of new Set(servers.map((server) => server.cluster_id)))
      await admitCluster(tx, cluster_id);
    await noteGroup(tx, 'group.grant', { group, details: { scope, scope_id, name, access_level } });
  });
}

export function revokeScope(ctx: Ctx, groupId: number, wanted: queries.ScopeRef): Promise<void> {
  const { scope, scope_id } = wanted;
  return changingRights(ctx, async (tx) => {
    const group = await requireGroup(tx, groupId);
    if (!(await queries.deleteScopeGrant(tx.db, groupId, wanted)))
      throw new Fault('not_found', `The group ${group.name} was not granted that itself.`);
    await noteGroup(tx, 'group.revoke', { group, details: { scope, scope_id } });
  });
}
