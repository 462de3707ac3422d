// What detection is given and what it answers. Pure data: where it comes from and goes to is topology.service.ts.

/** A walsender on a server, as the server tells of it. */
export interface Sender {
  readonly application_name: string;
  /** null: a socket on the same machine. */
  readonly client_addr: string | null;
  readonly slot_name: string | null;
}

export interface LogicalSlot {
  readonly name: string;
  readonly database: string | null;
}

/** A subscription on a server; what may not be read is null. */
export interface Subscription {
  readonly name: string;
  readonly slot_name: string | null;
  readonly publisher_host: string | null;
  readonly publisher_port: number | null;
  readonly publisher_database: string | null;
}

export interface SpockSubscription extends Subscription {
  /** The node it reads from. */
  readonly origin_id: string;
}

export interface SpockNode {
  readonly node_id: string;
  readonly node_name: string;
  readonly version: string | null;
  readonly subscriptions: readonly SpockSubscription[];
}

/** What a server said of its part in replication when it was last asked. */
export interface RoleFacts {
  readonly is_in_recovery: boolean;
  readonly timeline_id: number | null;
  readonly started_at: string | null;
  readonly is_publisher: boolean;
  readonly is_subscriber: boolean;
  readonly upstream_host: string | null;
  readonly upstream_port: number | null;
  readonly receiver_slot_name: string | null;
  /** The address and port that the collector's session ended at, seen from the server. */
  readonly own_address: string | null;
  readonly own_port: number | null;
  readonly standby_count: number;
  readonly standbys: readonly Sender[];
  readonly subscribers: readonly Sender[];
  readonly logical_slots: readonly LogicalSlot[];
  readonly subscriptions: readonly Subscription[];
  readonly spock: SpockNode | null;
}

/** One connection, with what was last collected over it. */
export interface NodeFacts {
  readonly connection_id: number;
  readonly name: string;
  readonly host: string;
  readonly hostaddr: string | null;
  readonly port: number;
  /** Monitored, and the collector's session works: what it said is so now. */
  readonly is_reachable: boolean;
  readonly collected_at: string | null;
  /** null until it was read. */
  readonly role: RoleFacts | null;
  readonly system_identifier: string | null;
  /** The setting cluster_name. */
  readonly cluster_name: string | null;
  readonly version: string | null;
  readonly os: string | null;
}

export interface ClusterMember {
  readonly cluster_key: string;
  readonly parent_connection_id: number | null;
}

/** The label of a spock cluster with the nodes that it was given to. */
export interface Label {
  readonly label: string;
  readonly node_keys: readonly string[];
}

/** What detection answered last time. */
export interface Memory {
  readonly members: ReadonlyMap<number, ClusterMember>;
  /** Names of clusters by key. */
  readonly names: ReadonlyMap<string, string>;
  readonly labels: readonly Label[];
}

export type PrimaryRole =
  | 'standalone'
  | 'binary_primary'
  | 'binary_standby'
  | 'logical_publisher'
  | 'logical_subscriber'
  | 'logical_bidirectional'
  | 'spock_node'
  | 'spock_standby';

export interface DetectedNode {
  readonly connection_id: number;
  readonly cluster_key: string;
  readonly primary_role: PrimaryRole | null;
  readonly parent_connection_id: number | null;
  readonly system_identifier: string | null;
  readonly version: string | null;
  readonly os: string | null;
  readonly spock_node_name: string | null;
  readonly spock_version: string | null;
  readonly collected_at: string | null;
}

export type ClusterType = 'spock' | 'spock_ha' | 'binary' | 'logical' | 'server';

export interface DetectedCluster {
  readonly cluster_key: string;
  readonly cluster_type: ClusterType;
  readonly replication_type: 'spock' | 'binary' | 'logical' | null;
  readonly name: string;
  /** The key under which the same cluster was known until now: what is stored for that one is its. */
  readonly former_key: string | null;
}

export interface Relationship {
  readonly source_connection_id: number;
  readonly target_connection_id: number;
  readonly relationship_type: 'streams_from' | 'subscribes_to' | 'replicates_with';
}

export interface Detection {
  readonly nodes: readonly DetectedNode[];
  readonly clusters: readonly DetectedCluster[];
  readonly relationships: readonly Relationship[];
  /** Labels that are new or were given to further nodes. */
  readonly labels: readonly Label[];
}
