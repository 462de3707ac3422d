// Servers of clusters, and their relationships. Guards: what people set is pinned and detection leaves it alone; nobody
// moves or names a server they cannot see, and a server comes to a cluster that groups of users have access to only by a
// user who has that access.

import {
  admitServer,
  type Ctx,
  changingRights,
  demandConnection,
  demandConnections,
  inTransaction,
} from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { admitDetected, demandScope } from '../scopes/scopes.service.ts';
import { type ClusterAct, noteAct } from './cluster-audit.ts';
import { getReceiver } from './cluster-detail.service.ts';
import { listClusters as listRows, lockCluster, showCluster } from './clusters.queries.ts';
import type {
  AddServerRequest,
  ClusterServerInfo,
  ConnectionClusterResponse,
  ConnectionClusterUpdateRequest,
} from './clusters.schemas.ts';
import { NO_CLUSTER } from './clusters.service.ts';
import * as queries from './members.queries.ts';
import {
  clearRelationships,
  deleteRelationship,
  endRelationships,
  insertRelationships,
  listConnectionRelationships,
  listClusterRelationships as listRelationshipRows,
  listRelationshipsFrom,
  type NewRelationship,
  type RelationshipRow,
} from './relationships.queries.ts';
import { stateOf } from './server-status.ts';

/** A server in a cluster, as paths name it. */
export interface ClusterMember {
  cluster_id: number;
  connection_id: number;
}

const demandCluster = (ctx: Ctx, scope_id: number) => demandScope(ctx, { scope: 'cluster', scope_id });

/** Others who change the cluster wait until this transaction ends. */
async function hold(ctx: Ctx, clusterId: number): Promise<void> {
  await demandCluster(ctx, clusterId);
  if (!(await lockCluster(ctx.db, clusterId))) throw new Fault('not_found', NO_CLUSTER);
}

const readable = (connection_id: number) => ({ connection_id, need: 'read' }) as const;

export async function listClusterServers(
  ctx: Ctx,
  clusterId: number,
): Promise<Static<typeof ClusterServerInfo>[]> {
  await demandCluster(ctx, clusterId);
  const rows = await queries.listMembers(ctx.db, ctx.principal, clusterId);
  const now = ctx.clock.now();
  return rows.map(({ connection_error, role, ...row }) => ({
    id: row.id,
    name: row.name,
    host: row.host,
    port: row.port,
    database_name: row.database_name,
    membership_source: row.membership_source,
    status: stateOf(row, now),
    ...(connection_error !== null && { connection_error }),
    ...(role !== null && { role }),
  }));
}

/** Where the server belongs now, told to the audit log; what was said of it elsewhere ends. 404 when it has gone meanwhile. */
async function noteMove(tx: Ctx, id: number, name: string | undefined): Promise<queries.MembershipRow> {
  if (name === undefined) throw new Fault('not_found', 'There is no such connection.');
  const found = await queries.findMembership(tx.db, id);
  const { cluster_id, cluster_name, membership_source, role } = found;
  await admitDetected(tx);
  const ended = await endRelationships(tx.db, id);
  await noteAct(tx, {
    action: 'cluster.set_server',
    target: { kind: 'connection', id, name },
    details: {
      cluster_id,
      cluster_name,
      membership_source,
      role,
      ...(ended > 0 && { ended_relationships: ended }),
    },
  });
  return found;
}

/** The caller can read the connection. */
export async function addClusterServer(
  ctx: Ctx,
  cluster_id: number,
  { connection_id, role }: Static<typeof AddServerRequest>,
): Promise<ClusterMember & { role: string | null }> {
  return changingRights(ctx, async (tx) => {
    await hold(tx, cluster_id);
    await admitServer(tx, { connection_id, cluster_id });
    const name = await queries.pinConnection(tx.db, { connection_id, cluster_id, role });
    await showCluster(tx.db, cluster_id);
    const found = await noteMove(tx, connection_id, name);
    return { cluster_id, connection_id, role: found.role };
  });
}

async function demandMember(
  ctx: Ctx,
  { cluster_id, connection_id }: ClusterMember,
): Promise<queries.MemberName> {
  await demandConnection(ctx, readable(connection_id));
  const [member] = await queries.findMembers(ctx.db, cluster_id, [connection_id]);
  if (!member) throw new Fault('not_found', 'The server does not belong to this cluster.');
  return member;
}

export async function removeClusterServer(ctx: Ctx, member: ClusterMember): Promise<void> {
  await changingRights(ctx, async (tx) => {
    await hold(tx, member.cluster_id);
    await demandMember(tx, member);
    const { connection_id } = member;
    const name = await queries.pinConnection(tx.db, { connection_id, cluster_id: null, role: null });
    await noteMove(tx, connection_id, name);
  });
}

