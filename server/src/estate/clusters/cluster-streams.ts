// Which of a server's senders, now and over a window, served which standby of a cluster. Pure. Guards: senders that could
// have served two standbys count for neither, so that no server is shown another one's lag.
import { type MemberFacts, type Scene, senderOfStandby } from './cluster-links.ts';

export interface Stream {
  /** The standby. */
  readonly source: MemberFacts;
  /** Where it streams from. */
  readonly target: MemberFacts;
  /** Name of its sender now, where that is known. */
  readonly application_name: string | null;
}

/** Senders of one server that call themselves and come from the same. */
export interface SenderGroup {
  readonly connection_id: number;
  readonly application_name: string | null;
  readonly client_addr: string | null;
}

/** What is said of a stream: the senders that served it, or why none is known to. */
export interface Served<G> extends Stream {
  readonly groups: readonly G[];
  readonly reason: string | null;
}

function endsOf({ members, relationships }: Scene): { source: MemberFacts; target: MemberFacts }[] {
  const byId = new Map(members.map((member) => [member.id, member]));
  const pairs = new Map<string, { source: MemberFacts; target: MemberFacts }>();
  for (const { relationship_type, source_connection_id, target_connection_id } of relationships) {
    const [source, target] = [byId.get(source_connection_id), byId.get(target_connection_id)];
    if (relationship_type === 'streams_from' && source && target)
      pairs.set(`${source.id} ${target.id}`, { source, target });
  }
  return [...pairs.values()].sort((a, b) => a.target.id - b.target.id || a.source.id - b.source.id);
}

/** By what identifies the standby now or at any time; by its address only where nothing else does. */
function claims<G extends SenderGroup>(scene: Scene, stream: Stream, groups: readonly G[]): G[] {
  const { source, target } = stream;
  const own = groups.filter(({ connection_id }) => connection_id === target.id);
  const row = senderOfStandby(scene, stream);
  const byName = own.filter(
    ({ application_name, client_addr }) =>
      (row && application_name === row.application_name && client_addr === row.client_addr) ||
      (!!source.cluster_name && application_name === source.cluster_name),
  );
  if (byName.length > 0) return byName;
  const addresses = new Set([source.host, source.hostaddr]);
  return own.filter(({ client_addr }) => client_addr !== null && addresses.has(client_addr));
}

/** Of every standby that streams from a server of the scene. */
export function streamsOf(scene: Scene): Stream[] {
  return endsOf(scene).map((ends) => ({
    ...ends,
    application_name: senderOfStandby(scene, ends)?.application_name ?? null,
  }));
}

/** Which of the groups served each stream. */
export function servedOf<G extends SenderGroup>(
  scene: Scene,
  streams: readonly Stream[],
  groups: readonly G[],
): Served<G>[] {
  const claimed = streams.map((stream) => ({ stream, groups: claims(scene, stream, groups) }));
  const counts = new Map<G, number>();
  for (const one of claimed) for (const group of one.groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  return claimed.map(({ stream, groups: wanted }) => {
    const { source, target } = stream;
    const own = wanted.filter((group) => counts.get(group) === 1);
    if (own.length > 0) return { ...stream, groups: own, reason: null };
    const reason =
      wanted.length > 0
        ? `The senders of ${target.name} to ${source.name} and to other standbys cannot be told from each other. Give each standby a cluster_name of its own.`
        : `${target.name} had no sender in this time that is known to have served ${source.name}.`;
    return { ...stream, groups: [], reason };
  });
}
