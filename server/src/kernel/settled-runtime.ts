// How the runtime goes on once the program has started. Guards: nothing of it takes time from the start, nor from a program
// that has little to do.
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { IDLE, watchUnusedMemory } from './unused-memory.ts';

const LOOK_MS = 60_000;

/**
 * After how many calls a function is compiled well. The runtime is built with 400, 3,000 and 500, for programs that run the
 * same code all the time; of what a probe does once in half a minute or in five that is hours.
 */
export const COMPILE_FLAGS = [
  '--invocation-count-for-maglev=100',
  '--invocation-count-for-turbofan=1000',
  '--minimum-invocations-after-ic-update=100',
];

/**
 * Whether code is to be compiled earlier from now on. A start calls much a hundred times and hardly more often: it would
 * take 0.1 s longer. With one server, what is compiled in the first minutes costs more than it brings.
 */
export function isSteadyWork({ looks, busy }: { looks: number; busy: number }): boolean {
  return looks > 1 && busy > IDLE;
}

function compileEarlierOnceSteady(): void {
  let load = performance.eventLoopUtilization();
  let looks = 0;
  const look = () => {
    const since = load;
    load = performance.eventLoopUtilization();
    looks += 1;
    const busy = performance.eventLoopUtilization(load, since).utilization;
    if (!isSteadyWork({ looks, busy })) return;
    for (const flag of COMPILE_FLAGS) setFlagsFromString(flag);
    clearInterval(timer);
  };
  const timer = setInterval(look, LOOK_MS).unref();
}

/** To be called once; keeps nothing alive by itself. */
export function settleRuntime(): void {
  watchUnusedMemory();
  compileEarlierOnceSteady();
}
