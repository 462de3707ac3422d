// Nobody gives more than they have. Whatever would let somebody act with the rights of a user, token or group asks
// here whether the caller has all of these rights, after the ceiling of the caller's own token. Inside a transaction
// that holds the lock on rights, so that what was compared is still so when the change is made.
import { Fault } from '../../kernel/errors.ts';
import {
  effectiveMcpPrivileges,
  effectivePermissions,
  hasMcpPrivilege,
  withoutNeedless,
} from './access.service.ts';
import { hasPermission } from './permissions.ts';
import { type Ctx, inTransaction, type Principal } from './principal.ts';
import { compareHeld, type HeldRow, type Holder, lockRights } from './rights.queries.ts';

/** Runs `work` in a transaction in which nobody else changes who may do what. */
export function changingRights<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return inTransaction(ctx, async (tx) => {
    await lockRights(tx.db);
    return work(tx);
  });
}

/** A superuser without any ceiling has everything, so there is nothing to compare. */
export function hasEverything({ is_superuser, scope }: Principal): boolean {
  return is_superuser && scope?.connections === undefined && scope?.mcp === undefined;
}

interface Rights {
  is_superuser: boolean;
  admin_permissions: string[];
  mcp_privileges: string[];
}

function rightsOf(holder: Holder, row: HeldRow): Rights {
  const scope = holder.kind === 'token' ? holder.scope : undefined;
  const own = row.is_superuser ? ['*'] : withoutNeedless(row.admin_permissions);
  const admin_permissions = effectivePermissions(own, scope);
  const granted = row.is_superuser ? ['*'] : row.mcp_privileges;
  return {
    is_superuser: row.is_superuser && admin_permissions.includes('*'),
    admin_permissions,
    mcp_privileges: holder.kind === 'group' ? granted : effectiveMcpPrivileges(granted, scope),
  };
}

/** What the caller lacks of these rights, in words; undefined when nothing. */
function lacking(principal: Principal, rights: Rights): string | undefined {
  if (rights.is_superuser && !principal.is_superuser) return 'being a superuser';
  const permission = rights.admin_permissions.find((name) => !hasPermission(principal, name));
  if (permission !== undefined) return `the permission ${permission}`;
  const tool = rights.mcp_privileges.find((identifier) => !hasMcpPrivilege(principal, identifier));
  return tool === undefined ? undefined : `the MCP privilege ${tool}`;
}

const REFUSALS: Record<Holder['kind'], string> = {
  user: 'You cannot change a user who has rights that you do not have',
  group: 'You cannot add members to a group that has rights that you do not have',
  token: 'A token cannot get rights that you do not have',
};

/** 403 unless the caller has every right that the holder has. */
export async function demandNoMore(ctx: Ctx, holder: Holder, refusal = REFUSALS[holder.kind]): Promise<void> {
  const { principal } = ctx;
  if (hasEverything(principal)) return;
  const row = await compareHeld(ctx.db, principal, holder);
  const missing =
    lacking(principal, rightsOf(holder, row)) ??
    (row.reaches_more ? 'more access to connections' : undefined);
  if (missing !== undefined) throw new Fault('forbidden', `${refusal}: ${missing}.`);
}
