// matriarch restore: a backup becomes the data directory of a Matriarch that has none yet. Guards: every file is compared with the list of the
// backup while it is copied; the cluster appears by rename when all of it is there; nothing that exists is overwritten.
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { errorCode, UsageError } from '../../kernel/errors.ts';
import { findBinaries } from '../binaries.ts';
import { type ClusterDirectory, chooseDirectory, restoringIn } from '../cluster-directory.ts';
import { openDataDir } from '../data-dir.ts';
import { serverUser } from '../os-user.ts';
import { CLUSTER, platform } from './backup.ts';
import { contentOf, copyFile, forEachFile } from './copy-file.ts';
import { type BackupFile, type Manifest, readManifest } from './manifest.ts';
import { noteRestored } from './restored.ts';

/** What may be in the data directory already: the key and certificates, brought back before, and what a restore left that was interrupted. */
const MAY_BE_THERE =
  /^(?:secret\.key|certs|lost\+found|\.?matriarch\.pid.*|postgres\.(?:unfinished|restoring)|postgres\.password)$/;

export interface RestoreOptions {
  from: string;
  dataDir: string;
  /** Where the key goes that a backup may hold. */
  keyFile: string;
  progress: (sentence: string) => void;
}

const KEY = 'secret.key';

function sourceOf(from: string, file: BackupFile): string {
  const source = path.join(from, file.path);
  const stats = lstatSync(source, { throwIfNoEntry: false });
  if (!stats?.isFile())
    throw new UsageError(`The backup in ${from} is damaged: ${file.path} is missing. Use another backup.`);
  return source;
}

function demandSame(from: string, file: BackupFile, found: Pick<BackupFile, 'bytes' | 'sha256'>): void {
  if (found.bytes === file.bytes && found.sha256 === file.sha256) return;
  throw new UsageError(
    `The backup in ${from} is damaged: ${file.path} is not what was backed up. Use another backup.`,
  );
}

/** Reads all of a backup and compares it with its list. */
export async function verifyBackup(directory: string): Promise<Manifest> {
  const from = path.resolve(directory);
  const manifest = readManifest(from);
  await forEachFile(manifest.files, async (file) => {
    demandSame(from, file, await contentOf(sourceOf(from, file)));
  });
  return manifest;
}

function demandVacant(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const [found] = readdirSync(dataDir).filter((name) => !MAY_BE_THERE.test(name));
  if (found === undefined) return;
  throw new UsageError(
    found === CLUSTER
      ? `The data directory ${dataDir} holds a datastore: a restore never overwrites one. Move it away, or name another directory with --data-dir.`
      : `The data directory ${dataDir} is not empty (${found}): name an empty one with --data-dir.`,
  );
}

function demandFitting(manifest: Manifest, major: number): void {
  const backedUp = Math.floor(manifest.postgresql_version_num / 10_000);
  if (backedUp !== major) {
    throw new UsageError(
      `The backup is of PostgreSQL ${backedUp}, and this version of Matriarch brings PostgreSQL ${major}: restore it with Matriarch ${manifest.matriarch_version}.`,
    );
  }
  if (manifest.platform !== platform()) {
    throw new UsageError(
      `The backup was made on ${manifest.platform}, and files of PostgreSQL cannot be used on ${platform()}: restore it on a machine of that kind, and move on with \`matriarch store copy\`.`,
    );
  }
}

async function copyCluster(from: string, { files, directories }: Manifest, target: string): Promise<void> {
  const prefix = `${CLUSTER}/`;
  const within = (name: string) => path.join(target, name.slice(prefix.length));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { mode: 0o700 });
  for (const name of directories) mkdirSync(within(name), { recursive: true, mode: 0o700 });
  const own = files.filter((file) => file.path.startsWith(prefix));
  await forEachFile(own, async (file) => {
    demandSame(from, file, await copyFile(sourceOf(from, file), within(file.path)));
  });
}

/** What is beside the cluster. What is there already stays, and has to be the same. */
async function copyExtras({ from, dataDir, keyFile }: RestoreOptions, manifest: Manifest): Promise<void> {
  for (const file of manifest.files.filter(({ path: name }) => !name.startsWith(`${CLUSTER}/`))) {
    const to = file.path === KEY ? keyFile : path.join(dataDir, file.path);
    const source = sourceOf(from, file);
    if (!existsSync(to)) {
      mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
      demandSame(from, file, await copyFile(source, to));
    } else if ((await contentOf(to)).sha256 !== file.sha256) {
      throw new UsageError(`${to} exists and is not that of the backup: move it away, and try again.`);
    }
  }
}

async function intoPlace(
  options: RestoreOptions,
  manifest: Manifest,
  { directory, link }: ClusterDirectory,
): Promise<void> {
  const unfinished = restoringIn(directory);
  try {
    await copyCluster(options.from, manifest, unfinished);
    await copyExtras(options, manifest);
    renameSync(unfinished, directory);
    if (link !== null) symlinkSync(directory, link);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (errorCode(error) !== 'ENOSPC') throw error;
    throw new UsageError(`There is no space left for ${directory}. Nothing of the datastore was kept.`);
  }
}

/** Answers what was restored. Throws a UsageError with a sentence. */
export async function restore(options: RestoreOptions): Promise<Manifest> {
  const from = path.resolve(options.from);
  const manifest = readManifest(from);
  const wanted = path.resolve(options.dataDir);
  demandVacant(wanted);
  const home = await openDataDir(wanted);
  try {
    demandVacant(home.path);
    const { progress } = options;
    const user = serverUser();
    const { major } = findBinaries({ user, progress });
    demandFitting(manifest, major);
    const place = chooseDirectory({ dataDir: home.path, major, user, progress });
    await intoPlace({ ...options, from, dataDir: home.path }, manifest, place);
    noteRestored(home.path, manifest.finished_at);
    return manifest;
  } finally {
    home.release();
  }
}
