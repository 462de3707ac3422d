// Servers that belong together because one streams from the other, or did until lately. Pure. Guards: an old primary
// that lives stands alone after another one was promoted; one that is dead stays with those it led.
import { first, Groups, groupBy, only } from './groups.ts';
import type { Server } from './servers.ts';
import type { Memory } from './types.ts';
import { isPrimary, primaryOf, type Upstreams } from './upstreams.ts';

export interface Lineage {
  readonly servers: readonly Server[];
  /** The primary; where none is known, the standby with the smallest id. */
  readonly leader: Server;
}

export const timelineOf = ({ role }: Server): number => role?.timeline_id ?? 0;

/** Whether `one` is a primary that lives and was promoted after `old` was one. */
export const succeeds = (one: Server, old: Server): boolean =>
  one.id !== old.id &&
  one.is_reachable &&
  isPrimary(one) &&
  one.system_identifier !== null &&
  one.system_identifier === old.system_identifier &&
  timelineOf(one) > timelineOf(old);

const keyOf = (server: Server, { members }: Memory) => members.get(server.id)?.cluster_key;
const isShared = (key: string | undefined) => key !== undefined && !key.startsWith('standalone:');

interface Base {
  servers: readonly Server[];
  upstreams: Upstreams;
  memory: Memory;
  groups: Groups;
  /** Who comes first leads. */
  leads(a: Server, b: Server): number;
}

function leading(upstreams: Upstreams): Base['leads'] {
  const followers = groupBy(upstreams.values(), ({ id }) => id);
  const count = ({ id }: Server) => followers.get(id)?.length ?? 0;
  return (a, b) =>
    Number(isPrimary(b)) - Number(isPrimary(a)) ||
    Number(b.is_reachable) - Number(a.is_reachable) ||
    count(b) - count(a) ||
    timelineOf(b) - timelineOf(a) ||
    a.id - b.id;
}

/** Until an old primary has said, after the promotion, that it still is one, nobody knows that it lives. */
const hasSpokenSince = (old: Server, successor: Server) =>
  old.is_reachable && (old.facts.collected_at ?? '') > (successor.facts.collected_at ?? '');

/** An old primary that is dead, or may be, stays with the member of its cluster that was promoted in its place. */
function keepPredecessors({ servers, memory, groups, leads }: Base): void {
  const trees = groupBy(servers, ({ id }) => groups.of(id));
  const bySystem = groupBy(servers, ({ system_identifier }) => system_identifier);
  const joins: [number, number][] = [];
  for (const old of servers.filter(isPrimary)) {
    const key = keyOf(old, memory);
    if (!isShared(key)) continue;
    const holdsKey = (one: Server) =>
      trees.get(groups.of(one.id))?.some((member) => keyOf(member, memory) === key) ?? false;
    const successors = (bySystem.get(old.system_identifier ?? '') ?? []).filter(
      (one) => succeeds(one, old) && holdsKey(one) && !hasSpokenSince(old, one),
    );
    const successor = first(successors, leads);
    if (successor) joins.push([old.id, successor.id]);
  }
  for (const [old, successor] of joins) groups.join(old, successor);
}

/** Standbys whose upstream is not known belong to the primary of their system, or to each other if there is none. */
function placeOrphans({ servers, upstreams, memory, groups }: Base): void {
  for (const [system, same] of groupBy(servers, ({ system_identifier }) => system_identifier)) {
    if (system === null) continue;
    const primaries = same.filter(isPrimary);
    const orphans = same.filter((one) => one.role?.is_in_recovery && !upstreams.has(one.id));
    for (const orphan of orphans) {
      const key = keyOf(orphan, memory);
      const primary =
        primaryOf(orphan, same) ??
        only(primaries.filter((one) => isShared(key) && keyOf(one, memory) === key)) ??
        (primaries.length === 0 ? orphans[0] : undefined);
      if (primary) groups.join(orphan.id, primary.id);
    }
  }
}

/** What is dead and alone now stays where it was. */
function keepDead({ servers, upstreams, memory, groups, leads }: Base): void {
  const sizes = groupBy(servers, ({ id }) => groups.of(id));
  const byKey = groupBy(servers, (server) => keyOf(server, memory));
  for (const dead of servers) {
    const isAlone = sizes.get(groups.of(dead.id))?.length === 1;
    const key = keyOf(dead, memory);
    if (dead.is_reachable || !isAlone || !key?.startsWith('binary:') || isPrimary(dead)) continue;
    const others = (byKey.get(key) ?? []).filter((one) => one.id !== dead.id && !upstreams.has(one.id));
    const before = first(
      others.filter(
        (one) =>
          !one.system_identifier ||
          !dead.system_identifier ||
          one.system_identifier === dead.system_identifier,
      ),
      leads,
    );
    if (before) groups.join(dead.id, before.id);
  }
}

/** All servers, each in one lineage. */
export function lineagesOf(servers: readonly Server[], upstreams: Upstreams, memory: Memory): Lineage[] {
  const leads = leading(upstreams);
  const base = { servers, upstreams, memory, groups: new Groups(), leads };
  for (const [id, upstream] of upstreams) base.groups.join(id, upstream.id);
  keepPredecessors(base);
  placeOrphans(base);
  keepDead(base);
  return [...groupBy(servers, ({ id }) => base.groups.of(id)).values()].flatMap((members) => {
    // Only who streams from nobody leads, unless they all stream from servers that are no longer there.
    const leader = first(
      members,
      (a, b) => Number(upstreams.has(a.id)) - Number(upstreams.has(b.id)) || leads(a, b),
    );
    return leader ? [{ servers: members, leader }] : [];
  });
}
