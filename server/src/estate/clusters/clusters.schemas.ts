// Shapes of clusters, groups and relationships, as they are stored; the tree made of them is in topology.schemas.ts.
import {
  boolean,
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

export const Cluster = object(
  {
    id: id(),
    group_id: nullable(integer({ description: 'Null: the default group.' })),
    name: text(),
    description: optional(text()),
    replication_type: replicationType(),
    auto_cluster_key: nullable(text({ description: 'Null for a cluster that was created by hand.' })),
    created_at: timestamp(),
    updated_at: timestamp(),
    dismissed: optional(boolean()),
  },
  { title: 'Cluster' },
);

export const ClusterSummary = object(
  {
    id: id(),
    name: text(),
    replication_type: nullable(text()),
    auto_cluster_key: nullable(text()),
    dismissed: optional(boolean()),
  },
  { title: 'ClusterSummary' },
);

export const ClusterCreateRequest = object(
  { name: name(), description: description(), replication_type: replicationType(), group_id: optional(id()) },
  { title: 'ClusterCreateRequest' },
);

export const ClusterInGroupRequest = object(
  { name: name(), description: description(), replication_type: replicationType() },
  { title: 'ClusterInGroupRequest' },
);

export const ClusterUpdateRequest = object(
  {
    name: optional(name()),
    description: description(),
    group_id: optional(nullable(id())),
    replication_type: replicationType(),
    auto_cluster_key: optional(text({ maxLength: 300 })),
    dismissed: optional(boolean()),
  },
  { title: 'ClusterUpdateRequest' },
);

export const ClusterServerInfo = object(
  {
    id: id(),
    name: text(),
    host: text(),
    port: integer(),
    status: oneOf(SERVER_STATUSES),
    connection_error: optional(text()),
    role: optional(text()),
    membership_source: optional(oneOf(MEMBERSHIPS)),
    database_name: optional(text()),
  },
  { title: 'ClusterServerInfo' },
);

const role = () => text({ maxLength: 255 });

export const AddServerRequest = object(
  { connection_id: id(), role: optional(role()) },
  { title: 'AddServerRequest' },
);
export const AddServerResponse = object(
  { cluster_id: id(), connection_id: id(), role: nullable(text()) },
  { title: 'AddServerResponse' },
);

export const NodeRelationship = object(
  {
    id: id(),
    cluster_id: integer({ description: '0 while the cluster of the source is not stored.' }),
    source_connection_id: id(),
    target_connection_id: id(),
    source_name: text(),
    target_name: text(),
    relationship_type: oneOf(RELATIONSHIP_TYPES),
    is_auto_detected: boolean(),
  },
  { title: 'NodeRelationship' },
);

export const SetRelationshipsRequest = object(
  {
    relationships: list(
      object({ target_connection_id: id(), relationship_type: oneOf(RELATIONSHIP_TYPES) }),
      { maxItems: 1000 },
    ),
  },
  { title: 'SetRelationshipsRequest' },
);

export const ConnectionClusterInfo = object(
  {
    cluster_id: nullable(integer()),
    role: nullable(text()),
    membership_source: oneOf(MEMBERSHIPS),
    cluster_name: nullable(text()),
    replication_type: nullable(text()),
    auto_cluster_key: nullable(text()),
  },
  { title: 'ConnectionClusterInfo' },
);

export const StandbyReceiver = object(
  {
    is_receiving: nullable(boolean({ description: 'Null: not known, for the reason.' })),
    reason: nullable(text({ description: 'Why nothing reaches it, or why that is not known.' })),
    since: nullable(timestamp({ description: 'Since when.' })),
    collected_at: timestamp(),
    current_until: timestamp({ description: 'What was collected is that of now until then.' }),
  },
  { title: 'StandbyReceiver' },
);

export const ConnectionClusterResponse = object(
  {
    info: ConnectionClusterInfo,
    clusters: list(ClusterSummary),
    relationships: list(NodeRelationship),
    receiver: ours(nullable(StandbyReceiver)),
  },
  { title: 'ConnectionClusterResponse' },
);

export const ConnectionClusterUpdateRequest = object(
  {
    cluster_id: nullable(id()),
    role: optional(nullable(text({ minLength: 0, maxLength: 255 }))),
    membership_source: oneOf(MEMBERSHIPS),
  },
  { title: 'ConnectionClusterUpdateRequest' },
);

export const ClusterGroup = object(
  {
    id: id(),
    name: text(),
    description: optional(text()),
    owner_username: nullable(text()),
    is_shared: boolean(),
    is_default: boolean(),
    auto_group_key: nullable(text()),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { title: 'ClusterGroup' },
);

export const ClusterGroupRequest = object(
  { name: name(), description: description(), is_shared: optional(boolean()) },
  { title: 'ClusterGroupRequest' },
);
