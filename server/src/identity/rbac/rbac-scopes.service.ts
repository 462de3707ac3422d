// Grants on clusters and groups of clusters. Guards: nobody grants what they do not have themselves, on each server that
// is there and on those to come; whoever grants admits the servers that are there, and detection alone admits none but
// those with the same system identifier (decision 012).
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { listServersOf } from '../access/members.queries.ts';
import { admitCluster } from '../access/members.service.ts';
import { hasPermission } from '../access/permissions.ts';
import type { Ctx } from '../access/principal.ts';
import { changingRights, demandNoMore } from '../access/rights.service.ts';
import {
  deleteMember,
  findMemberName,
  type GroupRow,
  insertGroup,
  insertMember,
} from './rbac-groups.queries.ts';
import { noteGroup, requireGroup } from './rbac-groups.service.ts';
import type * as contract from './rbac-scopes.contract.ts';
import * as queries from './rbac-scopes.queries.ts';

type GroupName = Pick<GroupRow, 'id' | 'name'>;

const KINDS = { cluster: 'cluster', group: 'group of clusters' } as const;
const LEVELS = { read: 1, read_write: 2 } as const;

async function demandScopeSeen(ctx: Ctx, wanted: queries.ScopeRef): Promise<queries.FoundScope> {
  const found = await queries.findScope(ctx.db, ctx.principal, wanted);
  if (!found) throw new Fault('not_found', `There is no ${KINDS[wanted.scope]} ${wanted.scope_id}.`);
  return found;
}

export async function getScopeAccess(
  ctx: Ctx,
  wanted: queries.ScopeRef,
): Promise<Output<typeof contract.getScopeAccess>> {
  await demandScopeSeen(ctx, wanted);
  const grants = await queries.listGrantsOn(ctx.db, ctx.principal, wanted);
  const servers = await listServersOf(ctx.db, wanted);
  const rows = await queries.listMembership(ctx.db, ctx.principal, servers);
  const isGranted = grants.length > 0;
  const named = (inherits: boolean) =>
    rows
      .filter((row) => isGranted && row.inherits === inherits)
      .map(({ connection_id, name }) => ({ connection_id, name }));
  return { grants, inheriting: named(true), waiting: named(false) };
}

/** Every server that is there inherits from now on, so the caller needs the level on each, and on those to come. */
async function grant(tx: Ctx, group: GroupName, wanted: queries.ScopeGrant): Promise<void> {
  const { scope, scope_id, access_level } = wanted;
  await queries.lockScope(tx.db, wanted);
  const { name, is_default } = await demandScopeSeen(tx, wanted);
  if (is_default)
    throw new Fault(
      'bad_request',
      'The default group holds whatever is in no other group, so it cannot be granted. Grant a cluster, another group or every connection.',
    );
  if ((await queries.findOwnScopeLevel(tx.db, tx.principal, wanted)) < LEVELS[access_level])
    throw new Fault(
      'forbidden',
      `You cannot grant what you do not have yourself: ${access_level} on the ${KINDS[scope]} ${name} with the servers to come.`,
    );
  await queries.saveScopeGrant(tx.db, group.id, wanted);
  const servers = await listServersOf(tx.db, wanted);
  for (const cluster_id of new Set(servers.map((server) => server.cluster_id)))
    await admitCluster(tx, cluster_id);
  await noteGroup(tx, 'group.grant', { group, details: { scope, scope_id, name, access_level } });
}

export function grantScope(
  ctx: Ctx,
  groupId: number,
  wanted: Input<typeof contract.grantGroupScope>['body'],
): Promise<void> {
  return changingRights(ctx, async (tx) => grant(tx, await requireGroup(tx, groupId), wanted));
}

