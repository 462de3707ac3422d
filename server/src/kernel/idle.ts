// How long this thread has had nothing to do: what it waited for then was somebody else's. Guards: it only grows, and
// time in which we were busy ourselves is never in it.
import { performance } from 'node:perf_hooks';

/** In milliseconds. */
export const idleMs = (): number => performance.eventLoopUtilization().idle;
