// What the wing insight serves: findings and what is read out of what was collected: moments, changes, forecasts and reports.
import type { ChannelsDeps } from '../alerting/alerting.ts';
import type { PublicCtx } from '../identity/identity.ts';
import type { Route } from '../kernel/route.ts';
import { alertEvidenceRoutes } from './alert-evidence/alert-evidence.routes.ts';
import { findingsRoutes } from './findings/findings.routes.ts';
import { momentRoutes } from './moment/moment.routes.ts';
import { overviewRoutes } from './overview/overview.routes.ts';
import type { OverviewService } from './overview/overview.service.ts';
import { queryPlansRoutes } from './query-plans/query-plans.routes.ts';
import { reportSchedulesRoutes } from './report-schedules/report-schedules.routes.ts';
import { runwayRoutes } from './runway/runway.routes.ts';
import { timelineRoutes } from './timeline/timeline.routes.ts';

export interface InsightServices {
  overview: Pick<OverviewService, 'getOverview' | 'streamOverview'>;
  /** Reports go to channels. */
  channels: ChannelsDeps;
}

export function insightRoutes({ overview, channels }: InsightServices): Route<PublicCtx>[] {
  return [
    ...alertEvidenceRoutes(),
    ...findingsRoutes(),
    ...momentRoutes(),
    ...overviewRoutes(overview),
    ...queryPlansRoutes(),
    ...reportSchedulesRoutes(channels),
    ...runwayRoutes(),
    ...timelineRoutes(),
  ];
}
