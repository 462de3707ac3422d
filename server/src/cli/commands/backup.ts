// matriarch backup: a copy of the embedded datastore, consistent while it runs. Guards: the key of stored passwords is in it only when that
// was said, and whoever makes a backup without it reads where the key is.

import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { backUp, CLUSTER, type Extra, PASSWORD_FILE } from '../../datastore/backup/backup.ts';
import { locateDatastore } from '../../datastore/locate.ts';
import { readKeyFile } from '../../identity/secrets/key-file.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import type { CliIo, Command } from '../command.ts';

const CERTIFICATES = 'certs';

/** Throws a sentence where there is no embedded datastore that we may read. */
function demandEmbedded(io: CliIo): string {
  const { datastore_url, data_dir, secret_key_file } = io.config();
  if (datastore_url !== undefined) {
    throw new UsageError(
      `The datastore is not the embedded one: back it up with pg_dump or pg_basebackup (docs/backup.md), and ${secret_key_file} apart from it.`,
    );
  }
  const password = path.join(data_dir, PASSWORD_FILE);
  if (!existsSync(path.join(data_dir, CLUSTER)))
    throw new UsageError(
      `There is no embedded datastore in ${data_dir}: name its directory with --data-dir.`,
    );
  try {
    accessSync(password, constants.R_OK);
  } catch {
    throw new UsageError(`${password} cannot be read: run this as the user who runs Matriarch.`);
  }
  return data_dir;
}

/** What opens stored passwords and signs in to monitored servers. */
async function keyFiles(io: CliIo): Promise<Extra[]> {
  const { data_dir, secret_key_file } = io.config();
  if ((await readKeyFile(secret_key_file)) === undefined)
    throw new UsageError(
      `There is no key at ${secret_key_file}: leave --with-key out, or name the file with --secret-key-file.`,
    );
  const folder = path.join(data_dir, CERTIFICATES);
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const certificates = names
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .map((name) => ({ from: path.join(folder, name), name: `${CERTIFICATES}/${name}` }));
  return [{ from: secret_key_file, name: 'secret.key' }, ...certificates];
}

function sayWhereTheKeyIs(io: CliIo): void {
  const { data_dir, secret_key_file } = io.config();
  const folder = path.join(data_dir, CERTIFICATES);
  const certificates = existsSync(folder) ? `, and the client certificates in ${folder}` : '';
  io.err(
    `This backup does not hold the key of stored passwords: it is ${secret_key_file}. Keep a copy of it apart from the backup${certificates}. Without the key a restored datastore does not start.`,
  );
}

export const command: Command = {
  path: ['backup'],
  summary: 'Back up the embedded datastore into an empty directory, also while it runs',
  details: [
    'The backup holds the cluster, the password of its superuser and a list of files with their hashes; readable by its owner alone.',
    'The key of stored passwords (secret.key) is left out, so that the backup alone opens none of them: keep a copy of the key apart.',
    `\`${commandLine('restore')} <directory>\` brings it back.`,
  ].join(' '),
  arguments: [{ name: 'directory', description: 'where the backup goes: an empty directory, or a new one' }],
  options: [
    {
      flags: '--with-key',
      description:
        'put the key and the client certificates into the backup, too: who reads it can open stored passwords',
    },
  ],
  async run(io, args) {
    const dataDir = demandEmbedded(io);
    const withKey = args.flag('with-key');
    const keys = withKey ? await keyFiles(io) : [];
    const located = await locateDatastore({
      datastoreUrl: undefined,
      dataDir,
      mayCreate: false,
      log: io.log,
      progress: io.err,
    });
    try {
      const extras = [{ from: path.join(dataDir, PASSWORD_FILE), name: PASSWORD_FILE }, ...keys];
      const target = path.resolve(args.argument('directory'));
      const { files } = await backUp({ url: located.url, dataDir, target, extras, clock: io.clock });
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      io.out(`Backed up ${files.length} files, ${shownValue(bytes, 'bytes')}, to ${target}.`);
    } finally {
      await located.stop();
    }
    if (withKey) io.err('This backup holds the key of stored passwords: keep it as you keep a password.');
    else sayWhereTheKeyIs(io);
    return 0;
  },
};
