// The door to what was collected last: newest rows, and newest values of metrics. What is listed here is all that other rooms may use
// of it.

export type { MetricValue, NewestMetricsQuery, ValueFilter, WantedLimits } from '../last-hours.ts';
export { type Newest, newest, newestPage } from '../newest.ts';
export { lateReadings } from '../newest-increases.ts';
export { newestMetrics } from '../newest-metric.ts';
