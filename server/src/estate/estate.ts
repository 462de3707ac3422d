// The face of the wing estate: what other wings may use of monitored servers, their clusters and what is collected from them.

export { topologyId } from './clusters/cluster-ids.ts';
export { readTopology } from './clusters/topology.service.ts';
export { type ConnectionsDeps, getConnection, listConnections } from './connections/connections.service.ts';
export { getConnectionContext } from './connections/context.service.ts';
export { getCurrentConnection } from './connections/current.service.ts';
export { withLiveSession, withPermit } from './connections/live.service.ts';
export { getConnectionCoverage } from './estate/coverage.service.ts';
export { getEstate } from './estate/estate.service.ts';
export { demandProbe, getProbeSettings, listProbes } from './probe-configs/probe-configs.service.ts';
export {
  type Hierarchy,
  hierarchyOf,
  overrideAt,
  type Reaching,
  reachingOverrides,
} from './scopes/overrides.queries.ts';
export { deleteOverride, setOverride } from './scopes/overrides.service.ts';
export { demandAllOf, demandScope, demandWholeScope, type Scope } from './scopes/scopes.service.ts';
export { type Analysis, createAnalysis } from './server-info/ai-analysis.service.ts';
export { graveLogMinutes } from './server-logs/grave-events.service.ts';
export { LOG_SEVERITIES } from './server-logs/log-events.schemas.ts';
export { listConnectionLogEvents } from './server-logs/log-events.service.ts';
export { momentLogs } from './server-logs/moment-logs.service.ts';
export { newestDeadlocks } from './server-logs/newest-deadlocks.service.ts';
export type { PlanSource } from './server-logs/plan-sources.schemas.ts';
export { getConnectionLogCounts } from './server-logs/server-logs.service.ts';
