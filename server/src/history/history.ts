// The face of the wing history: what other wings may use of what was measured, as values over time.
export {
  type AnomalyMetric,
  anomalyMetrics,
  type Baseline,
  baselineState,
  dueConnections,
  type HourBaseline,
  keptFor,
  LEARNING_MS,
  saveBaselines,
  usualAt,
  type Watched,
} from './baselines/baselines.service.ts';
export { percentile } from './metrics/baselines.ts';
export {
  comparedFrom,
  connectionsNamed,
  getMetricBaselines,
  queryMetrics,
  windowBetween,
  windowOf,
} from './metrics/metrics.service.ts';
export { lateReadings } from './newest/kinds.ts';
export type { MetricValue, NewestMetricsQuery, ValueFilter, WantedLimits } from './newest/newest.types.ts';
export { newestMetrics } from './newest/newest-metrics.ts';
export {
  type ChangedObject,
  type ObjectEvents,
  OF_THE_SERVER,
  objectsGoneBetween,
  objectsMadeBetween,
  textsOf,
} from './objects/changed-objects.ts';
export { type DroppedIndex, indexesDropped } from './objects/dropped-indexes.ts';
export type { History, PastValue } from './past/history-collected.ts';
export { type HistoryPart, planHistory } from './past/history-plan.ts';
export { metricHistory, type Past } from './past/metric-history.ts';
export { getConnectionLoad } from './performance/load.service.ts';
export { mostSpilling } from './performance/most-spilling.ts';
export { isOwnStatement, OWN_STATEMENT } from './performance/own-statements.ts';
export { type MachineRun, processorsOf } from './performance/processors.ts';
export { getQueryDetail } from './performance/query-detail.service.ts';
export { type SeenRow, statementSeen } from './performance/statements.queries.ts';
export { listTopQueries } from './performance/top-queries.service.ts';
export { type DaysLeft, isDateCurrent, readDaysLeft } from './runway/days-left.ts';
export { compareRows, type RunwayRow, readRunway } from './runway/runway.ts';
export { RUNWAY_SECONDS, type RunwayKind } from './runway/runway-kinds.ts';
