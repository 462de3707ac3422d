// Shapes of clusters, groups and relationships, as they are stored; the tree made of them is in topology.schemas.ts.
import {
  boolean,
  component,
  displayName,
  id,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  ours,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { SERVER_STATUSES } from '../estate/estate.contract.ts';

export const REPLICATION_TYPES = ['binary', 'spock', 'logical', 'other'] as const;
export const RELATIONSHIP_TYPES = ['streams_from', 'subscribes_to', 'replicates_with'] as const;
export const MEMBERSHIPS = ['auto', 'manual'] as const;

const name = () => displayName();
/** Emptied by an empty text. */
const description = () => optional(text({ minLength: 0, maxLength: 4000 }));
const replicationType = () => optional(oneOf(REPLICATION_TYPES));

/** The path of one cluster, in each of the forms that the topology uses. */
export const clusterPath = () =>
  object({
    id: text({
      pattern: '^([0-9]+|cluster-[0-9]+|server-[0-9]+|cluster-spock-.+)$',
      description: 'N, cluster-N, server-N or cluster-spock-<prefix>',
    }),
  });

export const Cluster = component('Cluster', {
  id: id(),
  group_id: nullable(integer({ description: 'Null: the default group.' })),
  name: text(),
  description: optional(text()),
  replication_type: replicationType(),
  auto_cluster_key: nullable(text({ description: 'Null for a cluster that was created by hand.' })),
  created_at: timestamp(),
  updated_at: timestamp(),
  dismissed: optional(boolean()),
});

export const ClusterSummary = component('ClusterSummary', {
  id: id(),
  name: text(),
  replication_type: nullable(text()),
  auto_cluster_key: nullable(text()),
  dismissed: optional(boolean()),
});

export const ClusterCreateRequest = component('ClusterCreateRequest', {
  name: name(),
  description: description(),
  replication_type: replicationType(),
  group_id: optional(id()),
});

export const ClusterInGroupRequest = component('ClusterInGroupRequest', {
  name: name(),
  description: description(),
  replication_type: replicationType(),
});

export const ClusterUpdateRequest = component('ClusterUpdateRequest', {
  name: optional(name()),
  description: description(),
  group_id: optional(nullable(id())),
  replication_type: replicationType(),
  auto_cluster_key: optional(text({ maxLength: 300 })),
  dismissed: optional(boolean()),
});

export const ClusterServerInfo = component('ClusterServerInfo', {
  id: id(),
  name: text(),
  host: text(),
  port: integer(),
  status: oneOf(SERVER_STATUSES),
  connection_error: optional(text()),
  role: optional(text()),
  membership_source: optional(oneOf(MEMBERSHIPS)),
  database_name: optional(text()),
});

const role = () => text({ maxLength: 255 });

export const AddServerRequest = component('AddServerRequest', {
  connection_id: id(),
  role: optional(role()),
});
export const AddServerResponse = component('AddServerResponse', {
  cluster_id: id(),
  connection_id: id(),
  role: nullable(text()),
});

export const NodeRelationship = component('NodeRelationship', {
  id: id(),
  cluster_id: integer({ description: '0 while the cluster of the source is not stored.' }),
  source_connection_id: id(),
  target_connection_id: id(),
  source_name: text(),
  target_name: text(),
  relationship_type: oneOf(RELATIONSHIP_TYPES),
  is_auto_detected: boolean(),
});

export const SetRelationshipsRequest = component('SetRelationshipsRequest', {
  relationships: list(object({ target_connection_id: id(), relationship_type: oneOf(RELATIONSHIP_TYPES) }), {
    maxItems: 1000,
  }),
});

export const ConnectionClusterInfo = component('ConnectionClusterInfo', {
  cluster_id: nullable(integer()),
  role: nullable(text()),
  membership_source: oneOf(MEMBERSHIPS),
  cluster_name: nullable(text()),
  replication_type: nullable(text()),
  auto_cluster_key: nullable(text()),
});

export const StandbyReceiver = component('StandbyReceiver', {
  is_receiving: nullable(boolean({ description: 'Null: not known, for the reason.' })),
  reason: nullable(text({ description: 'Why nothing reaches it, or why that is not known.' })),
  since: nullable(timestamp({ description: 'Since when.' })),
  collected_at: timestamp(),
  current_until: timestamp({ description: 'What was collected is that of now until then.' }),
});

export const ConnectionClusterResponse = component('ConnectionClusterResponse', {
  info: ConnectionClusterInfo,
  clusters: list(ClusterSummary),
  relationships: list(NodeRelationship),
  receiver: ours(nullable(StandbyReceiver)),
});

export const ConnectionClusterUpdateRequest = component('ConnectionClusterUpdateRequest', {
  cluster_id: nullable(id()),
  role: optional(nullable(text({ minLength: 0, maxLength: 255 }))),
  membership_source: oneOf(MEMBERSHIPS),
});

export const ClusterGroup = component('ClusterGroup', {
  id: id(),
  name: text(),
  description: optional(text()),
  owner_username: nullable(text()),
  is_shared: boolean(),
  is_default: boolean(),
  auto_group_key: nullable(text()),
  created_at: timestamp(),
  updated_at: timestamp(),
});

export const ClusterGroupRequest = component('ClusterGroupRequest', {
  name: name(),
  description: description(),
  is_shared: optional(boolean()),
});
