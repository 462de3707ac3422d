// How the runtime goes on once the program has started. Guards: nothing of it takes time from the start.
import { setFlagsFromString } from 'node:v8';
import { watchUnusedMemory } from './unused-memory.ts';

const STARTED_MS = 5000;

/**
 * After how many calls a function is compiled well. The runtime is built with 400, 3,000 and 500, for programs that run the
 * same code all the time; of what a probe runs once in half a minute or in five that is hours. A start, in which much is
 * called a hundred times and hardly more often, would take 0.1 s longer.
 */
export const COMPILE_FLAGS = [
  '--invocation-count-for-maglev=100',
  '--invocation-count-for-turbofan=1000',
  '--minimum-invocations-after-ic-update=100',
];

/** To be called once; keeps nothing alive by itself. */
export function settleRuntime(): void {
  watchUnusedMemory();
  setTimeout(() => {
    for (const flag of COMPILE_FLAGS) setFlagsFromString(flag);
  }, STARTED_MS).unref();
}
