// matriarch restore: the embedded datastore from a backup, into a data directory without one. Guards: nothing that exists is overwritten, and
// whoever restores reads what is still missing before the first start.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from '../../datastore/backup/manifest.ts';
import { restore, verifyBackup } from '../../datastore/backup/restore.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { CliIo, Command } from '../command.ts';

const what = ({ finished_at, matriarch_version, files }: Manifest) =>
  `The backup of ${finished_at} (Matriarch ${matriarch_version}, ${files.length} files)`;

function sayWhatIsNext(io: CliIo): void {
  const { secret_key_file } = io.config();
  if (existsSync(secret_key_file)) {
    io.err(
      `The key of stored passwords is ${secret_key_file}. Notifications are held until you run ${commandLine('notifications release')}, so that a copy does not notify beside its original.`,
    );
    return;
  }
  io.err(
    `The key of stored passwords is not there: put the copy of secret.key that you kept at ${secret_key_file} (chmod 600) before you start Matriarch. Without it the start is refused. Notifications are held until you run ${commandLine('notifications release')}.`,
  );
}

export const command: Command = {
  path: ['restore'],
  summary: 'Restore the embedded datastore from a backup into a data directory without one',
  details: `The data directory is the setting data_dir. Restore before the first start there: \`${commandLine('restore')} <directory> --data-dir <new>\`. Every file is compared with the hashes in the backup.`,
  arguments: [{ name: 'directory', description: 'the directory that `matriarch backup` has made' }],
  options: [
    { flags: '--verify', description: 'only compare the backup with its hashes, and restore nothing' },
  ],
  async run(io, args) {
    const from = path.resolve(args.argument('directory'));
    if (args.flag('verify')) {
      io.out(`${what(await verifyBackup(from))} is complete and undamaged.`);
      return 0;
    }
    const { datastore_url, data_dir: dataDir, secret_key_file: keyFile } = io.config();
    if (datastore_url !== undefined)
      throw new UsageError(
        'The settings name a datastore (datastore_url), so an embedded one would not be used: restore without that setting.',
      );
    const manifest = await restore({ from, dataDir, keyFile, progress: io.err });
    io.out(`${what(manifest)} is restored to ${dataDir}.`);
    sayWhatIsNext(io);
    return 0;
  },
};
