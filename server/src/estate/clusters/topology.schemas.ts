// The estate as a tree: groups of clusters of servers, standbys under the server they stream from.
import * as s from '../../kernel/schema.ts';
import { SERVER_STATUSES } from '../estate/estate.contract.ts';
import { MEMBERSHIPS, RELATIONSHIP_TYPES, REPLICATION_TYPES } from './clusters.schemas.ts';

export const CLUSTER_TYPES = ['spock', 'spock_ha', 'binary', 'logical', 'server', 'manual'] as const;

const TopologyRelationship = s.component('TopologyRelationship', {
  target_server_id: s.id(),
  target_server_name: s.text(),
  relationship_type: s.oneOf(RELATIONSHIP_TYPES),
  is_auto_detected: s.boolean(),
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

const TopologyServer = s.recursive<TopologyServerShape>('TopologyServer', (self) =>
  s.object({
    id: s.id(),
    name: s.text(),
    description: s.text(),
    host: s.text(),
    port: s.integer(),
    status: s.oneOf(SERVER_STATUSES),
    connection_error: s.optional(s.text()),
    active_alert_count: s.integer(),
    role: s.optional(s.text({ description: 'The given one, else the detected one.' })),
    primary_role: s.text({ description: 'As detected; unknown until it was read.' }),
    is_expandable: s.boolean(),
    membership_source: s.optional(s.oneOf(MEMBERSHIPS)),
    owner_username: s.optional(s.text()),
    version: s.optional(s.text()),
    os: s.optional(s.text()),
    spock_node_name: s.optional(s.text()),
    spock_version: s.optional(s.text()),
    database_name: s.optional(s.text()),
    username: s.optional(s.text()),
    children: s.optional(s.list(self, { description: 'Standbys that stream from it.' })),
    relationships: s.optional(s.list(TopologyRelationship)),
  }),
);

export const TopologyCluster = s.component('TopologyCluster', {
  id: s.text({ description: 'cluster-N, cluster-spock-<prefix> or server-N.' }),
  name: s.text(),
  description: s.optional(s.text()),
  cluster_type: s.oneOf(CLUSTER_TYPES),
  replication_type: s.optional(s.oneOf(REPLICATION_TYPES)),
  auto_cluster_key: s.optional(s.text()),
  servers: s.list(TopologyServer),
});

export const TopologyGroup = s.component('TopologyGroup', {
  id: s.text({ description: 'group-N.' }),
  name: s.text(),
  description: s.optional(s.ours(s.text())),
  is_shared: s.optional(s.ours(s.boolean())),
  is_default: s.optional(s.boolean()),
  auto_group_key: s.optional(s.text()),
  clusters: s.list(TopologyCluster),
});