export function revokeScope(ctx: Ctx, groupId: number, wanted: queries.ScopeRef): Promise<void> {
  const { scope, scope_id } = wanted;
  return changingRights(ctx, async (tx) => {
    const group = await requireGroup(tx, groupId);
    if (!(await queries.deleteScopeGrant(tx.db, groupId, wanted)))
      throw new Fault('not_found', `The group ${group.name} was not granted that itself.`);
    await noteGroup(tx, 'group.revoke', { group, details: { scope, scope_id } });
  });
}

/** A user, and the scope that access is given on. */
export interface UserScope extends queries.ScopeRef {
  user_id: number;
}

async function demandUser(ctx: Ctx, id: number): Promise<string> {
  if (!hasPermission(ctx.principal, 'manage_groups'))
    throw new Fault(
      'forbidden',
      'To change the access of a user, you also need the permission manage_groups.',
    );
  const username = await findMemberName(ctx.db, { kind: 'user', id });
  if (username === undefined) throw new Fault('not_found', `There is no user ${id}.`);
  return username;
}

/** Takes the user out of the groups that give access to the scope and nothing else; answers whether there was one. */
async function leave(tx: Ctx, { user_id }: UserScope, groups: readonly queries.OwnGroup[]): Promise<boolean> {
  let left = false;
  for (const group of groups) {
    if (!(await deleteMember(tx.db, group.id, { kind: 'user', id: user_id }))) continue;
    left = true;
    const details = { member_kind: 'user', member_id: user_id };
    await noteGroup(tx, 'group.remove_member', { group, details });
  }
  return left;
}

const IN_NAMES = { read: 'read', read_write: 'read and write' } as const;

/** A name says what the group gives; where it is taken, the id makes it another one. */
async function makeOwnGroup(
  tx: Ctx,
  { name }: queries.FoundScope,
  wanted: queries.ScopeGrant,
): Promise<GroupName> {
  const { scope, scope_id, access_level } = wanted;
  const level = IN_NAMES[access_level];
  const description = `Users with ${level} access to the ${KINDS[scope]} ${cutText(name, 200)}, and nothing else.`;
  for (const title of [
    `${cutText(name, 200)}: ${level}`,
    `${cutText(name, 200)}: ${level} (${scope} ${scope_id})`,
  ]) {
    const group = await insertGroup(tx.db, { name: title, description, requires_second_factor: false });
    if (!group) continue;
    await noteGroup(tx, 'group.create', { group });
    await grant(tx, group, wanted);
    await queries.markByName(tx.db, group.id);
    return group;
  }
  throw new Fault(
    'conflict',
    'A group with the name for this access exists already. Grant it to that group.',
  );
}

export function setUserScope(
  ctx: Ctx,
  wanted: UserScope,
  access_level: queries.ScopeGrant['access_level'],
): Promise<Output<typeof contract.setUserScope>> {
  return changingRights(ctx, async (tx) => {
    const username = await demandUser(tx, wanted.user_id);
    const found = await demandScopeSeen(tx, wanted);
    const { scope, scope_id } = wanted;
    const own = await queries.listOwnGroups(tx.db, wanted);
    await leave(
      tx,
      wanted,
      own.filter((one) => one.access_level !== access_level),
    );
    const same = own.find((one) => one.access_level === access_level);
    const group = same ?? (await makeOwnGroup(tx, found, { scope, scope_id, access_level }));
    await demandNoMore(tx, { kind: 'group', id: group.id });
    if (await insertMember(tx.db, group.id, { kind: 'user', id: wanted.user_id })) {
      const details = { member_kind: 'user', member_id: wanted.user_id, member_name: username };
      await noteGroup(tx, 'group.add_member', { group, details });
    }
    return { group_id: group.id, group_name: group.name };
  });
}

export function removeUserScope(ctx: Ctx, wanted: UserScope): Promise<void> {
  return changingRights(ctx, async (tx) => {
    const username = await demandUser(tx, wanted.user_id);
    if (!(await leave(tx, wanted, await queries.listOwnGroups(tx.db, wanted))))
      throw new Fault(
        'not_found',
        `${username} was not given access here by name. Look at the groups of the user.`,
      );
  });
}
