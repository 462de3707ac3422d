// The door to objects with the most of something over a window, and to what they grew. What is listed here is all that other rooms
// may use of it.
export { type GrownObject, grownObjects } from '../ranking.ts';
export { type Totals, totals } from '../totals.ts';
