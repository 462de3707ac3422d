// In which folders the certificates and keys of connections may lie: whoever may save a connection names a file that the
// server process opens. Guards: a path outside is neither saved nor tried; one that was stored before is left alone
// until it is changed, unless the setting says which folders there are.
import os from 'node:os';
import path from 'node:path';
import { Fault } from '../../kernel/errors.ts';
import type { TlsPaths } from '../../monitored/tls-files.ts';

export interface TlsFolders {
  readonly folders: readonly string[];
  /** By the setting: then they hold for paths that are stored already, too. */
  readonly is_set: boolean;
}

/** As libpq has them: null where there is none. */
export type StoredPaths = { readonly [Member in keyof TlsPaths]?: string | null | undefined };

const MEMBERS = ['ssl_cert_path', 'ssl_key_path', 'ssl_root_cert_path'] as const;

/** What the setting permits; without it `certs` of the data directory and libpq's own folder of whoever runs us. */
export function tlsFoldersOf(stated: readonly string[], dataDir: string): TlsFolders {
  const usual = [path.join(dataDir, 'certs'), path.join(os.homedir(), '.postgresql')];
  const is_set = stated.length > 0;
  return { folders: (is_set ? stated : usual).map((folder) => path.resolve(folder)), is_set };
}

function isWithin(file: string, folder: string): boolean {
  const way = path.relative(folder, path.resolve(file));
  return way !== '' && way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** Why these paths may not be used, with what to do; undefined when they may, or are those of `before`. */
export function forbiddenFile(
  paths: StoredPaths,
  { folders }: TlsFolders,
  before: StoredPaths = {},
): string | undefined {
  const member = MEMBERS.find((name) => {
    const file = paths[name];
    if (file === null || file === undefined || file === before[name]) return false;
    return !folders.some((folder) => isWithin(file, folder));
  });
  if (!member) return undefined;
  return `${member} must lie in ${folders.join(' or ')}. Put the file there, or have an administrator permit its folder with the setting connections.tls_file_folders.`;
}

/** Throws unless every path that differs from `before` lies in a permitted folder. Without `folders` all are. */
export function demandFolders(
  paths: StoredPaths,
  folders: TlsFolders | undefined,
  before?: StoredPaths,
): void {
  const sentence = folders && forbiddenFile(paths, folders, before);
  if (sentence) throw new Fault('bad_request', sentence);
}
