// Operations on clusters, their servers, relationships and groups, and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import type { JsonText } from '../../kernel/json-text.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import * as detailContract from './cluster-detail.contract.ts';
import { getClusterTopologyDetail } from './cluster-detail.service.ts';
import * as groupContract from './cluster-groups.contract.ts';
import {
  createClusterGroup,
  deleteClusterGroup,
  getClusterGroup,
  listClusterGroups,
  listGroupClusters,
  updateClusterGroup,
} from './cluster-groups.service.ts';
import * as lagContract from './cluster-lag.contract.ts';
import { getClusterLag } from './cluster-lag.service.ts';
import * as memberContract from './cluster-members.contract.ts';
import * as contract from './clusters.contract.ts';
import { createCluster, deleteCluster, getCluster, listClusters, updateCluster } from './clusters.service.ts';
import {
  addClusterServer,
  clearConnectionRelationships,
  deleteClusterRelationship,
  getConnectionCluster,
  listClusterRelationships,
  listClusterServers,
  removeClusterServer,
  setConnectionCluster,
  setConnectionRelationships,
} from './members.service.ts';
import { createTopology } from './topology.service.ts';

const clusterRoutes = (topology: (ctx: Ctx) => Promise<JsonText>): Route<Ctx>[] => [
  // Half a megabyte for a thousand servers, polled by everybody: written as it is; a test holds it to its schema.
  route(contract.getTopology, async (ctx) => new Reply({ json: await topology(ctx) })),
  route(contract.createCluster, (ctx, { body }) => createCluster(ctx, body)),
  route(contract.listClusters, (ctx, { query }) => listClusters(ctx, query.include_dismissed ?? false)),
  route(contract.getCluster, (ctx, { params }) => getCluster(ctx, params.id)),
  route(detailContract.getClusterTopologyDetail, (ctx, { params }) =>
    getClusterTopologyDetail(ctx, params.id),
  ),
  route(lagContract.getClusterLag, (ctx, { params, query }) => getClusterLag(ctx, params.id, query)),
  route(contract.updateCluster, (ctx, { params, body }) => updateCluster(ctx, params.id, body)),
  route(contract.deleteCluster, (ctx, { params }) => deleteCluster(ctx, params.id)),
];

const memberRoutes = (): Route<Ctx>[] => [
  route(memberContract.listClusterServers, (ctx, { params }) => listClusterServers(ctx, params.id)),
  route(memberContract.addClusterServer, (ctx, { params, body }) => addClusterServer(ctx, params.id, body)),
  route(memberContract.removeClusterServer, (ctx, { params }) =>
    removeClusterServer(ctx, { cluster_id: params.id, connection_id: params.connectionId }),
  ),
  route(memberContract.getConnectionCluster, (ctx, { params }) => getConnectionCluster(ctx, params.id)),
  route(memberContract.setConnectionCluster, (ctx, { params, body }) =>
    setConnectionCluster(ctx, params.id, body),
  ),
];

const relationshipRoutes = (): Route<Ctx>[] => [
  route(memberContract.listClusterRelationships, (ctx, { params }) =>
    listClusterRelationships(ctx, params.id),
  ),
  route(memberContract.deleteClusterRelationship, (ctx, { params }) =>
    deleteClusterRelationship(ctx, { cluster_id: params.id, id: params.relationshipId }),
  ),
  route(memberContract.setConnectionRelationships, (ctx, { params, body }) =>
    setConnectionRelationships(
      ctx,
      { cluster_id: params.id, connection_id: params.connId },
      body.relationships,
    ),
  ),
  route(memberContract.clearConnectionRelationships, (ctx, { params }) =>
    clearConnectionRelationships(ctx, { cluster_id: params.id, connection_id: params.connId }),
  ),
];

const groupRoutes = (): Route<Ctx>[] => [
  route(groupContract.listClusterGroups, (ctx) => listClusterGroups(ctx)),
  route(groupContract.createClusterGroup, (ctx, { body }) => createClusterGroup(ctx, body)),
  route(groupContract.getClusterGroup, (ctx, { params }) => getClusterGroup(ctx, params.id)),
  route(groupContract.updateClusterGroup, (ctx, { params, body }) =>
    updateClusterGroup(ctx, params.id, body),
  ),
  route(groupContract.deleteClusterGroup, (ctx, { params }) => deleteClusterGroup(ctx, params.id)),
  route(groupContract.listGroupClusters, (ctx, { params }) => listGroupClusters(ctx, params.id)),
  route(groupContract.createGroupCluster, (ctx, { params, body }) =>
    createCluster(ctx, { ...body, group_id: params.id }),
  ),
];

export function clustersRoutes(): Route<Ctx>[] {
  return [...clusterRoutes(createTopology()), ...memberRoutes(), ...relationshipRoutes(), ...groupRoutes()];
}
