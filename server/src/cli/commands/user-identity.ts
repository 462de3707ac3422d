// Lets an existing user sign in with a provider, or no more: binds what the provider calls them.
import { requireUser } from '../../identity/auth/users.service.ts';
import { bindIdentity, unbindIdentity } from '../../identity/oidc/oidc.service.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Command, commandCtx } from '../command.ts';

export const command: Command = {
  path: ['user', 'identity'],
  summary: 'Let a user sign in with a provider (OpenID Connect) or a proxy',
  details: 'Both values are in the sentence and in the audit log when the provider’s user is refused.',
  arguments: [{ name: 'username', description: 'whose identity it is' }],
  options: [
    { flags: '--issuer <url>', description: 'the provider, as it calls itself, or `proxy`' },
    {
      flags: '--subject <text>',
      description: 'the user there (the claim sub, or the name in the header of the proxy)',
    },
    {
      flags: '--remove',
      description: 'take this identity from the user, and end the sessions that it opened',
    },
  ],
  async run(io, args) {
    const [issuer, subject] = [args.text('issuer'), args.text('subject')];
    if (!issuer || !subject) throw new UsageError('Give --issuer and --subject.');
    const ctx = await commandCtx(io);
    const user = await requireUser(ctx, args.argument('username'));
    if (args.flag('remove')) {
      await unbindIdentity(ctx, user, { issuer, subject });
      io.err(`${user.username} cannot sign in with this identity any more.`);
    } else {
      await bindIdentity(ctx, user, { issuer, subject });
      io.err(`${user.username} can sign in with this identity now.`);
    }
    return 0;
  },
};
