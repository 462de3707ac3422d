// matriarch key replace: the way on where the secret key file is lost for good. Guards: without --yes it only lists what would be lost, and a
// key that opens the stored secrets is never given up.
import { namesWithSecret } from '../../alerting/notification-channels/notification-channels.queries.ts';
import { namesWithPassword } from '../../estate/connections/connections.queries.ts';
import { namesWithSecondFactor } from '../../identity/auth/second-factor.queries.ts';
import { demandLostKey, giveUpLostKey } from '../../identity/secrets/replace-key.service.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { inertLine } from '../../kernel/inert-text.ts';
import { type CliIo, type Command, commandCtx } from '../command.ts';

function list(io: CliIo, head: string, names: readonly string[]): void {
  if (names.length === 0) return;
  io.out(`${head} (${names.length}):`);
  for (const name of names) io.out(`  ${inertLine(name)}`);
}

export const command: Command = {
  path: ['key', 'replace'],
  summary: 'Start with a new secret key where the old one is lost for good',
  details:
    'Lists the connections, notification channels and second factors of users whose stored secrets can no longer be opened. With --yes the old key is given up: the next start makes a new one, and those secrets have to be entered again. Everything else stays. Stop every Matriarch process of this datastore first.',
  options: [{ flags: '--yes', description: 'give the old key up' }],
  async run(io, args) {
    const { secret_key_file: keyFile } = io.config();
    const ctx = await commandCtx(io);
    await demandLostKey(ctx, keyFile);
    list(io, 'Connections whose password has to be entered again', await namesWithPassword(ctx.db));
    list(io, 'Notification channels whose secrets have to be entered again', await namesWithSecret(ctx.db));
    list(
      io,
      'Users who need a recovery code to sign in and a new second factor',
      await namesWithSecondFactor(ctx.db),
    );
    if (!args.flag('yes')) {
      io.err(
        `Nothing was changed. Bring back ${keyFile} from where it is kept. If it is lost for good: ${commandLine('key replace --yes')}`,
      );
      return 1;
    }
    await giveUpLostKey(ctx, keyFile);
    io.err(`The old key is given up. The next start makes a new one in ${keyFile}: keep a copy of it.`);
    return 0;
  },
};
