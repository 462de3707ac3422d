// The door to numbers over a window: metrics in buckets, series of single columns, sessions at work. What is listed here is all that
// other rooms may use of it.

export { combined } from '../../../probes/metrics.ts';
export { elementsOf } from '../../format/rows.ts';
export { layoutOf, type TableLayout } from '../../layout/table-layout.ts';
export { hasLastingKeys, isMadeLate, type Tier, tiersOf } from '../../layout/tiers.ts';
export { HOURS, hoursOfSessions, newestSessions } from '../../rollup/active-sessions.queries.ts';
export { spanOfValue } from '../../rollup/buckets.ts';
export { candidatesOf, eachCandidate, type Series, seriesOf } from '../buckets.ts';
export { finished, type OwnMeasures, type Window, wholeOf } from '../measure.ts';
export type { Inquiry, MeasuredDatabase, Reading } from '../measure-reads.ts';
export {
  answered,
  askedOf,
  limitsOf,
  type MetricSeries,
  type MetricsQuery,
  metricBuckets,
  metricBucketsOf,
  Questions,
} from '../metric.ts';
export type { Where } from '../plan.queries.ts';
export { type FoundBefore, readAllMeasured, readBeside, readBoth, readInquiries } from '../planned-reads.ts';
export type { Group } from '../question.ts';
export { DATABASE, type Question, questionOf } from '../question.ts';
export type { More } from '../stored.queries.ts';
export type { StoredRow } from '../stored-read.ts';
