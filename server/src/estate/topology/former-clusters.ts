// Which cluster of today is which one of yesterday, so that what people said of it (name, description, overrides)
// outlives a failover. Pure. The rule is in docs/decisions: a cluster is where its leader is; if that one no longer
// leads, where most of its servers are; a server promoted in its place takes it from a leader that keeps fewer.
import type { Draft } from './drafts.ts';
import { first, groupBy } from './groups.ts';
import { succeeds, timelineOf } from './lineages.ts';
import type { Server } from './servers.ts';
import type { Memory } from './types.ts';
import { isPrimary } from './upstreams.ts';

const INHERITED = /^(?:binary|logical):(\d+)$/;

interface Share {
  draft: Draft;
  /** Connections in it that were in the former cluster. */
  count: number;
}

const holds = ({ draft }: Share, id: number) =>
  draft.connections.some(({ connection_id }) => connection_id === id);
const leadsIn = ({ draft }: Share, id: number) =>
  draft.leader.connections.some(({ connection_id }) => connection_id === id);

function heirOf(leaderId: number, shares: readonly Share[]): Share | undefined {
  const by = (a: Share, b: Share) =>
    b.count - a.count ||
    Number(holds(b, leaderId)) - Number(holds(a, leaderId)) ||
    timelineOf(b.draft.leader) - timelineOf(a.draft.leader) ||
    a.draft.leader.id - b.draft.leader.id;
  const keeper = shares.find((share) => leadsIn(share, leaderId));
  const old: Server | undefined = keeper?.draft.leader;
  if (!keeper || !old) return first(shares, by);
  if (!isPrimary(old) || !old.is_reachable) return keeper.count > 1 ? keeper : first(shares, by);
  const challengers = shares.filter(
    ({ draft, count }) => succeeds(draft.leader, old) && count >= keeper.count,
  );
  return first(challengers, by) ?? keeper;
}

/** For each draft the key of the cluster that it continues, if that was another one than its own. */
export function formerKeys(drafts: readonly Draft[], { members }: Memory): Map<Draft, string> {
  const inherited = new Map<Draft, { key: string; count: number }[]>();
  const assigned = drafts.flatMap((draft) =>
    draft.connections.map(({ connection_id }) => ({ draft, key: members.get(connection_id)?.cluster_key })),
  );
  for (const [key, members] of groupBy(assigned, (member) => member.key)) {
    const leaderId = Number(INHERITED.exec(key)?.[1] ?? Number.NaN);
    if (Number.isNaN(leaderId)) continue;
    const shares = [...groupBy(members, ({ draft }) => draft)].map(([draft, of]) => ({
      draft,
      count: of.length,
    }));
    const heir = heirOf(leaderId, shares);
    if (heir) inherited.set(heir.draft, [...(inherited.get(heir.draft) ?? []), { key, count: heir.count }]);
  }
  const former = new Map<Draft, string>();
  for (const draft of drafts) {
    const keys = inherited.get(draft) ?? [];
    if (draft.type.startsWith('spock') || keys.some(({ key }) => key === draft.key)) continue;
    const best = first(keys, (a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
    const alone = `standalone:${draft.leader.id}`;
    if (best) former.set(draft, best.key);
    else if (draft.type !== 'server' && members.get(draft.leader.id)?.cluster_key === alone)
      former.set(draft, alone);
  }
  return former;
}
