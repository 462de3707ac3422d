// The operations on connections; access to the one that is named has been checked before.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import { testConnection } from './connection-test.service.ts';
import * as contract from './connections.contract.ts';
import {
  type ConnectionsDeps,
  createConnection,
  deleteConnection,
  getConnection,
  listConnections,
  updateConnection,
} from './connections.service.ts';
import * as contextContract from './context.contract.ts';
import { getConnectionContext } from './context.service.ts';
import { clearCurrentConnection, getCurrentConnection, setCurrentConnection } from './current.service.ts';
import { listConnectionDatabases } from './live.service.ts';
import { monitoringScript } from './monitoring-script.ts';

export function connectionsRoutes(deps: ConnectionsDeps): Route<Ctx>[] {
  return [
    route(contract.listConnections, (ctx) => listConnections(ctx)),
    route(contract.createConnection, (ctx, { body }) => createConnection(ctx, deps, body)),
    route(contract.getConnection, (ctx, { params }) => getConnection(ctx, params.id)),
    route(contract.updateConnection, (ctx, { params, body }) =>
      updateConnection(ctx, deps, { id: params.id, input: body }),
    ),
    route(contract.deleteConnection, (ctx, { params }) => deleteConnection(ctx, params.id)),
    route(contract.listConnectionDatabases, (ctx, { params }) =>
      listConnectionDatabases(ctx, deps, params.id),
    ),
    route(contextContract.getConnectionContext, (ctx, { params }) => getConnectionContext(ctx, params.id)),
    route(contract.getCurrentConnection, (ctx) => getCurrentConnection(ctx)),
    route(contract.setCurrentConnection, (ctx, { body }) =>
      setCurrentConnection(ctx, {
        connection_id: body.connection_id,
        database_name: body.database_name ?? null,
      }),
    ),
    route(contract.clearCurrentConnection, (ctx) => clearCurrentConnection(ctx)),
    route(contract.getMonitoringScript, (_ctx, { query }) => ({
      monitoring_script: monitoringScript({
        role: query.username ?? 'matriarch_monitor',
        database: query.database_name ?? 'postgres',
      }),
    })),
    route(contract.listPasswordSources, () =>
      (deps.password_sources?.declared ?? []).map(({ name, kind, hosts }) => ({
        name,
        kind,
        hosts: [...hosts],
      })),
    ),
    route(contract.testConnection, (ctx, { body }) => testConnection(ctx, deps, body)),
  ];
}
