// The estate as a tree: groups of clusters of servers, standbys under the server they stream from.
import {
  boolean,
  component,
  id,
  integer,
  list,
  object,
  oneOf,
  optional,
  ours,
  recursive,
  text,
} from '../../kernel/schema.ts';
import { SERVER_STATUSES } from '../estate/estate.contract.ts';
import { MEMBERSHIPS, RELATIONSHIP_TYPES, REPLICATION_TYPES } from './clusters.schemas.ts';

export const CLUSTER_TYPES = ['spock', 'spock_ha', 'binary', 'logical', 'server', 'manual'] as const;

const TopologyRelationship = component('TopologyRelationship', {
  target_server_id: id(),
  target_server_name: text(),
  relationship_type: oneOf(RELATIONSHIP_TYPES),
  is_auto_detected: boolean(),
});

export interface TopologyServerShape {
  id: number;
  name: string;
  description: string;
  host: string;
  port: number;
  status: (typeof SERVER_STATUSES)[number];
  connection_error?: string | undefined;
  active_alert_count: number;
  role?: string | undefined;
  primary_role: string;
  is_expandable: boolean;
  membership_source?: (typeof MEMBERSHIPS)[number];
  owner_username?: string;
  version?: string | undefined;
  os?: string | undefined;
  spock_node_name?: string | undefined;
  spock_version?: string | undefined;
  database_name?: string;
  username?: string;
  children?: TopologyServerShape[];
  relationships?: {
    target_server_id: number;
    target_server_name: string;
    relationship_type: (typeof RELATIONSHIP_TYPES)[number];
    is_auto_detected: boolean;
  }[];
}

const TopologyServer = recursive<TopologyServerShape>('TopologyServer', (self) =>
  object({
    id: id(),
    name: text(),
    description: text(),
    host: text(),
    port: integer(),
    status: oneOf(SERVER_STATUSES),
    connection_error: optional(text()),
    active_alert_count: integer(),
    role: optional(text({ description: 'The given one, else the detected one.' })),
    primary_role: text({ description: 'As detected; unknown until it was read.' }),
    is_expandable: boolean(),
    membership_source: optional(oneOf(MEMBERSHIPS)),
    owner_username: optional(text()),
    version: optional(text()),
    os: optional(text()),
    spock_node_name: optional(text()),
    spock_version: optional(text()),
    database_name: optional(text()),
    username: optional(text()),
    children: optional(list(self, { description: 'Standbys that stream from it.' })),
    relationships: optional(list(TopologyRelationship)),
  }),
);

export const TopologyCluster = component('TopologyCluster', {
  id: text({ description: 'cluster-N, cluster-spock-<prefix> or server-N.' }),
  name: text(),
  description: optional(text()),
  cluster_type: oneOf(CLUSTER_TYPES),
  replication_type: optional(oneOf(REPLICATION_TYPES)),
  auto_cluster_key: optional(text()),
  servers: list(TopologyServer),
});

export const TopologyGroup = component('TopologyGroup', {
  id: text({ description: 'group-N.' }),
  name: text(),
  description: optional(ours(text())),
  is_shared: optional(ours(boolean())),
  is_default: optional(boolean()),
  auto_group_key: optional(text()),
  clusters: list(TopologyCluster),
});
