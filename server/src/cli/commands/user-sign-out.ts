// Ends the sessions of a user, or of all, as after a theft. API tokens stay: `token revoke` ends these.
import { endSessionsOf } from '../../identity/auth/sessions.service.ts';
import { listUsers, requireUser } from '../../identity/auth/users.service.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Command, commandCtx } from '../command.ts';

export const command: Command = {
  path: ['user', 'sign-out'],
  summary: 'End all sessions of a user, or of all users',
  details: 'Takes effect at once; one-time links end too. API tokens stay (see `token revoke`).',
  arguments: [{ name: 'username', description: 'whose sessions end', optional: true }],
  options: [{ flags: '--all', description: 'of all users' }],
  async run(io, args) {
    const [username, isAll] = [args.argument('username'), args.flag('all')];
    if ((username !== '') === isAll) throw new UsageError('Name a user, or give --all.');
    const ctx = await commandCtx(io);
    const users = isAll ? await listUsers(ctx) : [await requireUser(ctx, username)];
    for (const user of users) {
      const ended = await endSessionsOf(ctx, user);
      if (ended > 0 || !isAll)
        io.out(`${user.username}: ${ended === 1 ? 'ended one session' : `ended ${ended} sessions`}`);
    }
    return 0;
  },
};
