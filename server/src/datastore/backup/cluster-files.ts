// Which files of a cluster belong in a backup: those that PostgreSQL's documentation names for a base backup at the level of files. Guards:
// what is outside of the cluster, such as a tablespace, is refused and not left out in silence.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../kernel/errors.ts';

/** PostgreSQL makes their content anew at each start; the directories have to be there. */
const EMPTY = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const WAL = 'pg_wal';
export const CONTROL_FILE = 'global/pg_control';
const LEFT_OUT =
  /^(?:postmaster\.(?:pid|opts)|backup_(?:label|manifest)(?:\.old)?|tablespace_map(?:\.old)?|pg_internal\.init(?:\.\d+)?|pgsql_tmp.*|postgresql\.auto\.conf\.tmp|current_logfiles\.tmp|\.s\..*)$/;

export interface ClusterFiles {
  /** Relative, each after its parent. */
  directories: string[];
  /** Relative; without WAL, and without the control file, which is copied last. */
  files: string[];
}

function demandNoTablespaces(cluster: string): void {
  if (readdirSync(path.join(cluster, 'pg_tblspc')).length === 0) return;
  throw new UsageError(
    'This datastore has tablespaces outside of its directory, which `matriarch backup` does not copy: use pg_basebackup of a PostgreSQL of the same major version.',
  );
}

/** Looks through the cluster; files may come and go meanwhile. */
export function clusterFiles(cluster: string): ClusterFiles {
  demandNoTablespaces(cluster);
  const found: ClusterFiles = { directories: [], files: [] };
  const walk = (below: string, withFiles: boolean) => {
    for (const name of readdirSync(path.join(cluster, below)).sort()) {
      const relative = below === '' ? name : `${below}/${name}`;
      if (LEFT_OUT.test(name) || relative === CONTROL_FILE) continue;
      const stats = statSync(path.join(cluster, relative), { throwIfNoEntry: false });
      if (stats?.isDirectory()) {
        found.directories.push(relative);
        walk(relative, withFiles && !EMPTY.has(relative) && relative !== WAL);
      } else if (stats?.isFile() && withFiles) found.files.push(relative);
    }
  };
  walk('', true);
  return { ...found, directories: found.directories.filter((name) => !/^pg_replslot\/./.test(name)) };
}

/** The segments from one to another of one timeline, and the histories of timelines. */
export function walFiles(cluster: string, first: string, last: string): string[] {
  const names = readdirSync(path.join(cluster, WAL)).sort();
  const segments = names.filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last);
  if (!segments.includes(first) || !segments.includes(last))
    throw new UsageError(
      'PostgreSQL has removed write-ahead log that the backup needs (max_slot_wal_keep_size may be too small). Try again.',
    );
  return [...names.filter((name) => /^[0-9A-F]{8}\.history$/.test(name)), ...segments].map(
    (name) => `${WAL}/${name}`,
  );
}

/** Whether a directory holds nothing, or does not exist. */
export function isVacant(directory: string): boolean {
  return !existsSync(directory) || (statSync(directory).isDirectory() && readdirSync(directory).length === 0);
}
