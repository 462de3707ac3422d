// The door to what was collected last: newest rows, and newest values of metrics. What is listed here is all that other rooms may use
// of it.

export { type Newest, newest, newestPage } from '../newest.ts';
export { identityOf, isOfAll, newestMetrics } from '../newest-metric.ts';
export type { MetricValue, NewestMetricsQuery, ValueFilter, WantedLimits } from '../newest-values.ts';
export { lateReadings } from '../staleness.ts';
