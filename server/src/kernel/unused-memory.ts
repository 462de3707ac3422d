// Gives memory that the start, or another burst of work, left unused back to the system. The runtime keeps what it has
// once taken: a process that needs 35 MB for its objects stays at 100 MB. Guards: nothing is collected while there is
// work to do, nor where so much is in use that others would wait for it. And says, by the same look, whether threads are
// to help with collecting.
import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { growthFlag, LEAST_GROWING_PERCENT } from './memory-flags.ts';

const LOOK_MS = 5000;
/** A collection takes 0.1 to 0.2 s. */
const LEAST_BETWEEN_MS = 300_000;
const LEAST_UNUSED_BYTES = 32e6;
/** Garbage included. With more, the collection would take longer than others should wait. */
const MOST_USED_BYTES = 192e6;
const CALM = 0.1;
/** Less work than that is a few servers'. */
export const IDLE = 0.02;
/** More work than that does not last, or is that of hundreds of servers. */
const BURST = 0.25;
/** Of young objects, where there is steady work. */
const YOUNG_BYTES = 16e6;
/** Of old objects, where there is steady work. */
const GARBAGE_BYTES = 64e6;
/** In a burst, which would otherwise spend a sixth of its time looking for it. */
const BURST_GARBAGE_BYTES = 192e6;

export interface HeapLook {
  taken_bytes: number;
  used_bytes: number;
  /** Share of the time since the look before in which the thread had work, 0 to 1. */
  busy: number;
  /** Since the last collection; Infinity before the first. */
  since_ms: number;
}

export function isWorthReturning({ taken_bytes, used_bytes, busy, since_ms }: HeapLook): boolean {
  const unused = taken_bytes - used_bytes;
  return (
    unused >= LEAST_UNUSED_BYTES &&
    used_bytes <= MOST_USED_BYTES &&
    busy <= CALM &&
    since_ms >= LEAST_BETWEEN_MS
  );
}

/**
 * Whether the main thread collects without help. To wake other threads costs it more than they take over where little
 * is to be collected: with a hundred servers a quarter of all that it does. A burst of work needs them, and so does a
 * large heap. The runtime calls it efficiency mode, and asks once a collection.
 */
export function collectsAlone({ used_bytes, busy }: Pick<HeapLook, 'used_bytes' | 'busy'>): boolean {
  return busy <= CALM && used_bytes <= MOST_USED_BYTES;
}

/** Whether threads are to help from the next collection on. */
export function letThreadsHelp(help: boolean): void {
  setFlagsFromString(help ? '--no-efficiency-mode' : '--efficiency-mode');
}

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;
let collect: Collect | undefined;

/** Collects at once; answers how many bytes the heap takes less. */
export function returnUnusedMemory(): number {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  const before = getHeapStatistics().total_heap_size;
  // The only kind that shrinks the space of young objects.
  collect({ type: 'major', flavor: 'last-resort' });
  return before - getHeapStatistics().total_heap_size;
}

/** Whether the space of young objects may grow: a busy process is collected less often with a large one. */
export function mayYoungSpaceGrow({ young_bytes, busy }: { young_bytes: number; busy: number }): boolean {
  // A process with little to do would take 64 MB for the burst of one sweep and keep it.
  return busy > BURST || (busy > IDLE && young_bytes < YOUNG_BYTES);
}

/**
 * By how many percent of what is in use the heap may grow before all of it is collected: three times as much as otherwise at
 * most. With steady work that is 64 MB: a collector with a hundred servers is collected half as often. A burst, as the start
 * of hundreds, is given 192 MB, and gives them back when it is over. What does little has no use for that.
 */
export function growingPercent({ used_bytes, busy }: Pick<HeapLook, 'used_bytes' | 'busy'>): number {
  if (busy <= IDLE) return LEAST_GROWING_PERCENT;
  const garbage = busy > BURST ? BURST_GARBAGE_BYTES : GARBAGE_BYTES;
  const percent = Math.round((garbage / used_bytes) * 100);
  return Math.max(LEAST_GROWING_PERCENT, Math.min(3 * LEAST_GROWING_PERCENT, percent));
}

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;

/** Looks every five seconds for as long as the process lives; keeps nothing alive by itself. */
export function watchUnusedMemory(): void {
  let load = performance.eventLoopUtilization();
  let last = -Infinity;
  const look = () => {
    const since = load;
    load = performance.eventLoopUtilization();
    const { total_heap_size: taken_bytes, used_heap_size: used_bytes } = getHeapStatistics();
    const busy = performance.eventLoopUtilization(load, since).utilization;
    const now = performance.now();
    const mayGrow = mayYoungSpaceGrow({ young_bytes: youngBytes(), busy });
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
    setFlagsFromString(growthFlag(growingPercent({ used_bytes, busy })));
    letThreadsHelp(!collectsAlone({ used_bytes, busy }));
    if (!isWorthReturning({ taken_bytes, used_bytes, busy, since_ms: now - last })) return;
    last = now;
    returnUnusedMemory();
  };
  setInterval(look, LOOK_MS).unref();
}
