// Deletes an API token; it stops working at once in every process.
import { revokeToken } from '../../identity/auth/tokens.service.ts';
import { commandLine } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Command, commandCtx } from '../command.ts';

export const command: Command = {
  path: ['token', 'revoke'],
  summary: 'Revoke an API token',
  arguments: [{ name: 'id', description: `the number that \`${commandLine('token list')}\` shows` }],
  options: [],
  async run(io, args) {
    const text = args.argument('id');
    if (!/^[1-9]\d{0,9}$/.test(text))
      throw new UsageError(
        `A token is revoked by its number; found ${JSON.stringify(text)}. \`${commandLine('token list')}\` shows the numbers.`,
      );
    const { name } = await revokeToken(await commandCtx(io), Number(text));
    io.err(`Token ${text} (${name}) is revoked.`);
    return 0;
  },
};
