// Who is in a cluster, and who replicates from whom. What people set stays until they remove it; what detection found
// follows detection.
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  AddServerRequest,
  AddServerResponse,
  ClusterServerInfo,
  ConnectionClusterInfo,
  ConnectionClusterResponse,
  ConnectionClusterUpdateRequest,
  NodeRelationship,
  SetRelationshipsRequest,
} from './clusters.schemas.ts';

const tag = 'clusters';
const done = { status: 204, description: 'Done; no body.' } as const;
const relationship = {
  id: 9,
  cluster_id: 4,
  source_connection_id: 3,
  target_connection_id: 2,
  source_name: 'orders-standby',
  target_name: 'orders-primary',
  relationship_type: 'streams_from',
  is_auto_detected: true,
};
const info = {
  cluster_id: 4,
  role: 'binary_standby',
  membership_source: 'auto',
  cluster_name: 'orders',
  replication_type: 'binary',
  auto_cluster_key: 'binary:2',
};

export const listClusterServers = operation({
  id: 'listClusterServers',
  route: 'GET /api/v1/clusters/{id}/servers',
  tag,
  summary: 'List servers in a cluster',
  access: { object: 'cluster' },
  ...byId(4),
  success: ok(s.list(ClusterServerInfo), [
    {
      id: 2,
      name: 'orders-primary',
      host: 'db1.example.com',
      port: 5432,
      status: 'online',
      role: 'binary_primary',
      membership_source: 'auto',
      database_name: 'postgres',
    },
  ]),
  notes: ['Only members the caller can read. status follows the same ages as the topology.'],
});

export const addClusterServer = operation({
  id: 'addClusterServer',
  route: 'POST /api/v1/clusters/{id}/servers',
  tag,
  summary: 'Add a server to a cluster',
  access: {
    object: 'cluster',
    permission: 'manage_connections',
    connection: 'body.connection_id',
    need: 'read',
  },
  ...byId(4),
  body: AddServerRequest,
  bodyExample: { connection_id: 3, role: 'reporting' },
  success: ok(AddServerResponse, { cluster_id: 4, connection_id: 3, role: 'reporting' }),
  notes: [
    'Moves the connection here and pins it (membership_source manual). Repeating it is harmless.',
    'A dismissed cluster comes back.',
  ],
});

export const removeClusterServer = operation({
  id: 'removeClusterServer',
  route: 'DELETE /api/v1/clusters/{id}/servers/{connectionId}',
  tag,
  summary: 'Remove a server from a cluster',
  access: { object: 'cluster', permission: 'manage_connections' },
  params: s.object({ id: s.id(), connectionId: s.id() }),
  paramsExample: { id: 4, connectionId: 3 },
  success: done,
  notes: ['The connection stays, detached and pinned manual to no cluster. 404 when it is not a member.'],
});

export const listClusterRelationships = operation({
  id: 'listClusterRelationships',
  route: 'GET /api/v1/clusters/{id}/relationships',
  tag,
  summary: 'List cluster relationships',
  access: { object: 'cluster' },
  ...byId(4),
  success: ok(s.list(NodeRelationship), [relationship]),
  notes: ['Only relationships whose both ends the caller can read.'],
});

export const deleteClusterRelationship = operation({
  id: 'deleteClusterRelationship',
  route: 'DELETE /api/v1/clusters/{id}/relationships/{relationshipId}',
  tag,
  summary: 'Delete a cluster relationship',
  access: { object: 'cluster', permission: 'manage_connections' },
  params: s.object({ id: s.id(), relationshipId: s.id() }),
  paramsExample: { id: 4, relationshipId: 9 },
  success: done,
  notes: [
    '404 when the relationship belongs to another cluster. A detected relationship may come back with the next detection.',
  ],
});

export const setConnectionRelationships = operation({
  id: 'setConnectionRelationships',
  route: 'PUT /api/v1/clusters/{id}/connections/{connId}/relationships',
  tag,
  summary: 'Set the manual relationships of a connection',
  access: { object: 'cluster', permission: 'manage_connections' },
  params: s.object({ id: s.id(), connId: s.id() }),
  paramsExample: { id: 4, connId: 3 },
  body: SetRelationshipsRequest,
  bodyExample: { relationships: [{ target_connection_id: 2, relationship_type: 'subscribes_to' }] },
  extra: true,
  success: ok(s.list(NodeRelationship), [relationship]),
  notes: [
    'Replaces the manual relationships that start at connId; detected ones stay. Replies with all relationships that start at connId.',
    '400 for a target outside the cluster, a target equal to connId, or a repeated pair.',
  ],
});

export const clearConnectionRelationships = operation({
  id: 'clearConnectionRelationships',
  route: 'DELETE /api/v1/clusters/{id}/connections/{connId}/relationships',
  tag,
  summary: 'Clear the manual relationships of a connection',
  access: { object: 'cluster', permission: 'manage_connections' },
  params: s.object({ id: s.id(), connId: s.id() }),
  paramsExample: { id: 4, connId: 3 },
  extra: true,
  success: done,
  notes: ['Removes the manual relationships that start at connId. Idempotent.'],
});

export const getConnectionCluster = operation({
  id: 'getConnectionCluster',
  route: 'GET /api/v1/connections/{id}/cluster',
  tag: 'connections',
  summary: 'Cluster membership of a connection',
  access: { connection: 'id', need: 'read' },
  ...byId(3),
  extra: true,
  success: ok(ConnectionClusterResponse, {
    info,
    clusters: [
      { id: 4, name: 'orders', replication_type: 'binary', auto_cluster_key: 'binary:2', dismissed: false },
    ],
    relationships: [relationship],
    receiver: {
      is_receiving: true,
      reason: null,
      since: null,
      collected_at: '2026-11-20T10:00:00.000Z',
      current_until: '2026-11-20T10:01:15.000Z',
    },
  }),
  notes: [
    'info describes the membership, clusters lists every cluster visible to the caller (for a picker), relationships those with this connection at either end.',
    'receiver says whether WAL reaches a standby, and since when not; null of a server that is none.',
  ],
});

export const setConnectionCluster = operation({
  id: 'setConnectionCluster',
  route: 'PUT /api/v1/connections/{id}/cluster',
  tag: 'connections',
  summary: 'Set the cluster of a connection',
  access: { connection: 'id', need: 'read', permission: 'manage_connections' },
  ...byId(3),
  body: ConnectionClusterUpdateRequest,
  bodyExample: { cluster_id: null, membership_source: 'auto' },
  extra: true,
  success: ok(ConnectionClusterInfo, info),
  notes: [
    'membership_source manual pins the connection to cluster_id (null = to no cluster); auto gives it back to detection, cluster_id and role then only count until the next detection.',
    'A role of null or an empty text takes a given role away; an absent one keeps it.',
  ],
});
