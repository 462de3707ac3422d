// The list of what a backup holds, `backup.json`. Guards: it is written last and appears whole, so a directory without it is no backup; it
// names every file with its size and hash, and its own hash shows that it was not changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../kernel/errors.ts';
import { integer, list, object, type Static, text } from '../../kernel/schema.ts';
import { compileBody } from '../../kernel/validate.ts';

const MANIFEST = 'backup.json';
/** There from the first moment to the last, for a person who looks into the directory. */
const UNFINISHED = 'UNFINISHED';
const UNFINISHED_TEXT =
  'This backup is under way, or it was interrupted. It cannot be restored: delete the directory and make another backup.\n';
/** Raised when an older version could not restore it. */
export const BACKUP_FORMAT = 1;

/** Relative to the backup, or to the cluster within it; never upwards. */
const PATH = { minLength: 1, maxLength: 1024, pattern: '^(?!/)(?!(?:.*/)?\\.\\.?(?:/|$))[^\\\\\\0]+$' };

const manifestSchema = object({
  format: integer({ minimum: 1 }),
  started_at: text(),
  finished_at: text(),
  matriarch_version: text(),
  postgresql_version_num: integer({ minimum: 1 }),
  /** Such as linux-x64: files of a cluster are of one kind of machine. */
  platform: text(),
  directories: list(text(PATH), { maxItems: 100_000 }),
  files: list(
    object({ path: text(PATH), bytes: integer({ minimum: 0 }), sha256: text({ pattern: '^[0-9a-f]{64}$' }) }),
    { maxItems: 10_000_000 },
  ),
});
export type Manifest = Static<typeof manifestSchema>;
export type BackupFile = Manifest['files'][number];

const sealedSchema = object({ manifest: manifestSchema, sha256: text() });
const check = compileBody(sealedSchema);

const hashOf = (manifest: unknown) => createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

/** Marks the directory as a backup that is under way. */
export function beginManifest(directory: string): void {
  writeFileSync(path.join(directory, UNFINISHED), UNFINISHED_TEXT, { mode: 0o600, flag: 'wx' });
}

/** From here on the directory is a backup. */
export function finishManifest(directory: string, manifest: Manifest): void {
  const draft = path.join(directory, `${MANIFEST}.draft`);
  const sealed = { manifest, sha256: hashOf(manifest) };
  writeFileSync(draft, `${JSON.stringify(sealed, null, 1)}\n`, { mode: 0o600, flush: true });
  rmSync(path.join(directory, UNFINISHED));
  renameSync(draft, path.join(directory, MANIFEST));
}

function parse(content: string, file: string): Manifest {
  const damaged = new UsageError(`${file} is damaged: this backup cannot be restored. Use another one.`);
  let sealed: { manifest: Manifest; sha256: string };
  try {
    sealed = JSON.parse(content);
    check(sealed);
  } catch {
    throw damaged;
  }
  if (sealed.sha256 !== hashOf(sealed.manifest)) throw damaged;
  return sealed.manifest;
}

/** Throws a UsageError when the directory holds no complete backup that this version can restore. */
export function readManifest(directory: string): Manifest {
  const file = path.join(directory, MANIFEST);
  if (!existsSync(directory)) throw new UsageError(`There is no directory ${directory}.`);
  if (!existsSync(file)) {
    throw new UsageError(
      existsSync(path.join(directory, UNFINISHED))
        ? `The backup in ${directory} is not complete: it is under way, or it was interrupted. Use another backup.`
        : `${directory} is not a backup: it has no ${MANIFEST}.`,
    );
  }
  const content = readFileSync(file, 'utf8');
  const format = /"format":\s*(\d+)/.exec(content)?.[1];
  if (format !== undefined && Number(format) > BACKUP_FORMAT) {
    throw new UsageError(
      `The backup in ${directory} was made by a newer version of Matriarch: restore it with that version.`,
    );
  }
  return parse(content, file);
}
