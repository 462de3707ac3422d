// API tokens: for programs, owned by a person or a service account, shown once. A scope is a ceiling over what the
// owner may do; an absent dimension is unrestricted, an empty list allows nothing.

import { cleanName } from '../../kernel/clean-name.ts';
import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { MAX_ID } from '../../kernel/schema.ts';
import type { Secret } from '../../kernel/secret.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { mcpPrivilege } from '../access/mcp-privileges.ts';
import { ADMIN_PERMISSIONS } from '../access/permissions.ts';
import { type Ctx, inTransaction, type TokenScope } from '../access/principal.ts';
import { type AuditValue, recordAudit } from '../audit/audit.service.ts';
import type { AuthCtx } from './login-attempts.service.ts';
import * as queries from './tokens.queries.ts';
import { EXPIRES_IN_HELP, newToken, parseExpiresIn, tokenHash, tokenPrefix, utc } from './tokens.ts';
import { requireUser } from './users.service.ts';

/** As in the contract. */
const LONGEST_NAME = 4000;
const MOST_ENTRIES = 1000;
const EVERY_CONNECTION = 0;

interface TokenFacts {
  name: string;
  /** `<n>h`, `d`, `w`, `m` or `y`, at most ten years; empty or `never` for no limit. */
  expires_in: string;
  scope: TokenScope | undefined;
  /** The setting auth.max_token_lifetime; it also applies when no limit is asked for. */
  longest_ms?: number | undefined;
}

export interface NewToken extends TokenFacts {
  owner_username: string;
}

export interface CreatedToken {
  id: number;
  token: Secret;
  token_prefix: string;
  owner: string;
  name: string;
  expires_at: string | null;
}

const scopeDetails = (scope: TokenScope | null | undefined): AuditValue =>
  scope
    ? {
        ...(scope.connections && { connections: scope.connections.map((entry) => ({ ...entry })) }),
        ...(scope.mcp && { mcp: scope.mcp }),
        ...(scope.admin && { admin: scope.admin }),
      }
    : null;

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

/** 400 for whatever a scope may not hold. */
export async function checkScope(ctx: AuthCtx, scope: TokenScope): Promise<void> {
  for (const entries of [scope.connections, scope.mcp, scope.admin])
    if (entries && entries.length > MOST_ENTRIES)
      throw new Fault('bad_request', `A scope has at most ${MOST_ENTRIES} entries of a kind.`);
  const admin: readonly string[] = ['*', ...ADMIN_PERMISSIONS];
  const unknown = scope.admin?.find((permission) => !admin.includes(permission));
  if (unknown !== undefined)
    throw new Fault(
      'bad_request',
      `There is no admin permission ${JSON.stringify(cutText(unknown, 64))}. Known are ${admin.join(', ')}.`,
    );
  const odd = scope.mcp?.find((identifier) => !mcpPrivilege(identifier));
  if (odd !== undefined)
    throw new Fault(
      'bad_request',
      `There is no MCP tool or resource ${JSON.stringify(cutText(odd, 64))} for the scope.`,
    );
  await checkConnections(ctx, scope.connections);
}

const inWords = (ms: number) => (ms % DAY_MS === 0 ? `${ms / DAY_MS} days` : `${ms / HOUR_MS} hours`);

function lifetimeOf({ expires_in, longest_ms }: TokenFacts): number | undefined {
  const lifetime = parseExpiresIn(expires_in);
  if (!lifetime.ok) throw new Fault('bad_request', `The lifetime is not understood. ${EXPIRES_IN_HELP}`);
  if (longest_ms === undefined) return lifetime.ms;
  if (lifetime.ms !== undefined && lifetime.ms > longest_ms)
    throw new Fault('bad_request', `Tokens of this server last at most ${inWords(longest_ms)}.`);
  return lifetime.ms ?? longest_ms;
}

