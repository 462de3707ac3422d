// Sets somebody's password; all sessions of the account end.
import { createPasswords } from '../../identity/auth/passwords.ts';
import { requireUser, setPassword } from '../../identity/auth/users.service.ts';
import { type Command, commandCtx, readNewPassword } from '../command.ts';

export const command: Command = {
  path: ['user', 'passwd'],
  summary: 'Set the password of a user and end all their sessions',
  details:
    'The password is asked for, read from standard input when that is piped, or from --password-file; it is never an argument.',
  arguments: [{ name: 'username', description: 'whose password' }],
  options: [{ flags: '--password-file <path>', description: 'read the password from a file' }],
  async run(io, args) {
    const ctx = await commandCtx(io);
    const user = await requireUser(ctx, args.argument('username'));
    const password = await readNewPassword(io, args.text('password-file'));
    await setPassword(ctx, createPasswords(), { username: user.username, password });
    io.err(`Password of ${user.username} set. All sessions of the account have ended.`);
    return 0;
  },
};
