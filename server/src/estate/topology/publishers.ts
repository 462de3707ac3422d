// Who subscribes to whom. Pure. A link takes evidence from the subscription's connection string, or the publisher's
// word that a walsender with that slot comes from the subscriber; names alone, which people choose alike, are none.
import { groupBy, only } from './groups.ts';
import { comesFrom, endpointSaid, isLocal, type Server } from './servers.ts';
import type { Subscription } from './types.ts';
import { endpointIndex } from './upstreams.ts';

export interface Link {
  readonly subscriber: Server;
  readonly publisher: Server;
  readonly kind: 'logical' | 'spock';
}

/** False when the publisher's slots speak against it. */
function mayServe({ role }: Server, subscription: Subscription): boolean {
  const { slot_name, publisher_database } = subscription;
  if (slot_name === null || !role) return true;
  return role.logical_slots.some(
    ({ name, database }) =>
      name === slot_name && (!publisher_database || !database || database === publisher_database),
  );
}

interface Base {
  named: ReadonlyMap<string, readonly Server[]>;
  bySlot: ReadonlyMap<string, readonly Server[]>;
}

function publisherOf(
  subscriber: Server,
  subscription: Subscription,
  { named, bySlot, fits }: Base & { fits(server: Server): boolean },
): Server | undefined {
  const { publisher_host: host, publisher_port: port, slot_name } = subscription;
  const isSaid = host !== null || port !== null;
  const at = isSaid ? (named.get(endpointSaid(subscriber, host, port)) ?? []).filter(fits) : [];
  const serving = at.filter((one) => mayServe(one, subscription));
  // A name that leads to one server is enough; an address may belong to several, so there the slot has to agree.
  const isByName = host !== null && !isLocal(host) && !/^[\d.:a-f]+$/i.test(host);
  const found = only(serving) ?? (isByName ? only(at) : undefined);
  if (found) return found;
  const pool = serving.length > 1 ? serving : (bySlot.get(slot_name ?? '') ?? []).filter(fits);
  const proven = pool.filter((one) =>
    one.role?.subscribers.some(
      (sender) => sender.slot_name === slot_name && comesFrom(sender.client_addr, one, subscriber),
    ),
  );
  return only(proven);
}

/** Links between different servers, each once, ordered by subscriber and publisher. */
export function linksOf(servers: readonly Server[]): Link[] {
  const slots = servers.flatMap((server) =>
    (server.role?.subscribers ?? []).map(({ slot_name }) => ({ slot_name, server })),
  );
  const bySlot = new Map(
    [...groupBy(slots, ({ slot_name }) => slot_name)].map(
      ([slot, found]) => [slot, [...new Set(found.map(({ server }) => server))]] as const,
    ),
  );
  const base = { named: endpointIndex(servers), bySlot };
  const links = new Map<string, Link>();
  for (const subscriber of servers) {
    const add = (publisher: Server | undefined, kind: Link['kind']) => {
      if (publisher) links.set(`${subscriber.id} ${publisher.id} ${kind}`, { subscriber, publisher, kind });
    };
    const isOther = (one: Server) => one.id !== subscriber.id;
    for (const subscription of subscriber.role?.is_in_recovery ? [] : (subscriber.role?.subscriptions ?? []))
      add(publisherOf(subscriber, subscription, { ...base, fits: isOther }), 'logical');
    for (const subscription of subscriber.role?.spock?.subscriptions ?? []) {
      const fits = (one: Server) => isOther(one) && one.role?.spock?.node_id === subscription.origin_id;
      add(publisherOf(subscriber, subscription, { ...base, fits }), 'spock');
    }
  }
  return [...links.values()].sort(
    (a, b) => a.subscriber.id - b.subscriber.id || a.publisher.id - b.publisher.id,
  );
}
