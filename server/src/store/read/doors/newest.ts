// The door to what was collected last: newest rows, and what objects grew by in the last hour. What is listed here is all that other
// rooms may use of it.

export { type Newest, type NewestQuery, newest, newestPage } from '../newest.ts';
export { type GrownRead, type GrownRow, grownInHour } from '../newest-grown.queries.ts';
export type { Bound, Bounds, Compared } from '../newest-ticks.queries.ts';
