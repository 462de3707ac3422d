// API tokens over HTTP. Guards: nobody makes a token that may do more than they may, widens the scope of one, or takes
// a scope away that held back what they lack; so a token cannot widen itself.
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { mcpPrivilege } from '../access/mcp-privileges.ts';
import { knownPermissions } from '../access/permissions.ts';
import type { Ctx, TokenScope } from '../access/principal.ts';
import { changingRights, demandNoMore } from '../access/rights.service.ts';
import type { Auth } from '../auth/auth.service.ts';
import * as auth from '../auth/tokens.service.ts';
import { requireUser } from '../auth/users.service.ts';
import { demandDistinct } from './rbac-grants.service.ts';
import type * as contract from './rbac-tokens.contract.ts';

type ScopeView = Omit<Output<typeof contract.getTokenScope>, 'token_id'>;

/** A stored scope on the wire; names that this version does not know have no effect and are left out. */
function viewOf(scope: TokenScope | null): ScopeView {
  if (scope === null) return { scoped: false };
  const { connections, mcp, admin } = scope;
  const privileges = mcp?.flatMap((identifier) => mcpPrivilege(identifier) ?? []);
  return {
    scoped: true,
    ...(connections && {
      connections: connections.map(({ connection_id, level }) => ({ connection_id, access_level: level })),
    }),
    ...(privileges && {
      mcp_privileges: privileges.map(({ id }) => id),
      mcp_identifiers: privileges.map(({ identifier }) => identifier),
    }),
    ...(admin && { admin_permissions: knownPermissions(admin) }),
  };
}

export async function listTokens(ctx: Ctx): Promise<Output<typeof contract.listTokens>> {
  const tokens = await auth.listTokens(ctx);
  return { tokens: tokens.map(({ scope, ...token }) => ({ ...token, scope: viewOf(scope) })) };
}

const SHOWN_ONCE = 'Copy the token now; it is not shown again.';

export async function createToken(
  ctx: Ctx,
  { max_token_ms }: Auth,
  input: Input<typeof contract.createToken>['body'],
): Promise<Output<typeof contract.createToken>> {
  const annotation = input.annotation ?? '';
  return changingRights(ctx, async (tx) => {
    const owner = await requireUser(tx, input.owner_username);
    await demandNoMore(tx, { kind: 'token', user_id: owner.id, scope: undefined });
    if (!owner.enabled)
      throw new Fault('bad_request', `The account ${owner.username} is disabled. Enable it first.`);
    const { token, id, expires_at } = await auth.issueToken(tx, owner, {
      name: annotation,
      expires_in: input.expires_in ?? '',
      scope: undefined,
      longest_ms: max_token_ms,
    });
    const message = SHOWN_ONCE;
    return { token: token.reveal(), id, owner: owner.username, annotation, expires_at, message };
  });
}

export async function deleteToken(ctx: Ctx, id: number): Promise<void> {
  await auth.revokeToken(ctx, id);
}

export async function getScope(ctx: Ctx, id: number): Promise<Output<typeof contract.getTokenScope>> {
  const { scope } = await auth.requireToken(ctx, id);
  return { token_id: id, ...viewOf(scope) };
}

function scopeOf(input: Input<typeof contract.setTokenScope>['body']): TokenScope {
  const { connections, mcp_privileges: mcp, admin_permissions: admin } = input;
  if (!connections && !mcp && !admin)
    throw new Fault(
      'bad_request',
      'Give at least one of connections, mcp_privileges and admin_permissions; DELETE removes the scope.',
    );
  if (connections) demandDistinct(connections);
  return {
    ...(connections && {
      connections: connections.map(({ connection_id, access_level }) => ({
        connection_id,
        level: access_level,
      })),
    }),
    ...(mcp && { mcp: [...new Set(mcp)] }),
    ...(admin && { admin: [...new Set(admin)] }),
  };
}

export async function setScope(
  ctx: Ctx,
  id: number,
  input: Input<typeof contract.setTokenScope>['body'],
): Promise<void> {
  const scope = scopeOf(input);
  await changingRights(ctx, async (tx) => {
    const token = await auth.lockToken(tx, id);
    await auth.checkScope(tx, scope);
    await demandNoMore(tx, { kind: 'token', user_id: token.user_id, scope });
    await auth.saveScope(tx, token, scope);
  });
}

export async function clearScope(ctx: Ctx, id: number): Promise<void> {
  await changingRights(ctx, async (tx) => {
    const token = await auth.lockToken(tx, id);
    await demandNoMore(tx, { kind: 'token', user_id: token.user_id, scope: undefined });
    await auth.saveScope(tx, token, undefined);
  });
}
