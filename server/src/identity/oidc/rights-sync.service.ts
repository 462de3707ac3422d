// Makes of a user what the provider says of their groups. Guards: only groups that the settings map are touched; the last
// enabled superuser stays one; every change is in the audit log. Inside the transaction that signs in.
import { Fault } from '../../kernel/errors.ts';
import type { Ctx } from '../access/principal.ts';
import { type Account, changeAccount } from '../auth/accounts.service.ts';
import { addMember, removeMember } from '../rbac/rbac-groups.service.ts';
import type { ClaimedRights } from './claims.ts';
import { findMappedGroups, type MappedGroup } from './oidc.queries.ts';

async function syncSuperuser(ctx: Ctx, user: Account, wanted: boolean | undefined): Promise<void> {
  if (wanted === undefined || wanted === user.is_superuser) return;
  try {
    await changeAccount(ctx, user, { is_superuser: wanted });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'conflict') throw error;
    ctx.log.warn({ event: 'auth.last_superuser_kept', user_id: user.id });
  }
}

/** The lock on rights is held by the caller. */
export async function syncRights(ctx: Ctx, user: Account, claimed: ClaimedRights): Promise<void> {
  await syncSuperuser(ctx, user, claimed.is_superuser);
  if (claimed.mapped.length === 0) return;
  const found = await ctx.db.rows<MappedGroup>(findMappedGroups(claimed.mapped, user.id));
  const held = new Set(claimed.groups.map((name) => name.toLowerCase()));
  for (const { id, name, is_member } of found) {
    const belongs = held.has(name.toLowerCase());
    if (belongs && !is_member) await addMember(ctx, id, { user_id: user.id });
    if (!belongs && is_member) await removeMember(ctx, id, { kind: 'user', id: user.id });
  }
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  const missing = claimed.groups.filter((name) => !names.has(name.toLowerCase()));
  if (missing.length > 0) ctx.log.warn({ event: 'auth.mapped_group_missing', groups: missing });
}
