// How often families of objects are stored whole: the writer counts by it, and readers look back as far for one. Pure.
import type { TableLayout } from './table-layout.ts';

/** Readers of slow families look back an hour. Frequent ticks have it sooner, since those after it stay raw. */
export const KEYFRAME_MS = 3_600_000;
const MOST_TICKS = 60;

/** The first tick as long after a whole one, or longer, is whole as well. */
export const keyframeMs = ({ intervalSeconds }: TableLayout): number =>
  Math.min(KEYFRAME_MS, MOST_TICKS * intervalSeconds * 1000);
