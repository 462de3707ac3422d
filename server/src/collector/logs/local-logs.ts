// Log files of a server that runs on this machine, read from the disk without a function on the server. Guards: only of a server that is
// proved to run here; only regular files of the server's own user, never through a link, since whoever may set log_directory chooses the
// folder.
import { constants } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { LOG_CHUNK_BYTES, LOG_HEAD_BYTES } from '../../estate/connections/log-script.ts';
import { provePostmaster } from '../../probes/hosts/colocation.ts';
import type { HostInput } from '../../probes/hosts/types.ts';
import type { ListedFile } from './log-plan.ts';
import type { Chunk } from './log-read.ts';

export interface LocalFolder {
  readonly directory: string;
  /** The operating system's user of the server. */
  readonly uid: number;
}

const NAME = /^[^./][^/]*\.(?:log|csv|json)$/;
const MOST_FILES = 1000;
// A pipe that is opened so does not hang.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function openOwn({ directory, uid }: LocalFolder, name: string) {
  const file = await open(path.join(directory, name), FLAGS).catch(() => undefined);
  if (!file) return undefined;
  const found = await file.stat();
  if (found.isFile() && found.uid === uid) return file;
  await file.close();
  return undefined;
}

/** The newest first. */
export async function listLocal({ directory, uid }: LocalFolder): Promise<ListedFile[]> {
  const names = (await readdir(directory)).filter((name) => NAME.test(name));
  const all = await Promise.all(
    names.map(async (name) => {
      const found = await lstat(path.join(directory, name)).catch(() => undefined);
      if (!found?.isFile() || found.uid !== uid) return undefined;
      // In whole seconds, as pg_ls_logdir() has it.
      return { name, size: found.size, modified: Math.floor(found.mtimeMs / 1000) };
    }),
  );
  return all
    .filter((one) => one !== undefined)
    .toSorted((a, b) => b.modified - a.modified || (a.name < b.name ? 1 : -1))
    .slice(0, MOST_FILES);
}

/** Undefined: the file is gone. */
export async function readLocal(
  folder: LocalFolder,
  name: string,
  position: number,
): Promise<Chunk | undefined> {
  const file = NAME.test(name) ? await openOwn(folder, name) : undefined;
  if (!file) return undefined;
  try {
    const [head, chunk] = [Buffer.alloc(LOG_HEAD_BYTES), Buffer.alloc(LOG_CHUNK_BYTES)];
    const start = await file.read(head, 0, LOG_HEAD_BYTES, 0);
    const rest = await file.read(chunk, 0, LOG_CHUNK_BYTES, position);
    return { head: head.subarray(0, start.bytesRead), bytes: chunk.subarray(0, rest.bytesRead) };
  } finally {
    await file.close();
  }
}

/** Undefined where the server is not proved to run here, or this process may not read its log. */
export async function findLocalFolder(
  query: HostInput['query'],
  directory: string,
): Promise<LocalFolder | undefined> {
  if (!path.isAbsolute(directory)) return undefined;
  const pid = await provePostmaster(query);
  const owner = pid === undefined ? undefined : await stat(`/proc/${pid}`).catch(() => undefined);
  if (!owner) return undefined;
  const folder = { directory, uid: owner.uid };
  const [newest] = await listLocal(folder).catch(() => []);
  const file = newest && (await openOwn(folder, newest.name));
  await file?.close();
  return file && folder;
}
