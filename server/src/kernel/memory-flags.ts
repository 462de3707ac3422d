// How the runtime is to collect garbage. Measured with `npm run bench -- footprint`; the environment that the scripts set
// (scripts/lib/memory.mjs) and kernel/unused-memory.ts go along with it.
import { setFlagsFromString } from 'node:v8';

const FLAGS = [
  // Collecting makes little garbage at a time; to divide it among threads costs more than to collect it.
  '--no-parallel-scavenge',
  // What many servers tell lives for a second or two, until it is written. Without this the heap doubles, and more,
  // before it is collected: 570 MB while a hundred servers are read for the first time.
  '--heap-growing-percent=40',
  // It collects at each calm moment; with a hundred servers that was a fifth of all work.
  '--no-memory-reducer',
];

/** To be called once, before anything large is loaded. */
export function setMemoryFlags(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
