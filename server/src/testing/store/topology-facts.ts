// What servers say of themselves, made by hand for tests of detection: a primary, its standbys, publishers and nodes of
// spock, each as the collector would have read it.
import type {
  Detection,
  Memory,
  NodeFacts,
  RoleFacts,
  SpockSubscription,
  Subscription,
} from '../../estate/topology/types.ts';

export const NO_MEMORY: Memory = { members: new Map(), names: new Map(), labels: [] };

const ROLE: RoleFacts = {
  is_in_recovery: false,
  timeline_id: 1,
  started_at: null,
  is_publisher: false,
  is_subscriber: false,
  upstream_host: null,
  upstream_port: null,
  receiver_slot_name: null,
  own_address: null,
  own_port: null,
  standby_count: 0,
  standbys: [],
  subscribers: [],
  logical_slots: [],
  subscriptions: [],
  spock: null,
};

/** Seconds after the beginning of the story. */
export const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds).toISOString();

export type Wish = Partial<Omit<NodeFacts, 'role'>> & { role?: Partial<RoleFacts> | null };

/** A server by itself at 10.0.0.<id>:5432, read at the beginning. */
export function server(connection_id: number, wish: Wish = {}): NodeFacts {
  const { role, ...facts } = wish;
  const started_at = `2026-01-01T00:00:00.${String(connection_id).padStart(6, '0')}Z`;
  return {
    connection_id,
    name: `server ${connection_id}`,
    host: `10.0.0.${connection_id}`,
    hostaddr: null,
    port: 5432,
    is_reachable: true,
    collected_at: at(0),
    system_identifier: `sys${connection_id}`,
    cluster_name: null,
    version: '18.1',
    os: null,
    ...facts,
    role: role === null ? null : { ...ROLE, started_at, ...role },
  };
}

export const primary = (id: number, system: string, wish: Wish = {}): NodeFacts =>
  server(id, { system_identifier: system, ...wish });

/** Streams from the server at 10.0.0.<from>; without that it may not be read. */
export function standby(id: number, system: string, wish: Wish & { from?: number } = {}): NodeFacts {
  const { from, role, ...facts } = wish;
  const upstream = from === undefined ? {} : { upstream_host: `10.0.0.${from}`, upstream_port: 5432 };
  return primary(id, system, {
    ...facts,
    role: role === null ? null : { is_in_recovery: true, ...upstream, ...role },
  });
}

export const subscription = (name: string, wish: Partial<Subscription> = {}): Subscription => ({
  name,
  slot_name: name,
  publisher_host: null,
  publisher_port: null,
  publisher_database: null,
  ...wish,
});

/** A node of spock with a subscription to each of the others, at 10.0.0.<connection>. */
export function spockNode(
  { connection, node }: { connection: number; node: number },
  others: readonly { connection: number; node: number }[],
  wish: Wish = {},
): NodeFacts {
  const subscriptions = others.map(
    (other): SpockSubscription => ({
      ...subscription(`sub_n${node}_n${other.node}`, {
        slot_name: `spk_app_n${other.node}_sub_n${node}_n${other.node}`,
        publisher_host: `10.0.0.${other.connection}`,
        publisher_port: 5432,
      }),
      origin_id: String(other.node),
    }),
  );
  const logical_slots = others.map((other) => ({
    name: `spk_app_n${node}_sub_n${other.node}_n${node}`,
    database: 'app',
  }));
  const spock = { node_id: String(node), node_name: `n${node}`, version: '5.0.1', subscriptions };
  return server(connection, {
    ...wish,
    role: wish.role === null ? null : { logical_slots, spock, ...wish.role },
  });
}

/** What the next detection knows of this one. */
export const remembered = (detection: Detection, before?: Memory): Memory => ({
  members: new Map(detection.nodes.map((node) => [node.connection_id, node])),
  names: new Map(detection.clusters.map(({ cluster_key, name }) => [cluster_key, name])),
  labels: [
    ...(before?.labels ?? []).filter(({ label }) => !detection.labels.some((one) => one.label === label)),
    ...detection.labels,
  ],
});

/** Clusters as {key: 'type: members'}, where a standby stands in brackets behind its upstream. */
export function drawn({ nodes, clusters }: Detection): Record<string, string> {
  const draw = (key: string, parent: number | null): string =>
    nodes
      .filter((node) => node.cluster_key === key && node.parent_connection_id === parent)
      .map(({ connection_id }) => {
        const below = draw(key, connection_id);
        return below === '' ? `${connection_id}` : `${connection_id}(${below})`;
      })
      .join(' ');
  return Object.fromEntries(
    clusters.map(({ cluster_key, cluster_type }) => [
      cluster_key,
      `${cluster_type}: ${draw(cluster_key, null)}`,
    ]),
  );
}
