// Every operation with the service behind it: what the API serves. A missing or a double one is a mistake of ours,
// and stops the start.
import type { Route } from '../kernel/route.ts';
import type { PublicCtx } from '../identity/access/principal.ts';
import { aiRunsRoutes } from '../assistant/ai-runs/ai-runs.routes.ts';
import type { ModelCalls } from '../assistant/ai-runs/model-calls.service.ts';
import { alertEvidenceRoutes } from '../insight/alert-evidence/alert-evidence.routes.ts';
import { alertRulesRoutes } from '../alerting/alert-rules/alert-rules.routes.ts';
import { alertsRoutes } from '../alerting/alerts/alerts.routes.ts';
import { answersRoutes } from '../assistant/answers/answers.routes.ts';
import { auditRoutes } from '../identity/audit/audit.routes.ts';
import { authRoutes } from '../identity/auth/auth.routes.ts';
import type { Auth } from '../identity/auth/auth.service.ts';
import { blackoutsRoutes } from '../alerting/blackouts/blackouts.routes.ts';
import { channelOverridesRoutes } from '../alerting/channel-overrides/channel-overrides.routes.ts';
import { chatRoutes } from '../assistant/chat/chat.routes.ts';
import type { ChatRuns } from '../assistant/chat/chat-runs.service.ts';
import type { Compacting } from '../assistant/chat/compact.service.ts';
import { clustersRoutes } from '../estate/clusters/clusters.routes.ts';
import { connectionsRoutes } from '../estate/connections/connections.routes.ts';
import type { ConnectionsDeps } from '../estate/connections/connections.service.ts';
import { conversationsRoutes } from '../assistant/conversations/conversations.routes.ts';
import { estateRoutes } from '../estate/estate/estate.routes.ts';
import { findingsRoutes } from '../insight/findings/findings.routes.ts';
import { llmRoutes } from '../assistant/llm/llm.routes.ts';
import type { Llm } from '../assistant/llm/llm.service.ts';
import type { LlmChat } from '../assistant/llm/llm-chat.service.ts';
import type { LlmVectors } from '../assistant/llm/llm-vectors.service.ts';
import { mcpRoutes } from '../assistant/mcp/mcp.routes.ts';
import type { Toolbox } from '../assistant/mcp/toolbox.service.ts';
import { memoriesRoutes } from '../assistant/memories/memories.routes.ts';
import { metricsRoutes } from '../history/metrics/metrics.routes.ts';
import { momentRoutes } from '../insight/moment/moment.routes.ts';
import { notificationChannelsRoutes } from '../alerting/notification-channels/notification-channels.routes.ts';
import type { ChannelsDeps } from '../alerting/notification-channels/notification-channels.service.ts';
import { operations } from '../api/operations.gen.ts';
import { overviewRoutes } from '../insight/overview/overview.routes.ts';
import type { OverviewService } from '../insight/overview/overview.service.ts';
import { pagerdutyRoutes } from '../alerting/pagerduty/pagerduty.routes.ts';
import { performanceRoutes } from '../history/performance/performance.routes.ts';
import { probeConfigsRoutes } from '../estate/probe-configs/probe-configs.routes.ts';
import { rbacRoutes } from '../identity/rbac/rbac.routes.ts';
import { reportSchedulesRoutes } from '../insight/report-schedules/report-schedules.routes.ts';
import { runwayRoutes } from '../insight/runway/runway.routes.ts';
import type { Analysis } from '../estate/server-info/ai-analysis.service.ts';
import { serverInfoRoutes } from '../estate/server-info/server-info.routes.ts';
import { sqlRoutes } from '../assistant/sql/sql.routes.ts';
import type { Sql } from '../assistant/sql/sql.service.ts';
import { timelineRoutes } from '../insight/timeline/timeline.routes.ts';
import { apiDocument } from '../api/utilities/document.ts';
import { utilitiesRoutes } from '../api/utilities/utilities.routes.ts';

/** What the rooms share within one process. */
export interface Services {
  /** The server's version, such as 0.1.0. */
  version: string;
  auth: Auth;
  llm: Llm;
  proxy: LlmChat & LlmVectors;
  calls: ModelCalls;
  analysis: Pick<Analysis, 'getServerAiAnalysis'>;
  compacting: Compacting;
  chat: ChatRuns;
  overview: Pick<OverviewService, 'getOverview' | 'streamOverview'>;
  connections: ConnectionsDeps;
  /** Statements of people and models on monitored servers. */
  sql: Sql;
  channels: ChannelsDeps;
  toolbox: Toolbox;
}

function demandComplete(routes: readonly Route<PublicCtx>[]): void {
  const served = routes.map(({ operation }) => operation.id);
  const missing = operations.filter(({ id }) => !served.includes(id)).map(({ id }) => id);
  const double = served.filter((id, index) => served.indexOf(id) !== index);
  if (missing.length > 0) throw new Error(`operations without a route: ${missing.join(', ')}`);
  if (double.length > 0) throw new Error(`operations with two routes: ${double.join(', ')}`);
}

/** One route for each operation. */
export function allRoutes(services: Services): Route<PublicCtx>[] {
  const routes = [
    ...aiRunsRoutes(services.calls),
    ...alertEvidenceRoutes(),
    ...alertRulesRoutes(),
    ...alertsRoutes(),
    ...answersRoutes(),
    ...auditRoutes(),
    ...authRoutes(services.auth),
    ...blackoutsRoutes(),
    ...channelOverridesRoutes(),
    ...chatRoutes(services.compacting, services.chat),
    ...clustersRoutes(),
    ...connectionsRoutes(services.connections),
    ...conversationsRoutes(),
    ...estateRoutes(),
    ...findingsRoutes(),
    ...llmRoutes(services.llm, services.proxy, services.calls),
    ...mcpRoutes(services),
    ...memoriesRoutes(),
    ...metricsRoutes(),
    ...momentRoutes(),
    ...notificationChannelsRoutes(services.channels),
    ...overviewRoutes(services.overview),
    ...pagerdutyRoutes(services.channels),
    ...performanceRoutes(),
    ...probeConfigsRoutes(),
    ...rbacRoutes(services.auth),
    ...reportSchedulesRoutes(services.channels),
    ...runwayRoutes(),
    ...serverInfoRoutes({ analysis: services.analysis }),
    ...sqlRoutes(services.sql),
    ...timelineRoutes(),
    ...utilitiesRoutes({ version: services.version, document: () => apiDocument(operations) }),
  ];
  demandComplete(routes);
  return routes;
}
