// Users, with the guards that HTTP needs and the command line does not: the caller must have every right of the user
// they change, and only a superuser makes or unmakes superusers.

import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { Secret } from '../../kernel/secret.ts';
import { withoutNeedless } from '../access/access.service.ts';
import type { Ctx } from '../access/principal.ts';
import { findHeld, listGroupNames, listLevels } from '../access/rights.queries.ts';
import { changingRights, demandNoMore, hasEverything } from '../access/rights.service.ts';
import {
  changeAccount,
  deleteAccount,
  demandOther,
  lockAccount,
  requireAccount,
} from '../auth/accounts.service.ts';
import type { Auth } from '../auth/auth.service.ts';
import { removeSecondFactor } from '../auth/second-factor.service.ts';
import { endSessionsOf } from '../auth/sessions.service.ts';
import * as auth from '../auth/users.service.ts';
import type * as contract from './rbac-users.contract.ts';
import { listDirectGroups, passClusterGroups, passConnections } from './rbac-users.queries.ts';

const ONLY_SUPERUSERS = 'Only a superuser may make or unmake superusers.';

export async function listUsers(ctx: Ctx): Promise<Output<typeof contract.listUsers>> {
  const users = await auth.listUsers(ctx);
  const groups = await listDirectGroups(ctx.db);
  return {
    users: users.map(({ annotation, ...user }) => ({
      ...user,
      ...(annotation !== '' && { annotation }),
      groups: groups.get(user.id) ?? [],
    })),
  };
}

type NewUser = Input<typeof contract.createUser>['body'];

export async function createUser(
  ctx: Ctx,
  { passwords }: Auth,
  input: NewUser,
): Promise<Output<typeof contract.createUser>> {
  const { password, is_superuser = false, is_service_account = false } = input;
  if (is_superuser && !hasEverything(ctx.principal)) throw new Fault('forbidden', ONLY_SUPERUSERS);
  if (!password && !is_service_account)
    throw new Fault('bad_request', 'password is missing; only a service account has none.');
  const user = await auth.createUser(ctx, passwords, {
    ...input,
    password: password ? new Secret(password) : undefined,
    is_superuser,
    is_service_account,
  });
  return { message: `User ${user.username} created.`, id: user.id, username: user.username };
}

type UserChange = Input<typeof contract.updateUser>['body'];

export async function updateUser(
  ctx: Ctx,
  { passwords }: Auth,
  { id, change }: { id: number; change: UserChange },
): Promise<Output<typeof contract.updateUser>> {
  const { password, ...columns } = change;
  const before = await requireAccount(ctx, id);
  await demandNoMore(ctx, { kind: 'user', id });
  const password_hash = password
    ? await auth.newPasswordHash(passwords, before, new Secret(password))
    : undefined;
  return changingRights(ctx, async (tx) => {
    const user = await lockAccount(tx, id);
    await demandNoMore(tx, { kind: 'user', id });
    const changesSuperuser = change.is_superuser !== undefined && change.is_superuser !== user.is_superuser;
    if (changesSuperuser && !hasEverything(ctx.principal)) throw new Fault('forbidden', ONLY_SUPERUSERS);
    await changeAccount(tx, user, { ...columns, password_hash });
    return { message: `User ${user.username} updated.` };
  });
}

/** The own one is removed with password and code, so that a stolen session is not enough. */
export async function removeUserSecondFactor(ctx: Ctx, id: number): Promise<void> {
  await changingRights(ctx, async (tx) => {
    const user = await lockAccount(tx, id);
    await demandNoMore(tx, { kind: 'user', id });
    if (id === ctx.principal.user_id)
      throw new Fault(
        'conflict',
        'Remove your own second factor on the page Account, with password and code.',
      );
    await removeSecondFactor(tx, user);
  });
}

/** The session that asks stays, where it is the caller's own user. */
export async function endUserSessions(ctx: Ctx, id: number): Promise<{ message: string }> {
  return changingRights(ctx, async (tx) => {
    const user = await lockAccount(tx, id);
    await demandNoMore(tx, { kind: 'user', id });
    const ended = await endSessionsOf(tx, user);
    return { message: ended === 1 ? 'Ended one session.' : `Ended ${ended} sessions.` };
  });
}

/** What the user owned passes to the caller. */
export async function deleteUser(ctx: Ctx, id: number): Promise<void> {
  await changingRights(ctx, async (tx) => {
    const user = await lockAccount(tx, id);
    await demandNoMore(tx, { kind: 'user', id });
    demandOther(tx, user);
    const inheritance = { from: user, heir_id: ctx.principal.user_id };
    const connections = await passConnections(tx.db, inheritance);
    const cluster_groups = await passClusterGroups(tx.db, inheritance);
    await deleteAccount(tx, user);
    ctx.log.info({ event: 'rbac.passed_on', user_id: id, connections, cluster_groups });
  });
}

const LEVELS = { 1: 'read', 2: 'read_write' } as const;

export async function getUserPrivileges(
  ctx: Ctx,
  id: number,
): Promise<Output<typeof contract.getUserPrivileges>> {
  const { username, is_superuser } = await requireAccount(ctx, id);
  const groups = await listGroupNames(ctx.db, id);
  if (is_superuser)
    return {
      username,
      is_superuser,
      groups,
      mcp_privileges: ['*'],
      connection_privileges: { '0': 'read_write' },
      admin_permissions: ['*'],
    };
  const holder = { kind: 'user', id } as const;
  const held = await findHeld(ctx.db, holder);
  const levels = await listLevels(ctx.db, holder, ctx.principal.shared_access);
  return {
    username,
    is_superuser,
    groups,
    mcp_privileges: withoutNeedless(held.mcp_privileges),
    connection_privileges: Object.fromEntries(
      levels.map(({ connection_id, level }) => [String(connection_id), LEVELS[level]]),
    ),
    admin_permissions: withoutNeedless(held.admin_permissions),
  };
}
