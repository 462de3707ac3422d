// The door to stored readings as they are: samples, and ticks of objects, of whole ranges of time. What is listed here is all that
// other rooms may use of it.
export { type TickRow, wasRead } from '../../format/rows.ts';
export { keyframeMs } from '../../layout/keyframes.ts';
export { layoutOf, type TableLayout } from '../../layout/table-layout.ts';
export { shown } from '../newest-fold.ts';
export { type ObjectName, objectNames, type PlanRow, readPlans } from '../plan.queries.ts';
export type { DatabaseOf, StoredRead } from '../stored.queries.ts';
export { readAllStored, type Stored } from '../stored.ts';