export async function listClusterRelationships(ctx: Ctx, clusterId: number): Promise<RelationshipRow[]> {
  await demandCluster(ctx, clusterId);
  return listRelationshipRows(ctx.db, ctx.principal, clusterId);
}

async function noteRelationships(
  tx: Ctx,
  source: queries.MemberName,
  details: ClusterAct['details'],
): Promise<void> {
  const target = { kind: 'connection', ...source } as const;
  await noteAct(tx, { action: 'cluster.set_relationships', target, ...(details && { details }) });
}

export async function deleteClusterRelationship(
  ctx: Ctx,
  named: { cluster_id: number; id: number },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await demandCluster(tx, named.cluster_id);
    const gone = await deleteRelationship(tx.db, tx.principal, named);
    if (!gone) throw new Fault('not_found', 'There is no such relationship in this cluster.');
    const { source_connection_id: id, source_name: name, ...removed } = gone;
    await noteRelationships(tx, { id, name }, { cluster_id: named.cluster_id, removed: [removed] });
  });
}

function demandDistinct(source: number, wanted: readonly NewRelationship[]): void {
  const seen = new Set<string>();
  for (const { target_connection_id, relationship_type } of wanted) {
    if (target_connection_id === source)
      throw new Fault(
        'bad_request',
        'A server cannot have a relationship with itself; choose another target.',
      );
    const pair = `${target_connection_id} ${relationship_type}`;
    if (seen.has(pair))
      throw new Fault(
        'bad_request',
        `The relationship ${relationship_type} with server ${target_connection_id} is given twice; give it once.`,
      );
    seen.add(pair);
  }
}

async function demandTargets(ctx: Ctx, clusterId: number, targets: readonly number[]): Promise<void> {
  const members = new Set((await queries.findMembers(ctx.db, clusterId, targets)).map(({ id }) => id));
  const outside = targets.find((id) => !members.has(id));
  if (outside !== undefined)
    throw new Fault(
      'bad_request',
      `Server ${outside} does not belong to this cluster; add it before you relate to it.`,
    );
  await demandConnections(ctx, targets);
}

export async function setConnectionRelationships(
  ctx: Ctx,
  member: ClusterMember,
  wanted: readonly NewRelationship[],
): Promise<RelationshipRow[]> {
  const { cluster_id, connection_id } = member;
  demandDistinct(connection_id, wanted);
  return inTransaction(ctx, async (tx) => {
    await hold(tx, cluster_id);
    const source = await demandMember(tx, member);
    await demandTargets(
      tx,
      cluster_id,
      wanted.map(({ target_connection_id }) => target_connection_id),
    );
    const replaced = await clearRelationships(tx.db, connection_id);
    await insertRelationships(tx.db, member, wanted);
    const relationships = wanted.map((one) => ({ ...one }));
    await noteRelationships(tx, source, { cluster_id, relationships, replaced });
    return listRelationshipsFrom(tx.db, tx.principal, connection_id);
  });
}

export async function clearConnectionRelationships(ctx: Ctx, member: ClusterMember): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await hold(tx, member.cluster_id);
    const source = await demandMember(tx, member);
    const replaced = await clearRelationships(tx.db, member.connection_id);
    const { cluster_id } = member;
    if (replaced > 0) await noteRelationships(tx, source, { cluster_id, relationships: [], replaced });
  });
}

/** The caller can read the connection. */
export async function getConnectionCluster(
  ctx: Ctx,
  connectionId: number,
): Promise<Static<typeof ConnectionClusterResponse>> {
  return {
    info: await queries.findMembership(ctx.db, connectionId),
    clusters: await listRows(ctx.db, ctx.principal, false),
    relationships: await listConnectionRelationships(ctx.db, ctx.principal, connectionId),
    receiver: await getReceiver(ctx, connectionId),
  };
}

/** The caller can read the connection. */
export async function setConnectionCluster(
  ctx: Ctx,
  connection_id: number,
  { cluster_id, role, membership_source }: Static<typeof ConnectionClusterUpdateRequest>,
): Promise<queries.MembershipRow> {
  return changingRights(ctx, async (tx) => {
    if (cluster_id !== null) await hold(tx, cluster_id);
    const member = { connection_id, cluster_id, role: role === '' ? null : role };
    const isPinned = membership_source === 'manual';
    if (isPinned && cluster_id !== null) await admitServer(tx, { connection_id, cluster_id });
    const name = await (isPinned
      ? queries.pinConnection(tx.db, member)
      : queries.giveBackConnection(tx.db, member));
    if (isPinned && cluster_id !== null) await showCluster(tx.db, cluster_id);
    return noteMove(tx, connection_id, name);
  });
}
