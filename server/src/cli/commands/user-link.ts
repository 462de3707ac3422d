// Prints a one-time link token, the way back in for an account without a password.
import { createLink } from '../../identity/auth/links.service.ts';
import { type Command, commandCtx } from '../command.ts';

export const command: Command = {
  path: ['user', 'link'],
  summary: 'Print a one-time link token that signs a user in',
  details: 'The token works once, within an hour. Standard output has nothing else.',
  arguments: [{ name: 'username', description: 'who is to sign in' }],
  options: [],
  async run(io, args) {
    const link = await createLink(await commandCtx(io), args.argument('username'));
    io.err(
      `To sign in, open /link#<token> on the server with the token below, once and before ${link.expires_at}.`,
    );
    io.out(link.token.reveal());
    return 0;
  },
};
