// Shapes of clusters, groups and relationships, as they are stored; the tree made of them is in topology.schemas.ts.
import * as s from '../../kernel/schema.ts';
import { SERVER_STATUSES } from '../estate/estate.contract.ts';

export const REPLICATION_TYPES = ['binary', 'spock', 'logical', 'other'] as const;
export const RELATIONSHIP_TYPES = ['streams_from', 'subscribes_to', 'replicates_with'] as const;
export const MEMBERSHIPS = ['auto', 'manual'] as const;

const name = () => s.displayName();
/** Emptied by an empty text. */
const description = () => s.optional(s.text({ minLength: 0, maxLength: 4000 }));
const replicationType = () => s.optional(s.oneOf(REPLICATION_TYPES));

/** The path of one cluster, in each of the forms that the topology uses. */
export const clusterPath = () =>
  s.object({
    id: s.text({
      pattern: '^([0-9]+|cluster-[0-9]+|server-[0-9]+|cluster-spock-.+)$',
      description: 'N, cluster-N, server-N or cluster-spock-<prefix>',
    }),
  });

export const Cluster = s.component('Cluster', {
  id: s.id(),
  group_id: s.nullable(s.integer({ description: 'Null: the default group.' })),
  name: s.text(),
  description: s.optional(s.text()),
  replication_type: replicationType(),
  auto_cluster_key: s.nullable(s.text({ description: 'Null for a cluster that was created by hand.' })),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
  dismissed: s.optional(s.boolean()),
});

export const ClusterSummary = s.component('ClusterSummary', {
  id: s.id(),
  name: s.text(),
  replication_type: s.nullable(s.text()),
  auto_cluster_key: s.nullable(s.text()),
  dismissed: s.optional(s.boolean()),
});

export const ClusterCreateRequest = s.component('ClusterCreateRequest', {
  name: name(),
  description: description(),
  replication_type: replicationType(),
  group_id: s.optional(s.id()),
});

export const ClusterInGroupRequest = s.component('ClusterInGroupRequest', {
  name: name(),
  description: description(),
  replication_type: replicationType(),
});

export const ClusterUpdateRequest = s.component('ClusterUpdateRequest', {
  name: s.optional(name()),
  description: description(),
  group_id: s.optional(s.nullable(s.id())),
  replication_type: replicationType(),
  auto_cluster_key: s.optional(s.text({ maxLength: 300 })),
  dismissed: s.optional(s.boolean()),
});

export const ClusterServerInfo = s.component('ClusterServerInfo', {
  id: s.id(),
  name: s.text(),
  host: s.text(),
  port: s.integer(),
  status: s.oneOf(SERVER_STATUSES),
  connection_error: s.optional(s.text()),
  role: s.optional(s.text()),
  membership_source: s.optional(s.oneOf(MEMBERSHIPS)),
  database_name: s.optional(s.text()),
});

const role = () => s.text({ maxLength: 255 });

export const AddServerRequest = s.component('AddServerRequest', {
  connection_id: s.id(),
  role: s.optional(role()),
});
export const AddServerResponse = s.component('AddServerResponse', {
  cluster_id: s.id(),
  connection_id: s.id(),
  role: s.nullable(s.text()),
});

export const NodeRelationship = s.component('NodeRelationship', {
  id: s.id(),
  cluster_id: s.integer({ description: '0 while the cluster of the source is not stored.' }),
  source_connection_id: s.id(),
  target_connection_id: s.id(),
  source_name: s.text(),
  target_name: s.text(),
  relationship_type: s.oneOf(RELATIONSHIP_TYPES),
  is_auto_detected: s.boolean(),
});

export const SetRelationshipsRequest = s.component('SetRelationshipsRequest', {
  relationships: s.list(
    s.object({ target_connection_id: s.id(), relationship_type: s.oneOf(RELATIONSHIP_TYPES) }),
    {
      maxItems: 1000,
    },
  ),
});

export const ConnectionClusterInfo = s.component('ConnectionClusterInfo', {
  cluster_id: s.nullable(s.integer()),
  role: s.nullable(s.text()),
  membership_source: s.oneOf(MEMBERSHIPS),
  cluster_name: s.nullable(s.text()),
  replication_type: s.nullable(s.text()),
  auto_cluster_key: s.nullable(s.text()),
});

export const StandbyReceiver = s.component('StandbyReceiver', {
  is_receiving: s.nullable(s.boolean({ description: 'Null: not known, for the reason.' })),
  reason: s.nullable(s.text({ description: 'Why nothing reaches it, or why that is not known.' })),
  since: s.nullable(s.timestamp({ description: 'Since when.' })),
  collected_at: s.timestamp(),
  current_until: s.timestamp({ description: 'What was collected is that of now until then.' }),
});

export const ConnectionClusterResponse = s.component('ConnectionClusterResponse', {
  info: ConnectionClusterInfo,
  clusters: s.list(ClusterSummary),
  relationships: s.list(NodeRelationship),
  receiver: s.ours(s.nullable(StandbyReceiver)),
});

export const ConnectionClusterUpdateRequest = s.component('ConnectionClusterUpdateRequest', {
  cluster_id: s.nullable(s.id()),
  role: s.optional(s.nullable(s.text({ minLength: 0, maxLength: 255 }))),
  membership_source: s.oneOf(MEMBERSHIPS),
});

export const ClusterGroup = s.component('ClusterGroup', {
  id: s.id(),
  name: s.text(),
  description: s.optional(s.text()),
  owner_username: s.nullable(s.text()),
  is_shared: s.boolean(),
  is_default: s.boolean(),
  auto_group_key: s.nullable(s.text()),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
});

export const ClusterGroupRequest = s.component('ClusterGroupRequest', {
  name: name(),
  description: description(),
  is_shared: s.optional(s.boolean()),
});
