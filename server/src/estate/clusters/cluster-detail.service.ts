// Replication within one cluster as it was last seen. Guards: only what the caller can see of it; six statements,
// whatever the number of servers, and two more while replay of a standby is paused.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { probe as slots } from '../../probes/pg-replication-slots.ts';
import { probe as senders } from '../../probes/pg-stat-replication.ts';
import type { ClusterTopologyDetail } from './cluster-detail.contract.ts';
import * as queries from './cluster-detail.queries.ts';
import { keysOf, parseClusterId } from './cluster-ids.ts';
import { linksOf, type MemberFacts, type Scene, slotsOf, unreadSlots } from './cluster-links.ts';
import type { StandbyReceiver } from './clusters.schemas.ts';
import { findStored, NO_CLUSTER } from './clusters.service.ts';
import { pausedSince } from './paused-since.ts';
import { receiverOf } from './receiver.ts';
import { listTreeRelationships } from './topology.queries.ts';

const READ = [senders, slots];

async function withReads(ctx: Ctx, rows: readonly queries.MemberRow[]): Promise<MemberFacts[]> {
  const ids = rows.map(({ id }) => id);
  const reads = await queries.listReads(ctx.db, ids, READ);
  const read = (id: number, probe: string) =>
    reads.find((one) => one.connection_id === id && one.probe === probe);
  return rows.map((row) => ({ ...row, sent: read(row.id, senders.name), slots: read(row.id, slots.name) }));
}

/** Whether WAL reaches a standby. The caller has checked access to the connection. */
export async function getReceiver(
  ctx: Ctx,
  connection_id: number,
): Promise<Static<typeof StandbyReceiver> | null> {
  const [member] = await withReads(ctx, await queries.listMembers(ctx.db, ctx.principal, { connection_id }));
  if (!member) return null;
  return receiverOf(member, {
    senders: await queries.listSenders(ctx.db, [connection_id]),
    now: ctx.clock.now(),
  });
}

/** The members that the caller can see of a cluster, by any of its names. */
export async function membersNamed(ctx: Ctx, name: string): Promise<queries.MemberRow[]> {
  const ref = parseClusterId(name);
  const stored = await findStored(ctx, ref);
  if (!stored && ref.kind === 'stored') throw new Fault('not_found', NO_CLUSTER);
  const which: queries.Which = stored ? { cluster_id: stored.id } : { keys: keysOf(ref) };
  const members = await queries.listMembers(ctx.db, ctx.principal, which);
  if (!stored && members.length === 0) throw new Fault('not_found', NO_CLUSTER);
  return members;
}

/** What is known now of replication between them. */
export async function sceneOf(ctx: Ctx, members: readonly MemberFacts[]): Promise<Scene> {
  const ids = members.map(({ id }) => id);
  return {
    members,
    slots: await queries.listSlots(ctx.db, ids),
    senders: await queries.listSenders(ctx.db, ids),
    relationships: await listTreeRelationships(ctx.db, ids),
    now: ctx.clock.now(),
  };
}

export async function getClusterTopologyDetail(
  ctx: Ctx,
  name: string,
): Promise<Static<typeof ClusterTopologyDetail>> {
  const seen = await sceneOf(ctx, await withReads(ctx, await membersNamed(ctx, name)));
  const scene = { ...seen, pausedSince: await pausedSince(ctx.db, seen) };
  return { links: linksOf(scene), slots: slotsOf(scene), unread: unreadSlots(scene.members, scene.now) };
}
