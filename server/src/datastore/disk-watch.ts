// Free space where this process keeps its data directory: the embedded datastore, or what a collector keeps while the datastore is away.
// Guards: it is said well before the disk is full, while it can still be noted in the datastore; a file system that does not answer is
// asked one question at a time, and what is not known is no alarm.
import { statfs } from 'node:fs/promises';
import { type Clock, within } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import { Fault } from '../kernel/errors.ts';
import { type FigureSource, gauge } from '../kernel/figures.ts';
import type { Part } from '../kernel/lifecycle.ts';
import { PartStates } from '../kernel/part-states.ts';
import { startRounds } from '../kernel/rounds.ts';
import { shownValue } from '../kernel/shown-value.ts';

/** Often, since what fails is said only after a minute. */
const EVERY_MS = 10_000;
const GB = 1024 ** 3;

export interface DiskSpace {
  total_bytes: number;
  /** What is left for a process that is not root. */
  available_bytes: number;
}

async function spaceOf(directory: string): Promise<DiskSpace> {
  const { blocks, bavail, bsize } = await statfs(directory);
  return { total_bytes: blocks * bsize, available_bytes: bavail * bsize };
}

/** A twentieth of the disk, but at least 1 GB (or a tenth of a small disk) and at most 10 GB. */
const enough = ({ total_bytes }: DiskSpace): number =>
  Math.max(Math.min(GB, total_bytes / 10), Math.min(10 * GB, total_bytes / 20));

/** Undefined while there is enough. */
export function shortageOf(directory: string, space: DiskSpace): string | undefined {
  const needed = enough(space);
  if (space.available_bytes >= needed) return undefined;
  const [left, all, least] = [space.available_bytes, space.total_bytes, needed].map((bytes) =>
    shownValue(bytes, 'bytes'),
  );
  return `${left} of ${all} are left on the disk of ${directory} (less than ${least}). Free space or enlarge the disk: when it is full, nothing more is stored.`;
}

export interface DiskWatchOptions {
  db: Db;
  clock: Pick<Clock, 'monotonic'>;
  directory: string;
  /** How space is read; the file system is asked when absent. */
  read?: (directory: string) => Promise<DiskSpace>;
  everyMs?: number;
}

export interface DiskWatch extends Part {
  figures: FigureSource;
}

export function watchDisk(options: DiskWatchOptions): DiskWatch {
  const { db, clock, directory, read = spaceOf, everyMs = EVERY_MS } = options;
  const parts = new PartStates(db, clock);
  let last: DiskSpace | undefined;
  const look = async () => {
    last = await read(directory).catch(() => undefined);
    const shortage = last && shortageOf(directory, last);
    if (shortage !== undefined) await parts.failed('disk', new Fault('unavailable', shortage));
    else if (last !== undefined) await parts.ran('disk');
  };
  const rounds = startRounds({
    name: 'disk-watch',
    pauseMs: everyMs,
    onFailure: () => undefined,
    begin: () => ({ round: look }),
  });
  return {
    name: 'disk-watch',
    figures: () => [
      gauge(
        'matriarch_disk_available_bytes',
        'Free space on the disk of the data directory of this process.',
        last?.available_bytes ?? null,
      ),
      gauge(
        'matriarch_disk_size_bytes',
        'Size of the disk of the data directory of this process.',
        last?.total_bytes ?? null,
      ),
    ],
    // A question that hangs is waited for only so long.
    stop: async () => {
      await within(1000, [rounds.stop()]);
      await parts.leave();
    },
  };
}
