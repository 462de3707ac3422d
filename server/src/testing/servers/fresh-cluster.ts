// Files of a new cluster without the seconds of initdb: the first of each major version in a run is made by it, and the
// others are copies with a system identifier of their own. Guards: PostgreSQL takes the identifier from the control file and
// compares it with the first page of its WAL, so both get the new one, and the checksum of the control file is made anew.
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { OsUser } from '../../datastore/os-user.ts';
import { type CreateOptions, createCluster } from '../../datastore/pg-files.ts';

/** Bytes of XLogPageHeaderData, behind which a segment's first page has the system identifier. */
const WAL_PAGE_HEADER = 24;
const POLYNOMIAL = 0x82f63b78;

/** CRC-32C (Castagnoli), which zlib does not have. */
function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** ControlFileData ends with its checksum; how long it is depends on the version. */
function checksumOffset(control: Buffer): number {
  for (let offset = 200; offset < 512; offset += 4)
    if (crc32c(control.subarray(0, offset)) === control.readUInt32LE(offset)) return offset;
  throw new Error('pg_control has no checksum where it was looked for');
}

function identify(directory: string): void {
  const identifier = randomBytes(8);
  // As a bigint it is positive.
  identifier.writeUInt8(identifier.readUInt8(7) & 0x7f, 7);
  const controlFile = path.join(directory, 'global', 'pg_control');
  const control = readFileSync(controlFile);
  const end = checksumOffset(control);
  identifier.copy(control, 0);
  control.writeUInt32LE(crc32c(control.subarray(0, end)), end);
  writeFileSync(controlFile, control);
  const wal = path.join(directory, 'pg_wal');
  for (const name of readdirSync(wal)) {
    if (!/^[0-9A-F]{24}$/.test(name)) continue;
    const segment = readFileSync(path.join(wal, name));
    identifier.copy(segment, WAL_PAGE_HEADER);
    writeFileSync(path.join(wal, name), segment);
  }
}

function copyTree(from: string, to: string, user: OsUser | null): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  if (!user) return;
  lchownSync(to, user.uid, user.gid);
  for (const entry of readdirSync(to, { withFileTypes: true, recursive: true }))
    lchownSync(path.join(entry.parentPath, entry.name), user.uid, user.gid);
}

/** As `createCluster`, with the superuser's password unset or another's: it is the caller's to set. */
export async function freshCluster(runDirectory: string, options: CreateOptions): Promise<void> {
  const { binaries, directory, user } = options;
  const model = path.join(runDirectory, `model-${binaries.major}`);
  if (!existsSync(model)) {
    await createCluster(options);
    const own = `${directory}.model`;
    copyTree(directory, own, user);
    try {
      renameSync(own, model);
    } catch {
      // another thread was first
      rmSync(own, { recursive: true, force: true });
    }
    return;
  }
  copyTree(model, directory, user);
  identify(directory);
}
