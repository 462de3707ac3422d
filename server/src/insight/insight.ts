// The face of the wing insight: what other wings may use of findings and what is read out of what was collected.
export { endSession } from './checks/remedies.ts';
export { literal } from './checks/units.ts';
export { getFinding, listFindings, openFindings } from './findings/findings.service.ts';
export { getConnectionMoment, locksAt } from './moment/moment.service.ts';
export { createOverview, type OverviewService } from './overview/overview.service.ts';
export { diffQueryPlans, getQueryPlan, listQueryPlans } from './query-plans/query-plans.service.ts';
export { listRunway } from './runway/runway.service.ts';
export { listChanges } from './timeline/changes.service.ts';
export { listTimelineEvents } from './timeline/timeline.service.ts';
