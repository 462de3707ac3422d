// Stored clusters. Guards: what detection found is hidden, never deleted, so that it does not come back by itself; a
// row for it is made when somebody first says something about it; nothing here touches what was collected.

import {
  admitCluster,
  type Ctx,
  changingRights,
  forgetMembers,
  inTransaction,
} from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { demandAllOf, demandScope, forgetScope } from '../scopes/scopes.service.ts';
import { noteAct } from './cluster-audit.ts';
import { type ClusterRef, keysOf, parseClusterId } from './cluster-ids.ts';
import * as queries from './clusters.queries.ts';
import type { Cluster, ClusterCreateRequest, ClusterUpdateRequest } from './clusters.schemas.ts';
import { giveBackMembers } from './members.queries.ts';

type CreateInput = Static<typeof ClusterCreateRequest>;
type UpdateInput = Static<typeof ClusterUpdateRequest>;
export type ClusterView = Static<typeof Cluster>;

export const NO_CLUSTER = 'There is no such cluster.';

export function listClusters(ctx: Ctx, include_dismissed: boolean): Promise<queries.ClusterRow[]> {
  return queries.listClusters(ctx.db, ctx.principal, include_dismissed);
}

export function findStored({ db, principal }: Ctx, ref: ClusterRef): Promise<queries.ClusterRow | undefined> {
  if (ref.kind === 'stored') return queries.findCluster(db, principal, ref.id);
  return queries.findClusterByKey(db, principal, keysOf(ref));
}

export function viewOf({ replication_type, ...row }: queries.ClusterRow): ClusterView {
  return { ...row, ...(replication_type !== null && { replication_type }) };
}

/** By any of its names. */
export async function getCluster(ctx: Ctx, name: string): Promise<ClusterView> {
  const row = await findStored(ctx, parseClusterId(name));
  if (!row) throw new Fault('not_found', NO_CLUSTER);
  return viewOf(row);
}

interface Stored {
  id: number;
  key: string | null;
  name: string;
}

/** The row to change. Whoever names a server means the row of that server by itself, which it comes into now. */
async function ensureStored(ctx: Ctx, ref: ClusterRef): Promise<Stored> {
  const stored = await findOrStore(ctx, ref);
  if (ref.kind !== 'stored') await queries.attachLone(ctx.db, stored.id);
  return stored;
}

/** The stored row, made now where detection sees such a cluster and nobody said anything about it yet. */
async function findOrStore(ctx: Ctx, ref: ClusterRef): Promise<Stored> {
  const keys = keysOf(ref);
  const find = async () => {
    const row = await findStored(ctx, ref);
    return row && { id: row.id, key: row.auto_cluster_key, name: row.name };
  };
  const stored = await find();
  if (stored) return stored;
  const detected = keys.length > 0 ? await queries.findDetected(ctx.db, ctx.principal, keys) : undefined;
  if (detected) {
    const { cluster_key: key, name } = detected;
    return { id: await queries.storeDetected(ctx.db, detected), key, name };
  }
  // Somebody else may have stored it between the two looks.
  const meanwhile = keys.length > 0 ? await find() : undefined;
  if (!meanwhile) throw new Fault('not_found', NO_CLUSTER);
  return meanwhile;
}

/** A group that clusters are put into; no group is the default one. */
async function demandGroup(ctx: Ctx, group_id: number | null | undefined): Promise<void> {
  if (group_id === undefined || group_id === null) return;
  await demandScope(ctx, { scope: 'group', scope_id: group_id });
}

export async function createCluster(ctx: Ctx, input: CreateInput): Promise<ClusterView> {
  const name = input.name;
  return inTransaction(ctx, async (tx) => {
    await demandGroup(tx, input.group_id);
    const id = await queries.insertCluster(tx.db, {
      name,
      description: input.description ?? '',
      replication_type: input.replication_type ?? null,
      group_id: input.group_id ?? null,
    });
    const { name: _shown, ...details } = input;
    await noteAct(tx, { action: 'cluster.create', target: { kind: 'cluster', id, name }, details });
    return getCluster(tx, String(id));
  });
}

function demandChange(input: UpdateInput): void {
  if (Object.values(input).some((value) => value !== undefined)) return;
  throw new Fault(
    'bad_request',
    'Say what to change: name, description, group_id, replication_type or dismissed.',
  );
}

function demandFitting(input: UpdateInput, key: string | null): void {
  if (input.auto_cluster_key !== undefined && input.auto_cluster_key !== key)
    throw new Fault('bad_request', 'auto_cluster_key does not belong to this cluster; leave it out.');
  if (input.dismissed && key === null)
    throw new Fault('bad_request', 'Only a detected cluster can be dismissed; delete this one instead.');
}

export async function updateCluster(ctx: Ctx, name: string, input: UpdateInput): Promise<ClusterView> {
  const ref = parseClusterId(name);
  demandChange(input);
  const newName = input.name ?? null;
  return changingRights(ctx, async (tx) => {
    const { id, key, name: before } = await ensureStored(tx, ref);
    demandFitting(input, key);
    if (input.group_id !== undefined || input.dismissed !== undefined)
      await demandAllOf(tx, { scope: 'cluster', scope_id: id });
    await demandGroup(tx, input.group_id);
    await queries.updateCluster(tx.db, id, {
      name: newName,
      description: input.description ?? null,
      replication_type: input.replication_type ?? null,
      dismissed: input.dismissed ?? null,
      group_id: input.group_id,
    });
    if (input.dismissed) await forgetMembers(tx, id);
    else if (input.group_id !== undefined || input.dismissed === false) await admitCluster(tx, id);
    const { auto_cluster_key: _same, ...details } = input;
    await noteAct(tx, {
      action: input.dismissed ? 'cluster.dismiss' : 'cluster.change',
      target: { kind: 'cluster', id, name: newName ?? before },
      details: { ...(newName !== null && { before }), ...details },
    });
    return getCluster(tx, String(id));
  });
}

const HIDE = {
  name: null,
  description: null,
  replication_type: null,
  dismissed: true,
  group_id: undefined,
};

/** One made by hand goes, and detection has its servers back; a detected one is hidden. */
export async function deleteCluster(ctx: Ctx, name: string): Promise<void> {
  const ref = parseClusterId(name);
  await changingRights(ctx, async (tx) => {
    const { id, name: shown } = await ensureStored(tx, ref);
    const target = { kind: 'cluster', id, name: shown } as const;
    const locked = await queries.lockCluster(tx.db, id);
    if (!locked) throw new Fault('not_found', NO_CLUSTER);
    await demandAllOf(tx, { scope: 'cluster', scope_id: id });
    if (locked.auto_cluster_key !== null) {
      await queries.updateCluster(tx.db, id, HIDE);
      await forgetMembers(tx, id);
      return noteAct(tx, { action: 'cluster.dismiss', target });
    }
    const connection_ids = await giveBackMembers(tx.db, id);
    await forgetScope(tx.db, 'cluster', [id]);
    await queries.deleteCluster(tx.db, id);
    return noteAct(tx, { action: 'cluster.delete', target, details: { connection_ids } });
  });
}
