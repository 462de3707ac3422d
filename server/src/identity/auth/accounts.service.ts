// Changing and deleting accounts. Guards what must hold whoever asks: one enabled superuser is left, and nobody locks
// or deletes themselves. Who may ask is decided before (identity/rbac); each call runs inside a transaction that holds
// the lock on rights, so that two at once cannot take the last two superusers away.
import { Fault } from '../../kernel/errors.ts';
import type { Ctx } from '../access/principal.ts';
import { recordAudit } from '../audit/audit.service.ts';
import { endAccess } from './sessions.service.ts';
import * as queries from './users.queries.ts';
import { replacePassword } from './users.service.ts';

export interface AccountChange extends queries.UserChange {
  /** Of a new password; made before the transaction, because it takes its time. */
  password_hash?: string | undefined;
}

export type Account = queries.UserRow;

const GONE = 'There is no such user.';

export async function requireAccount(ctx: Ctx, userId: number): Promise<Account> {
  const user = await ctx.db.maybe<Account>(queries.findUser(userId));
  if (!user) throw new Fault('not_found', GONE);
  return user;
}

/** The row stays as it is until the transaction ends. */
export async function lockAccount(ctx: Ctx, userId: number): Promise<Account> {
  const user = await ctx.db.maybe<Account>(queries.lockUser(userId));
  if (!user) throw new Fault('not_found', GONE);
  return user;
}

async function keepSuperuser(ctx: Ctx, user: Account): Promise<void> {
  if (!user.is_superuser || !user.enabled) return;
  if (await ctx.db.maybe(queries.findOtherSuperuser(user.id))) return;
  throw new Fault('conflict', 'This is the last enabled superuser. Make another one first.');
}

/** 409 when it would disable the caller, or leave nobody who can do everything. */
export async function changeAccount(ctx: Ctx, user: Account, change: AccountChange): Promise<void> {
  const { password_hash, ...columns } = change;
  const disables = change.enabled === false;
  if (disables && user.id === ctx.principal.user_id)
    throw new Fault('conflict', 'You cannot disable your own account.');
  if (disables || change.is_superuser === false) await keepSuperuser(ctx, user);
  const given = Object.fromEntries(
    Object.entries(columns).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  if (Object.keys(given).length > 0) {
    await ctx.db.run(queries.updateUser(user.id, columns));
    const target = { kind: 'user', id: user.id, name: user.username };
    const old = new Map<string, unknown>(Object.entries(user));
    const before = Object.fromEntries(
      Object.keys(given).flatMap((name) => {
        const value = old.get(name);
        return typeof value === 'string' || typeof value === 'boolean' ? [[name, value]] : [];
      }),
    );
    await recordAudit(ctx, { action: 'user.change', target, details: { ...given, before } });
    const changed = Object.keys(given);
    ctx.log.info({ event: 'auth.user_changed', user_id: user.id, changed, by: ctx.principal.user_id });
  }
  if (disables) await endAccess(ctx.db, user.id, null);
  if (password_hash !== undefined) await replacePassword(ctx, user, password_hash);
}

/** 409 for oneself, and for the last one who can do everything. What the user owned has been passed on before. */
export async function deleteAccount(ctx: Ctx, user: Account): Promise<void> {
  demandOther(ctx, user);
  await keepSuperuser(ctx, user);
  await ctx.db.run(queries.deleteUser(user.id));
  await recordAudit(ctx, {
    action: 'user.delete',
    target: { kind: 'user', id: user.id, name: user.username },
    details: { is_superuser: user.is_superuser, is_service_account: user.is_service_account },
  });
  ctx.log.info({ event: 'auth.user_deleted', user_id: user.id, by: ctx.principal.user_id });
}

export function demandOther(ctx: Ctx, user: Account): void {
  if (user.id === ctx.principal.user_id) throw new Fault('conflict', 'You cannot delete your own account.');
}
