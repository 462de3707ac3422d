// Groups of clusters. Who owns a group or manages connections may change it; the default group is everybody's.
import { byId, created, DONE, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { clusterExample } from './clusters.contract.ts';
import { Cluster, ClusterGroup, ClusterGroupRequest, ClusterInGroupRequest } from './clusters.schemas.ts';

const operation = operationsOf({ tag: 'cluster-groups' });
const time = '2026-11-20T10:00:00.000Z';
const groupPath = () =>
  s.object({ id: s.text({ pattern: '^(group-)?[0-9]+$', description: 'N or group-N' }) });

const group = {
  id: 2,
  name: 'Production',
  description: 'Whatever customers see',
  owner_username: 'admin',
  is_shared: true,
  is_default: false,
  auto_group_key: null,
  created_at: time,
  updated_at: time,
};

export const listClusterGroups = operation({
  id: 'listClusterGroups',
  route: 'GET /api/v1/cluster-groups',
  summary: 'List cluster groups',
  access: { visible: 'cluster-groups' },
  success: ok(s.list(ClusterGroup), [group]),
  notes: [
    "Bare array: the default group, the caller's own, shared ones and those with a visible member; all of them for holders of manage_connections.",
  ],
});

export const createClusterGroup = operation({
  id: 'createClusterGroup',
  route: 'POST /api/v1/cluster-groups',
  summary: 'Create a cluster group',
  access: { permission: 'manage_connections' },
  body: ClusterGroupRequest,
  bodyExample: { name: 'Production', is_shared: true },
  faults: [409],
  success: created(ClusterGroup, group),
  notes: ['The caller becomes owner. 409 when the name is taken.'],
});

export const getClusterGroup = operation({
  id: 'getClusterGroup',
  route: 'GET /api/v1/cluster-groups/{id}',
  summary: 'Get a cluster group',
  access: { object: 'cluster-group' },
  params: groupPath(),
  paramsExample: { id: 'group-2' },
  success: ok(ClusterGroup, group),
  notes: ['id accepts N and group-N.'],
});

export const updateClusterGroup = operation({
  id: 'updateClusterGroup',
  route: 'PUT /api/v1/cluster-groups/{id}',
  summary: 'Update a cluster group',
  access: { object: 'cluster-group', need: 'manage' },
  params: s.object({
    id: s.text({
      pattern: '^((group-)?[0-9]+|group-auto(-.+)?)$',
      description: 'N, group-N, group-auto or group-auto-<key>',
    }),
  }),
  paramsExample: { id: 'group-2' },
  body: ClusterGroupRequest,
  bodyExample: { name: 'Production' },
  faults: [409],
  success: ok(ClusterGroup, group),
  notes: [
    'id accepts N, group-N and group-auto or group-auto-<key> (row created on demand). Absent members stay, so a rename keeps the description.',
    'group-auto is the default group. Only its owner and holders of manage_connections may change a group.',
  ],
});

export const deleteClusterGroup = operation({
  id: 'deleteClusterGroup',
  route: 'DELETE /api/v1/cluster-groups/{id}',
  summary: 'Delete a cluster group',
  access: { object: 'cluster-group', need: 'manage', whole: true },
  params: groupPath(),
  paramsExample: { id: 'group-2' },
  success: DONE,
  notes: [
    'The default group cannot be deleted (403). Clusters of the group move to the default group; overrides, blackouts and schedules of the group are removed.',
  ],
});

export const listGroupClusters = operation({
  id: 'listGroupClusters',
  route: 'GET /api/v1/cluster-groups/{id}/clusters',
  summary: 'List clusters in a group',
  access: { object: 'cluster-group' },
  ...byId(2),
  success: ok(s.list(Cluster), [clusterExample]),
  notes: ['Bare array of the clusters visible to the caller.'],
});

export const createGroupCluster = operation({
  id: 'createGroupCluster',
  route: 'POST /api/v1/cluster-groups/{id}/clusters',
  summary: 'Create a cluster in a group',
  access: { object: 'cluster-group', permission: 'manage_connections' },
  ...byId(2),
  body: ClusterInGroupRequest,
  bodyExample: { name: 'orders' },
  faults: [409],
  success: created(Cluster, { ...clusterExample, auto_cluster_key: null }),
  notes: ['Same as POST /clusters with that group_id.'],
});
