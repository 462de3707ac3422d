// The door to stored readings as they are: samples, ticks of objects, and spans of active sessions, of whole ranges of time. What is listed here is all that
// other rooms may use of it.
export { elementsOf, type TickRow, wasRead } from '../../format/rows.ts';
export { keyframeMs, layoutOf, type TableLayout } from '../../layout/table-layout.ts';
export { knowsMembers, MEMBERS_KEPT, type Tier, tiersOf } from '../../layout/tiers.ts';
export { holesOf } from '../../rollup/active-classes.ts';
export { memberColumn, type SpanMember } from '../../rollup/active-members.ts';
export { IS_REST, NAMES, type Split } from '../../rollup/active-sessions.queries.ts';
export {
  type ClassTick,
  foldTicks,
  type Holes,
  type SessionsBucket,
  weighTicks,
} from '../../rollup/active-sessions-fold.ts';
export { columnType, type NewestRun } from '../newest.queries.ts';
export { byDatabase, type Folded, foldedOne, rangesOf, shown } from '../newest-fold.ts';
export { ticksSinceKeyframe } from '../newest-ticks.queries.ts';
export { type ObjectName, objectNames, type PlanRow, readPlans } from '../plan.queries.ts';
export { isFineEnough } from '../plan.ts';
export type { ClassSpan } from '../spans.ts';
export { readAllStored, readStored, type Stored } from '../stored.ts';
export {
  type ClassRead,
  type DatabaseOf,
  keyOfDatabase,
  type Range,
  type StoredRead,
  type TickTexts,
} from '../stored-read.ts';
