// Says whether a user has a second factor, and takes it away where its app and recovery codes are lost.

import { removeSecondFactor } from '../../identity/auth/second-factor.service.ts';
import { factorsOf } from '../../identity/auth/second-factor-check.service.ts';
import { requireUser } from '../../identity/auth/users.service.ts';
import { type Command, commandCtx } from '../command.ts';

export const command: Command = {
  path: ['user', 'second-factor'],
  summary: 'Show or remove the second factor of a user',
  details:
    'With --remove the user signs in with the password alone, and all sessions of the user end. Where the settings ask for a second factor, the next sign-in leads to a new setup.',
  arguments: [{ name: 'username', description: 'whose second factor it is' }],
  options: [{ flags: '--remove', description: 'take it away' }],
  async run(io, args) {
    const ctx = await commandCtx(io);
    const user = await requireUser(ctx, args.argument('username'));
    if (args.flag('remove')) {
      await removeSecondFactor(ctx, user);
      io.err(`${user.username} has no second factor any more. All sessions of the user have ended.`);
      return 0;
    }
    const factors = await factorsOf(ctx, user.id);
    if (factors?.app) io.out(`set up on ${factors.app.confirmed_at}`);
    if (factors?.has_passkeys) io.out('has passkeys');
    if (!factors) io.out('not set up');
    return 0;
  },
};
