// API tokens: for programs, owned by a person or a service account, shown once. A scope is a ceiling over what the
// owner may do; an absent dimension is unrestricted, an empty list allows nothing.
import { Fault } from '../../kernel/errors.ts';
import { MAX_ID } from '../../kernel/schema.ts';
import type { Secret } from '../../kernel/secret.ts';
import { ADMIN_PERMISSIONS } from '../access/permissions.ts';
import type { Ctx, TokenScope } from '../access/principal.ts';
import type { AuthCtx } from './attempts.service.ts';
import * as queries from './tokens.queries.ts';
import { EXPIRES_IN_HELP, newToken, parseExpiresIn, tokenHash, tokenPrefix, utc } from './tokens.ts';
import { requireUser } from './users.service.ts';

const LONGEST_NAME = 255;
const MOST_ENTRIES = 1000;
const EVERY_CONNECTION = 0;

export interface NewToken {
  owner_username: string;
  name: string;
  /** `<n>h`, `d`, `w`, `m` or `y`, at most ten years; empty or `never` for no limit. */
  expires_in: string;
  scope: TokenScope | undefined;
}

export interface CreatedToken {
  id: number;
  token: Secret;
  token_prefix: string;
  owner: string;
  name: string;
  expires_at: string | null;
}

async function checkConnections(ctx: AuthCtx, connections: TokenScope['connections'] = []): Promise<void> {
  const wanted = connections.map((entry) => entry.connection_id).filter((id) => id !== EVERY_CONNECTION);
  if (wanted.length === 0) return;
  const possible = wanted.filter((id) => Number.isInteger(id) && id > 0 && id <= MAX_ID);
  const found = await ctx.db.rows<{ id: number }>(queries.findConnectionIds(possible));
  const known = new Set(found.map((row) => row.id));
  const missing = wanted.find((id) => !known.has(id));
  if (missing !== undefined)
    throw new Fault('bad_request', `There is no connection ${missing} for the scope.`);
}

async function checkScope(ctx: AuthCtx, scope: TokenScope): Promise<void> {
  for (const entries of [scope.connections, scope.mcp, scope.admin])
    if (entries && entries.length > MOST_ENTRIES)
      throw new Fault('bad_request', `A scope has at most ${MOST_ENTRIES} entries of a kind.`);
  const admin: readonly string[] = ['*', ...ADMIN_PERMISSIONS];
  const unknown = scope.admin?.find((permission) => !admin.includes(permission));
  if (unknown !== undefined)
    throw new Fault(
      'bad_request',
      `There is no admin permission ${JSON.stringify(unknown.slice(0, 64))}. Known are ${admin.join(', ')}.`,
    );
  const odd = scope.mcp?.find((identifier) => !/^(\*|[A-Za-z][A-Za-z0-9_:/.-]{0,127})$/.test(identifier));
  if (odd !== undefined)
    throw new Fault('bad_request', `${JSON.stringify(odd.slice(0, 64))} is no identifier of an MCP tool.`);
  await checkConnections(ctx, scope.connections);
}

/** Creates a token; the reply is the only place where it ever appears. */
export async function createToken(ctx: Ctx, input: NewToken): Promise<CreatedToken> {
  const name = input.name.trim();
  if (name === '' || name.length > LONGEST_NAME || name.includes('\0'))
    throw new Fault('bad_request', `A token needs a name of 1 to ${LONGEST_NAME} characters.`);
  const lifetime = parseExpiresIn(input.expires_in);
  if (!lifetime.ok) throw new Fault('bad_request', `The lifetime is not understood. ${EXPIRES_IN_HELP}`);
  if (input.scope) await checkScope(ctx, input.scope);
  const owner = await requireUser(ctx, input.owner_username);
  if (!owner.enabled) throw new Fault('conflict', `The account ${owner.username} is disabled.`);

  const token = newToken('mat_');
  const hash = tokenHash(token);
  const now = ctx.clock.now();
  const expires_at = lifetime.ms === undefined ? null : utc(now + lifetime.ms);
  const { id } = await ctx.db.one<{ id: number }>(
    queries.insertToken({
      name,
      token_hash: hash,
      user_id: owner.id,
      scope: input.scope,
      created_at: utc(now),
      expires_at,
    }),
  );
  const by = ctx.principal.user_id;
  ctx.log.info({ event: 'auth.token_created', token_id: id, user_id: owner.id, by });
  return { id, token, token_prefix: tokenPrefix(hash), owner: owner.username, name, expires_at };
}

/** All tokens by owner; what is shown of a token comes from its hash. */
export async function listTokens(ctx: Ctx): Promise<queries.ListedToken[]> {
  return ctx.db.rows<queries.ListedToken>(queries.listTokenRows());
}

/** Deletes a token, which stops it at once in every process. 404 for an unknown one. */
export async function revokeToken(ctx: Ctx, tokenId: number): Promise<{ name: string }> {
  const possible = Number.isInteger(tokenId) && tokenId > 0 && tokenId <= MAX_ID;
  const deleted = possible ? await ctx.db.maybe<{ name: string }>(queries.deleteToken(tokenId)) : undefined;
  if (!deleted) throw new Fault('not_found', `There is no token ${tokenId}.`);
  ctx.log.info({ event: 'auth.token_revoked', token_id: tokenId, by: ctx.principal.user_id });
  return deleted;
}
