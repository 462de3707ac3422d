// Replication within one cluster as it was last seen. Guards: only what the caller can see of it; five statements,
// whatever the number of servers.
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Ctx } from '../access/principal.ts';
import type { ClusterTopologyDetail } from './cluster-detail.contract.ts';
import { listMemberFacts, listSenders, listSlots, type Which } from './cluster-detail.queries.ts';
import { keysOf, parseClusterId } from './cluster-ids.ts';
import { linksOf, unreadSlots } from './cluster-links.ts';
import { findStored, NO_CLUSTER } from './clusters.service.ts';
import { listTreeRelationships } from './topology.queries.ts';

export async function getClusterTopologyDetail(
  ctx: Ctx,
  name: string,
): Promise<Static<typeof ClusterTopologyDetail>> {
  const ref = parseClusterId(name);
  const stored = await findStored(ctx, ref);
  if (!stored && ref.kind === 'stored') throw new Fault('not_found', NO_CLUSTER);
  const which: Which = stored ? { cluster_id: stored.id } : { keys: keysOf(ref) };
  const members = await listMemberFacts(ctx.db, ctx.principal, which);
  if (!stored && members.length === 0) throw new Fault('not_found', NO_CLUSTER);
  const ids = members.map(({ id }) => id);
  const slots = await listSlots(ctx.db, ids);
  const links = linksOf({
    members,
    slots,
    senders: await listSenders(ctx.db, ids),
    relationships: await listTreeRelationships(ctx.db, ids),
  });
  return {
    links,
    slots: slots.map(({ active_pid: _internal, ...slot }) => slot),
    unread: unreadSlots(members),
  };
}
