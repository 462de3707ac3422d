// From which server each standby streams. Pure. Evidence in this order: host and port that the standby names, the
// slot, name or address of a walsender that is its, and where nothing may be read the only primary there is. Guards:
// system identifiers that are known never differ along a stream; nobody streams from themselves in a circle.
import { groupBy, only } from './groups.ts';
import { comesFrom, endpointSaid, type Server } from './servers.ts';
import type { ClusterMember, Sender } from './types.ts';

export type Upstreams = ReadonlyMap<number, Server>;

/** Servers by what others may call them. */
export function endpointIndex(servers: readonly Server[]): ReadonlyMap<string, readonly Server[]> {
  const pairs = servers.flatMap((server) => server.endpoints.map((endpoint) => ({ endpoint, server })));
  const index = groupBy(pairs, ({ endpoint }) => endpoint);
  return new Map([...index].map(([endpoint, found]) => [endpoint, found.map(({ server }) => server)]));
}

const isStandby = ({ role }: Server) => role?.is_in_recovery === true;
export const isPrimary = ({ role }: Server): boolean => role !== null && !role.is_in_recovery;

const mayBeOne = (a: Server, b: Server) =>
  a.id !== b.id &&
  (!a.system_identifier || !b.system_identifier || a.system_identifier === b.system_identifier);

type Evidence = (sender: Sender, standby: Server, at: Server) => boolean;

const EVIDENCE: readonly Evidence[] = [
  ({ slot_name }, { role }) => slot_name !== null && slot_name === role?.receiver_slot_name,
  ({ application_name }, { facts }) => !!facts.cluster_name && application_name === facts.cluster_name,
  ({ client_addr }, standby, at) => comesFrom(client_addr, at, standby),
];

/** The one server with a walsender that is this standby's. */
function bySender(standby: Server, pool: readonly Server[]): Server | undefined {
  let left = pool;
  for (const proves of EVIDENCE) {
    const found = left.filter((at) => at.role?.standbys.some((sender) => proves(sender, standby, at)));
    if (found.length === 1) return found[0];
    if (found.length > 1) left = found;
  }
  return undefined;
}

const saysUpstream = ({ role }: Server) => role?.upstream_host != null || role?.upstream_port != null;

/** Those whose word counts most come first: reachable, read last. */
const byTrust = (a: Server, b: Server) =>
  Number(b.is_reachable) - Number(a.is_reachable) ||
  (b.facts.collected_at ?? '').localeCompare(a.facts.collected_at ?? '') ||
  a.id - b.id;

class Streams {
  readonly above = new Map<number, Server>();

  /** Whether `upstream` can be the upstream of `standby` without a circle; if so, it is. */
  add(standby: Server, upstream: Server | undefined): boolean {
    if (!upstream) return false;
    for (let at: Server | undefined = upstream; at; at = this.above.get(at.id))
      if (at.id === standby.id) return false;
    this.above.set(standby.id, upstream);
    return true;
  }

  below(upstream: Server): number {
    return [...this.above.values()].filter(({ id }) => id === upstream.id).length;
  }
}

function evident(standby: Server, index: ReadonlyMap<string, readonly Server[]>, same: readonly Server[]) {
  const { role } = standby;
  const said = saysUpstream(standby)
    ? endpointSaid(standby, role?.upstream_host ?? null, role?.upstream_port ?? null)
    : undefined;
  const named = (said === undefined ? [] : (index.get(said) ?? [])).filter((one) => mayBeOne(standby, one));
  return only(named) ?? bySender(standby, named.length > 1 ? named : same);
}

/** The only primary of that system; of several the one that lives, or whose timeline the standby is on. */
export function primaryOf(standby: Server, same: readonly Server[]): Server | undefined {
  const primaries = same.filter(isPrimary);
  const living = primaries.filter(({ is_reachable }) => is_reachable);
  const timeline = standby.role?.timeline_id ?? null;
  const onTimeline = primaries.filter(({ role }) => timeline !== null && role?.timeline_id === timeline);
  return only(primaries) ?? only(living) ?? only(onTimeline);
}

/** The upstream of every standby for which there is one among the servers. */
export function upstreamsOf(
  servers: readonly Server[],
  members: ReadonlyMap<number, ClusterMember>,
): Upstreams {
  const index = endpointIndex(servers);
  const bySystem = groupBy(servers, ({ system_identifier }) => system_identifier);
  const sameAs = ({ id, system_identifier }: Server) =>
    (bySystem.get(system_identifier ?? '') ?? []).filter((one) => one.id !== id);
  const standbys = servers.filter(isStandby).sort(byTrust);
  const streams = new Streams();
  const left = standbys.filter((one) => !streams.add(one, evident(one, index, sameAs(one))));
  const byId = new Map(servers.flatMap((one) => one.connections.map((c) => [c.connection_id, one] as const)));
  for (const standby of left.sort((a, b) => a.id - b.id)) {
    const primary = primaryOf(standby, sameAs(standby));
    // It names a server that is not known here: only a primary with a walsender too many can be meant.
    const mayBe =
      primary && (!saysUpstream(standby) || (primary.role?.standby_count ?? 0) > streams.below(primary));
    if (mayBe && streams.add(standby, primary)) continue;
    if (standby.is_reachable) continue;
    const before = byId.get(members.get(standby.id)?.parent_connection_id ?? 0);
    if (before && mayBeOne(standby, before)) streams.add(standby, before);
  }
  return streams.above;
}
