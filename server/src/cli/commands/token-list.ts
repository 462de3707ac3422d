// Lists the API tokens; a token is recognised by the prefix of its hash.
import type { TokenScope } from '../../identity/access/principal.ts';
import { listTokens } from '../../identity/auth/tokens.service.ts';
import { type Command, commandCtx, printTable } from '../command.ts';

function inWords(scope: TokenScope | null): string {
  if (scope === null) return 'all of the owner';
  const connections = scope.connections?.map(
    ({ connection_id, level }) => `${connection_id === 0 ? 'all' : connection_id}:${level}`,
  );
  return Object.entries({ connections, mcp: scope.mcp, admin: scope.admin })
    .flatMap(([kind, entries]) => (entries ? [`${kind}=${entries.join(',') || 'none'}`] : []))
    .join(' ');
}

export const command: Command = {
  path: ['token', 'list'],
  summary: 'List API tokens',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const tokens = await listTokens(await commandCtx(io));
    if (args.flag('json')) {
      io.out(JSON.stringify({ tokens }, null, 2));
      return 0;
    }
    printTable(
      io,
      ['id', 'name', 'prefix', 'owner', 'expires', 'last used', 'scope'],
      tokens.map((token) => [
        String(token.id),
        token.name,
        token.token_prefix,
        token.username,
        token.expires_at ?? 'never',
        token.last_used_at ?? 'never',
        inWords(token.scope),
      ]),
    );
    return 0;
  },
};
