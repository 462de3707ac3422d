// Where a collector keeps its spools: <root>/<n>, the first that no living process holds. Guards: one process a
// directory; what a dead process left behind comes to whoever starts next; a disk that cannot be written costs the
// spool and never the start.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { type FileLock, lockFile } from '../../kernel/file-lock.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { openSpool } from './spool.ts';
import type { Spool } from './types.ts';

const LOCK = 'spool.pid';
const OWNER = 'collector';
/** Part of the cap that change-tracked facts may take: they are few, and small. */
const FACTS_SHARE = 1 / 16;

export interface SpoolHome extends Part {
  /** Samples, objects and active sessions. */
  readonly batches: Spool;
  /** Versions of change-tracked facts. */
  readonly facts: Spool;
  /**
   * Notes who uses it, and answers who did before: that one has ended for sure, since its lock was free. A disk that takes
   * nothing costs only that.
   */
  succeed(owner: string): string | undefined;
}

export interface HomeOptions {
  /** Made when it is missing. */
  root: string;
  maxBytes: number;
  minFreeBytes: number;
  clock: Clock;
  log: Log;
}

/** Numbers to try: those that are there, so that nothing is left lying, and then the lowest free one. */
async function numbers(root: string): Promise<number[]> {
  const there = (await readdir(root)).filter((name) => /^[1-9]\d{0,5}$/.test(name)).map(Number);
  let next = 1;
  while (there.includes(next)) next += 1;
  return [...there.sort((a, b) => a - b), next];
}

async function takeDirectory(root: string): Promise<{ directory: string; lock: FileLock }> {
  for (;;) {
    for (const number of await numbers(root)) {
      const directory = path.join(root, String(number));
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const lock = await lockFile(path.join(directory, LOCK));
      if (typeof lock !== 'number') return { directory, lock };
    }
  }
}

async function openBoth(directory: string, options: HomeOptions): Promise<[batches: Spool, facts: Spool]> {
  const { maxBytes, minFreeBytes, clock, log } = options;
  const common = { minFreeBytes, clock, log };
  const factsBytes = Math.floor(maxBytes * FACTS_SHARE);
  const batches = await openSpool({ ...common, directory, maxBytes: maxBytes - factsBytes });
  try {
    const facts = path.join(directory, 'facts');
    return [batches, await openSpool({ ...common, directory: facts, maxBytes: factsBytes })];
  } catch (error) {
    await batches.stop();
    throw error;
  }
}

function succeed(directory: string, owner: string): string | undefined {
  const file = path.join(directory, OWNER);
  let before: string | undefined;
  try {
    before = readFileSync(file, 'utf8').trim();
  } catch {
    // Nobody was here before.
  }
  try {
    writeFileSync(file, `${owner}\n`, { mode: 0o600 });
  } catch {
    // Then our successor waits for the end of our leases.
  }
  return before;
}

/** Answers a sentence instead where no spool can be had: then what waits for the datastore is in memory alone. */
export async function openSpoolHome(options: HomeOptions): Promise<SpoolHome | string> {
  const { root, log } = options;
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const { directory, lock } = await takeDirectory(root);
    try {
      const [batches, facts] = await openBoth(directory, options);
      const stop = async () => {
        await Promise.all([batches.stop(), facts.stop()]);
        lock.release();
      };
      return { name: 'spool', batches, facts, succeed: (owner) => succeed(directory, owner), stop };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    log.error({ event: 'spool.none', root, err: error });
    const reason = error instanceof Error ? error.message : String(error);
    return `There is no spool: ${root} cannot be written (${reason}). What waits for the datastore is in memory alone, and is lost when the collector ends.`;
  }
}
