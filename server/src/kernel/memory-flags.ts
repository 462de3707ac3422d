// How the runtime is to collect garbage. Measured with `npm run bench -- footprint`; the environment that the scripts set
// (scripts/lib/memory.mjs) and kernel/unused-memory.ts go along with it.
import { setFlagsFromString } from 'node:v8';

/** By how many percent the heap may grow before all of it is collected. */
export const growthFlag = (percent: number) => `--heap-growing-percent=${percent}`;

/** Once servers are read, and until kernel/unused-memory.ts sees steady work. */
export const LEAST_GROWING_PERCENT = 40;

export const MEMORY_FLAGS = [
  // Collecting makes little garbage at a time; to divide it among threads costs more than to collect it.
  '--no-parallel-scavenge',
  // Rows and texts are short-lived, whatever many of those that were collected while a request was being answered suggest.
  // What is taken for long-lived is put among the old at once, and the old are collected five times as often.
  '--no-allocation-site-pretenuring',
  // Where threads do not help to collect (kernel/unused-memory.ts), code is still to be compiled as soon as otherwise.
  '--efficiency-mode-delay-turbofan-multiply=1',
];

/** To be called once, before anything large is loaded. */
export function setMemoryFlags(): void {
  for (const flag of MEMORY_FLAGS) setFlagsFromString(flag);
}

/**
 * To be called before servers are read. What many servers tell lives for a second or two, until it is written. How far the
 * heap may grow is otherwise guessed from how fast it grew: with a hundred servers, to 570 MB while they are read for the first
 * time, and by so little later that all of it is collected every five seconds. What is loaded at the start is not garbage, and
 * to look for some in it takes 60 ms.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(growthFlag(LEAST_GROWING_PERCENT));
}
