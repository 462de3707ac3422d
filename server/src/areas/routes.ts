// Every operation with the service behind it: what the API serves. A missing or a double one is a mistake of ours,
// and stops the start.
import type { Route } from '../kernel/route.ts';
import type { PublicCtx } from './access/principal.ts';
import { aiRunsRoutes } from './ai-runs/ai-runs.routes.ts';
import type { ModelCalls } from './ai-runs/model-calls.service.ts';
import { alertEvidenceRoutes } from './alert-evidence/alert-evidence.routes.ts';
import { alertRulesRoutes } from './alert-rules/alert-rules.routes.ts';
import { alertsRoutes } from './alerts/alerts.routes.ts';
import { answersRoutes } from './answers/answers.routes.ts';
import { auditRoutes } from './audit/audit.routes.ts';
import { authRoutes } from './auth/auth.routes.ts';
import type { Auth } from './auth/auth.service.ts';
import { blackoutsRoutes } from './blackouts/blackouts.routes.ts';
import { channelOverridesRoutes } from './channel-overrides/channel-overrides.routes.ts';
import { chatRoutes } from './chat/chat.routes.ts';
import type { ChatRuns } from './chat/chat-runs.service.ts';
import type { Compacting } from './chat/compact.service.ts';
import { clustersRoutes } from './clusters/clusters.routes.ts';
import { connectionsRoutes } from './connections/connections.routes.ts';
import type { ConnectionsDeps } from './connections/connections.service.ts';
import { conversationsRoutes } from './conversations/conversations.routes.ts';
import { estateRoutes } from './estate/estate.routes.ts';
import { findingsRoutes } from './findings/findings.routes.ts';
import { llmRoutes } from './llm/llm.routes.ts';
import type { Llm } from './llm/llm.service.ts';
import type { LlmChat } from './llm/llm-chat.service.ts';
import type { LlmVectors } from './llm/llm-vectors.service.ts';
import { mcpRoutes } from './mcp/mcp.routes.ts';
import type { Toolbox } from './mcp/toolbox.service.ts';
import { memoriesRoutes } from './memories/memories.routes.ts';
import { metricsRoutes } from './metrics/metrics.routes.ts';
import { momentRoutes } from './moment/moment.routes.ts';
import { notificationChannelsRoutes } from './notification-channels/notification-channels.routes.ts';
import type { ChannelsDeps } from './notification-channels/notification-channels.service.ts';
import { operations } from './operations.gen.ts';
import { overviewRoutes } from './overview/overview.routes.ts';
import type { OverviewService } from './overview/overview.service.ts';
import { pagerdutyRoutes } from './pagerduty/pagerduty.routes.ts';
import { performanceRoutes } from './performance/performance.routes.ts';
import { probeConfigsRoutes } from './probe-configs/probe-configs.routes.ts';
import { rbacRoutes } from './rbac/rbac.routes.ts';
import { reportSchedulesRoutes } from './report-schedules/report-schedules.routes.ts';
import { runwayRoutes } from './runway/runway.routes.ts';
import type { Analysis } from './server-info/ai-analysis.service.ts';
import { serverInfoRoutes } from './server-info/server-info.routes.ts';
import { sqlRoutes } from './sql/sql.routes.ts';
import type { Sql } from './sql/sql.service.ts';
import { timelineRoutes } from './timeline/timeline.routes.ts';
import { apiDocument } from './utilities/document.ts';
import { utilitiesRoutes } from './utilities/utilities.routes.ts';

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
