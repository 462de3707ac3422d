// What the wing estate serves: monitored servers, the clusters that they form, and what is collected from them, with what the API
// answers where a rule of their tables is broken.
import type { PublicCtx } from '../identity/identity.ts';
import type { ConstraintFaults } from '../kernel/errors.ts';
import type { Route } from '../kernel/route.ts';
import { clusterConstraints } from './clusters/clusters.constraints.ts';
import { clustersRoutes } from './clusters/clusters.routes.ts';
import { connectionConstraints } from './connections/connections.constraints.ts';
import { connectionsRoutes } from './connections/connections.routes.ts';
import type { ConnectionsDeps } from './connections/connections.service.ts';
import { estateRoutes as estateRoomRoutes } from './estate/estate.routes.ts';
import { logIntakeRoutes } from './log-intake/log-intake.routes.ts';
import type { IntakeDeps } from './log-intake/log-intake.service.ts';
import { logSearchConstraints } from './log-searches/log-searches.constraints.ts';
import { logSearchesRoutes } from './log-searches/log-searches.routes.ts';
import { probeConfigsRoutes } from './probe-configs/probe-configs.routes.ts';
import type { Analysis } from './server-info/ai-analysis.service.ts';
import { serverInfoRoutes } from './server-info/server-info.routes.ts';
import { serverLogsRoutes } from './server-logs/server-logs.routes.ts';

export interface EstateServices {
  analysis: Pick<Analysis, 'getServerAiAnalysis'>;
  connections: ConnectionsDeps;
  log_intake: IntakeDeps;
}

export const estateConstraints: ConstraintFaults = {
  ...clusterConstraints,
  ...connectionConstraints,
  ...logSearchConstraints,
};

export function estateRoutes({ analysis, connections, log_intake }: EstateServices): Route<PublicCtx>[] {
  return [
    ...clustersRoutes(),
    ...connectionsRoutes(connections),
    ...estateRoomRoutes(),
    ...logIntakeRoutes(log_intake),
    ...logSearchesRoutes(),
    ...probeConfigsRoutes(),
    ...serverInfoRoutes({ analysis }),
    ...serverLogsRoutes(),
  ];
}