/** Creates a token for that account; the reply is the only place where it ever appears. Inside a transaction. */
export async function issueToken(
  ctx: Ctx,
  owner: { id: number; username: string },
  facts: TokenFacts,
): Promise<CreatedToken> {
  const { name, scope } = facts;
  const lifetime = lifetimeOf(facts);
  if (scope) await checkScope(ctx, scope);
  const token = newToken('mat_');
  const hash = tokenHash(token);
  const now = ctx.clock.now();
  const expires_at = lifetime === undefined ? null : utc(now + lifetime);
  const row = { name, token_hash: hash, user_id: owner.id, scope, created_at: utc(now), expires_at };
  const { id } = await ctx.db.one<{ id: number }>(queries.insertToken(row));
  await recordAudit(ctx, {
    action: 'token.create',
    target: { kind: 'token', id, name },
    details: { user_id: owner.id, username: owner.username, expires_at, scope: scopeDetails(scope) },
  });
  const by = ctx.principal.user_id;
  ctx.log.info({ event: 'auth.token_created', token_id: id, user_id: owner.id, by });
  return { id, token, token_prefix: tokenPrefix(hash), owner: owner.username, name, expires_at };
}

/** Creates a token by the name of its owner; for the command line. */
export async function createToken(ctx: Ctx, input: NewToken): Promise<CreatedToken> {
  const name = cleanName(input.name, { maxLength: LONGEST_NAME });
  const owner = await requireUser(ctx, input.owner_username);
  if (!owner.enabled) throw new Fault('conflict', `The account ${owner.username} is disabled.`);
  return inTransaction(ctx, (tx) => issueToken(tx, owner, { ...input, name }));
}

/** All tokens by owner; what is shown of a token comes from its hash. */
export async function listTokens(ctx: Ctx): Promise<queries.ListedToken[]> {
  return ctx.db.rows<queries.ListedToken>(queries.listTokenRows());
}

/** Deletes a token, which stops it at once in every process. 404 for an unknown one. */
export async function revokeToken(ctx: Ctx, tokenId: number): Promise<{ name: string }> {
  const possible = Number.isInteger(tokenId) && tokenId > 0 && tokenId <= MAX_ID;
  return inTransaction(ctx, async (tx) => {
    const deleted = possible ? await tx.db.maybe<Deleted>(queries.deleteToken(tokenId)) : undefined;
    if (!deleted) throw new Fault('not_found', `There is no token ${tokenId}.`);
    const { name, user_id } = deleted;
    await recordAudit(tx, {
      action: 'token.delete',
      target: { kind: 'token', id: tokenId, name },
      details: { user_id },
    });
    ctx.log.info({ event: 'auth.token_revoked', token_id: tokenId, by: ctx.principal.user_id });
    return { name };
  });
}

interface Deleted {
  name: string;
  user_id: number;
}

export type Token = queries.TokenRow;

/** 404 for an unknown one. */
export async function requireToken(ctx: Ctx, tokenId: number): Promise<Token> {
  return known(await ctx.db.maybe<Token>(queries.findToken(tokenId)));
}

/** The same; the row stays as it is until the transaction ends. */
export async function lockToken(ctx: Ctx, tokenId: number): Promise<Token> {
  return known(await ctx.db.maybe<Token>(queries.lockToken(tokenId)));
}

function known(token: Token | undefined): Token {
  if (!token) throw new Fault('not_found', 'There is no such token.');
  return token;
}

/** Replaces the scope of a token; undefined takes it away. Inside a transaction. */
export async function saveScope(ctx: Ctx, token: Token, scope: TokenScope | undefined): Promise<void> {
  await ctx.db.run(queries.updateScope(token.id, scope));
  await recordAudit(ctx, {
    action: 'token.set_scope',
    target: { kind: 'token', id: token.id, name: token.name },
    details: { user_id: token.user_id, before: scopeDetails(token.scope), after: scopeDetails(scope) },
  });
  ctx.log.info({ event: 'auth.token_scoped', token_id: token.id, by: ctx.principal.user_id });
}
