// Clusters: what detection found and people made, as one tree and one by one. Deleting a detected cluster hides it;
// nothing here touches what was collected.
import { created, DONE, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  Cluster,
  ClusterCreateRequest,
  ClusterSummary,
  ClusterUpdateRequest,
  clusterPath,
} from './clusters.schemas.ts';
import { TopologyGroup } from './topology.schemas.ts';

const operation = operationsOf({ tag: 'clusters' });
const time = '2026-11-20T10:00:00.000Z';
const paramsExample = { id: 'cluster-4' };

export const clusterExample = {
  id: 4,
  group_id: 2,
  name: 'orders',
  description: 'Orders, Frankfurt',
  replication_type: 'binary',
  auto_cluster_key: 'binary:2',
  created_at: time,
  updated_at: time,
  dismissed: false,
};

const standby = {
  id: 3,
  name: 'orders-standby',
  description: '',
  host: 'db2.example.com',
  port: 5432,
  status: 'online',
  active_alert_count: 0,
  role: 'binary_standby',
  primary_role: 'binary_standby',
  is_expandable: false,
  membership_source: 'auto',
  owner_username: 'admin',
  version: '18.4',
  os: 'Debian GNU/Linux 12',
  database_name: 'postgres',
  username: 'matriarch_monitor',
  relationships: [
    {
      target_server_id: 2,
      target_server_name: 'orders-primary',
      relationship_type: 'streams_from',
      is_auto_detected: true,
    },
  ],
};
const primary = {
  ...standby,
  id: 2,
  name: 'orders-primary',
  description: 'Orders, Frankfurt',
  host: 'db1.example.com',
  role: 'binary_primary',
  primary_role: 'binary_primary',
  is_expandable: true,
  children: [standby],
  relationships: [],
};

export const getTopology = operation({
  id: 'getTopology',
  route: 'GET /api/v1/clusters',
  summary: 'Cluster topology hierarchy',
  access: { visible: 'connections' },
  hasETag: true,
  success: ok(s.list(TopologyGroup), [
    {
      id: 'group-1',
      name: 'Ungrouped',
      description: '',
      is_shared: true,
      is_default: true,
      clusters: [
        {
          id: 'cluster-4',
          name: 'orders',
          description: 'Orders, Frankfurt',
          cluster_type: 'binary',
          replication_type: 'binary',
          auto_cluster_key: 'binary:2',
          servers: [primary],
        },
      ],
    },
  ]),
  notes: [
    'Bare array of groups. Ids are strings: group-N; cluster-N, cluster-spock-<prefix>, server-N (standalone, N = connection id).',
    'Reads prepared detection results only; it never writes and is cheap enough for polling every 30 s.',
    'children holds standbys under the server they stream from; is_expandable is true when children is not empty.',
    'Servers, relationships and clusters the caller cannot see are left out; empty clusters and groups show only to holders of manage_connections.',
  ],
});

export const createCluster = operation({
  id: 'createCluster',
  route: 'POST /api/v1/clusters',
  summary: 'Create a cluster',
  access: { permission: 'manage_connections' },
  body: ClusterCreateRequest,
  bodyExample: { name: 'orders', description: 'Orders, Frankfurt', replication_type: 'binary' },
  faults: [404, 409],
  success: created(Cluster, { ...clusterExample, auto_cluster_key: null }),
  notes: [
    'Without group_id the cluster goes to the default group. Replies with the whole cluster.',
    '409 when another cluster has that name.',
  ],
});

export const listClusters = operation({
  id: 'listClusters',
  route: 'GET /api/v1/clusters/list',
  summary: 'All clusters as a flat list',
  access: { visible: 'clusters' },
  query: s.object({ include_dismissed: s.optional(s.boolean({ default: false })) }),
  success: ok(s.list(ClusterSummary), [
    { id: 4, name: 'orders', replication_type: 'binary', auto_cluster_key: 'binary:2', dismissed: false },
  ]),
  notes: ['Bare array of stored clusters, without dismissed ones unless include_dismissed=true.'],
});

export const getCluster = operation({
  id: 'getCluster',
  route: 'GET /api/v1/clusters/{id}',
  summary: 'Get a cluster',
  access: { object: 'cluster' },
  params: clusterPath(),
  paramsExample,
  success: ok(Cluster, clusterExample),
  notes: [
    'id accepts N, cluster-N, server-N and cluster-spock-<prefix>; other text is 400. 404 when there is no stored row or no member is visible to the caller.',
  ],
});

export const updateCluster = operation({
  id: 'updateCluster',
  route: 'PUT /api/v1/clusters/{id}',
  summary: 'Update a cluster',
  access: { object: 'cluster', permission: 'manage_connections' },
  params: clusterPath(),
  paramsExample,
  body: ClusterUpdateRequest,
  bodyExample: { name: 'orders' },
  faults: [409],
  success: ok(Cluster, clusterExample),
  notes: [
    'id as in GET; for server-N and cluster-spock-<prefix> the row is created on demand (auto_cluster_key in the body must agree, 400 otherwise).',
    'At least one member. Absent members stay. group_id null means the default group. dismissed:false brings a dismissed cluster back.',
    'A name given here stays whatever detection sees later. group_id and dismissed act on all of its servers: all of them must be visible, else 403.',
  ],
});

export const deleteCluster = operation({
  id: 'deleteCluster',
  route: 'DELETE /api/v1/clusters/{id}',
  summary: 'Delete a cluster',
  access: { object: 'cluster', permission: 'manage_connections', whole: true },
  params: clusterPath(),
  paramsExample,
  success: DONE,
  notes: [
    'id accepts N, cluster-N, server-N, cluster-spock-<prefix>. A manual cluster is removed and its members detached.',
    'A detected one is dismissed: detection keeps it hidden until it is brought back (PUT dismissed:false, or adding a server to it). Unknown id 404.',
  ],
});
