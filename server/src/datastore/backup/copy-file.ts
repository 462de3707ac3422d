// Copies of files whose size and hash are known afterwards. Guards: a copy is on the disk before it counts, is readable by its owner alone,
// and replaces nothing.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { BackupFile } from './manifest.ts';

export type Content = Pick<BackupFile, 'bytes' | 'sha256'>;

const CHUNK_BYTES = 1024 * 1024;
/** Waiting for the disk, not for the processor: so many at once. */
const AT_ONCE = 8;

/** Size and hash of a file. */
export async function contentOf(from: string): Promise<Content> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(from, { highWaterMark: CHUNK_BYTES })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Copies the file as it is read at this moment; answers what was written. */
export async function copyFile(from: string, to: string): Promise<Content> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    createReadStream(from, { highWaterMark: CHUNK_BYTES }),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }),
  );
  return { bytes, sha256: hash.digest('hex') };
}

/** Does `work` for each, several at a time; ends with the first that fails, when those under way have ended. */
export async function forEachFile<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    for (const one of rest) {
      if (failure) return;
      await work(one).catch((error: unknown) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failure) throw failure.error;
}
