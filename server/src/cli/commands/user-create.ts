// Creates an account straight on the datastore, so the first administrator needs no API.
import { createLink } from '../../identity/auth/links.service.ts';
import { createPasswords } from '../../identity/auth/passwords.ts';
import { createUser, usernameFault } from '../../identity/auth/users.service.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Command, commandCtx, readNewPassword } from '../command.ts';

export const command: Command = {
  path: ['user', 'create'],
  summary: 'Create a user or a service account',
  details:
    'The password is asked for, read from standard input when that is piped, or from --password-file; it is never an argument.',
  arguments: [{ name: 'username', description: 'letters, digits and _ . @ -' }],
  options: [
    { flags: '--superuser', description: 'may see and do everything' },
    { flags: '--service-account', description: 'has no password and works with tokens only' },
    { flags: '--password-file <path>', description: 'read the password from a file' },
    { flags: '--link', description: 'no password; print a one-time link token to sign in with' },
  ],
  makesDatastore: true,
  async run(io, args) {
    const username = args.argument('username');
    const fault = usernameFault(username);
    if (fault) throw new UsageError(fault);
    const is_service_account = args.flag('service-account');
    const by_link = args.flag('link');
    const file = args.text('password-file');
    if ([is_service_account, by_link, file !== undefined].filter(Boolean).length > 1)
      throw new UsageError('--service-account, --link and --password-file exclude each other.');

    const password = is_service_account || by_link ? undefined : await readNewPassword(io, file);
    const ctx = await commandCtx(io);
    const is_superuser = args.flag('superuser');
    const user = await createUser(ctx, createPasswords(), {
      username,
      password,
      is_superuser,
      is_service_account,
    });
    io.err(`Created ${is_service_account ? 'service account' : 'user'} ${user.username} (id ${user.id}).`);
    if (is_service_account)
      io.err(`Next: ${commandLine(`token create ${user.username} --name <what it is for>`)}`);
    if (!by_link) return 0;
    const link = await createLink(ctx, user.username);
    io.err('To sign in, open /link#<token> on the server with the token below, once and within an hour.');
    io.out(link.token.reveal());
    return 0;
  },
};
