// Creates an API token; the token stands alone on standard output, so that it can be piped to where it is needed.

import type { TokenScope } from '../../identity/access/principal.ts';
import { createToken } from '../../identity/auth/tokens.service.ts';
import { UsageError } from '../../kernel/errors.ts';
import { type Command, type CommandArgs, commandCtx } from '../command.ts';

function list(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function connection(entry: string): { connection_id: number; level: 'read' | 'read_write' } {
  const match = /^(all|\d{1,10})(?::(read|read_write))?$/.exec(entry);
  if (!match)
    throw new UsageError(
      `--connections: found ${JSON.stringify(entry)}, expected ids like 3 or 3:read_write, or all:read.`,
    );
  const connection_id = match[1] === 'all' ? 0 : Number(match[1]);
  return { connection_id, level: match[2] === 'read_write' ? 'read_write' : 'read' };
}

function readScope(args: CommandArgs): TokenScope | undefined {
  const connections = args.text('connections');
  const mcp = args.text('mcp');
  const admin = args.text('admin');
  const scope: TokenScope = {
    ...(connections === undefined ? {} : { connections: list(connections).map(connection) }),
    ...(mcp === undefined ? {} : { mcp: list(mcp) }),
    ...(admin === undefined ? {} : { admin: list(admin) }),
  };
  return Object.keys(scope).length > 0 ? scope : undefined;
}

const DEFAULT_LIFETIME = '30d';
const DEFAULT_MS = 30 * 86_400_000;

/** As on the page of tokens: a month unless something else is said, and no longer than what is allowed. */
function lifetimeOf(wanted: string | undefined, longestMs: number | undefined): string {
  if (wanted !== undefined) return wanted === 'never' ? '' : wanted;
  return longestMs !== undefined && longestMs < DEFAULT_MS ? '' : DEFAULT_LIFETIME;
}

export const command: Command = {
  path: ['token', 'create'],
  summary: 'Create an API token for a user or service account',
  details: [
    'Standard output has only the token, which is shown only this once.',
    'Without scope options it may do whatever its owner may. Each scope option is a ceiling; "" allows nothing of its kind.',
  ].join('\n'),
  arguments: [{ name: 'owner', description: 'the user or service account it belongs to' }],
  options: [
    { flags: '--name <text>', description: 'what the token is for (required)' },
    {
      flags: '--expires <lifetime>',
      description: '12h, 30d, 8w, 6m or 1y, at most 10y, or never; 30d by default',
    },
    { flags: '--connections <ids>', description: 'only these: 1,2:read_write or all:read' },
    { flags: '--mcp <identifiers>', description: 'only these MCP tools, separated by commas, or *' },
    {
      flags: '--admin <permissions>',
      description: 'only these admin permissions, separated by commas, or *',
    },
  ],
  async run(io, args) {
    const name = args.text('name');
    if (!name)
      throw new UsageError('--name is needed: say what the token is for, as in --name "backup job".');
    const scope = readScope(args);
    const longest_ms = io.config().auth.max_token_ms;
    const token = await createToken(await commandCtx(io), {
      owner_username: args.argument('owner'),
      name,
      expires_in: lifetimeOf(args.text('expires'), longest_ms),
      scope,
      longest_ms,
    });
    const until = token.expires_at === null ? 'does not expire' : `expires at ${token.expires_at}`;
    io.err(`Token ${token.id} (${token.name}) of ${token.owner} ${until}. It is shown only this once:`);
    io.out(token.token.reveal());
    return 0;
  },
};
