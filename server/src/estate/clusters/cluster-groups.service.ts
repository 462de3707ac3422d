// Groups of clusters. Guards: who owns a group or manages connections changes it, the default group stays, and a group
// that goes leaves its clusters to the default group.

import { type Ctx, changingRights, hasPermission, inTransaction } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { demandAllOf, demandScope, forgetScope, isGranted } from '../scopes/scopes.service.ts';
import { noteAct } from './cluster-audit.ts';
import * as queries from './cluster-groups.queries.ts';
import { type GroupRef, parseGroupId } from './cluster-ids.ts';
import { listGroupClusters as listRows } from './clusters.queries.ts';
import type { ClusterGroupRequest } from './clusters.schemas.ts';
import { type ClusterView, viewOf } from './clusters.service.ts';

type GroupInput = Static<typeof ClusterGroupRequest>;

const NO_GROUP = 'There is no such cluster group.';

const manages = ({ principal }: Ctx) => hasPermission(principal, 'manage_connections');

export function listClusterGroups(ctx: Ctx): Promise<queries.GroupRow[]> {
  return queries.listGroups(ctx.db, ctx.principal);
}

function findByRef({ db, principal }: Ctx, ref: GroupRef): Promise<queries.GroupRow | undefined> {
  if (ref.kind === 'stored') return queries.findGroup(db, principal, ref.id);
  return ref.kind === 'default'
    ? queries.findDefaultGroup(db, principal)
    : queries.findGroupByKey(db, principal, ref.key);
}

async function demandGroup(ctx: Ctx, ref: GroupRef): Promise<queries.GroupRow> {
  const row = await findByRef(ctx, ref);
  if (!row) throw new Fault('not_found', NO_GROUP);
  return row;
}

export function getClusterGroup(ctx: Ctx, name: string): Promise<queries.GroupRow> {
  return demandGroup(ctx, parseGroupId(name));
}

export async function createClusterGroup(ctx: Ctx, input: GroupInput): Promise<queries.GroupRow> {
  const name = input.name;
  return inTransaction(ctx, async (tx) => {
    const id = await queries.insertGroup(tx.db, {
      name,
      description: input.description ?? '',
      is_shared: input.is_shared ?? false,
      owner_id: ctx.principal.user_id,
    });
    const { name: _shown, ...details } = input;
    await noteAct(tx, {
      action: 'cluster_group.create',
      target: { kind: 'cluster_group', id, name },
      details,
    });
    return demandGroup(tx, { kind: 'stored', id });
  });
}

function demandManage(ctx: Ctx, group: queries.GroupRow): void {
  if (group.owner_id === ctx.principal.user_id || manages(ctx)) return;
  throw new Fault(
    'forbidden',
    'Only the owner of a group, or who has the permission manage_connections, may change it.',
  );
}

export async function updateClusterGroup(ctx: Ctx, id: string, input: GroupInput): Promise<queries.GroupRow> {
  const ref = parseGroupId(id);
  const name = input.name;
  return inTransaction(ctx, async (tx) => {
    if (ref.kind === 'auto' && manages(ctx)) await queries.storeAutoGroup(tx.db, ref.key, name);
    const group = await demandGroup(tx, ref);
    demandManage(ctx, group);
    await queries.updateGroup(tx.db, group.id, {
      name,
      description: input.description ?? null,
      is_shared: input.is_shared ?? null,
    });
    await noteAct(tx, {
      action: 'cluster_group.change',
      target: { kind: 'cluster_group', id: group.id, name },
      details: { before: group.name, ...input },
    });
    return demandGroup(tx, { kind: 'stored', id: group.id });
  });
}

export async function deleteClusterGroup(ctx: Ctx, name: string): Promise<void> {
  const ref = parseGroupId(name);
  await changingRights(ctx, async (tx) => {
    const group = await demandGroup(tx, ref);
    if (group.is_default) throw new Fault('forbidden', 'The default group cannot be deleted.');
    demandManage(ctx, group);
    await demandAllOf(tx, { scope: 'group', scope_id: group.id });
    if (!manages(tx) && (await isGranted(tx.db, { scope: 'group', scope_id: group.id })))
      throw new Fault(
        'forbidden',
        'Groups of users have access through this group of clusters, so deleting it needs the permission manage_connections.',
      );
    // Its row first: whoever sets something for the group at the same time waits, and finds it gone.
    await queries.deleteGroup(tx.db, group.id);
    await forgetScope(tx.db, 'group', [group.id]);
    const { id, name: shown } = group;
    await noteAct(tx, { action: 'cluster_group.delete', target: { kind: 'cluster_group', id, name: shown } });
  });
}

export async function listGroupClusters(ctx: Ctx, groupId: number): Promise<ClusterView[]> {
  await demandScope(ctx, { scope: 'group', scope_id: groupId });
  return (await listRows(ctx.db, ctx.principal, groupId)).map(viewOf);
}
