// Groups and members. Guards: no circles, also when two requests would close one together; and nobody makes a member of
// a group that may do more than they may.
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { mcpPrivilege } from '../access/mcp-privileges.ts';
import { knownPermissions } from '../access/permissions.ts';
import type { Ctx } from '../access/principal.ts';
import { isBelow } from '../access/rights.queries.ts';
import { changingRights, demandNoMore } from '../access/rights.service.ts';
import { type AuditAction, type AuditEntry, recordAudit } from '../audit/audit.service.ts';
import { listConnectionGrants, listMcpGrants, listPermissionGrants } from './rbac-grants.queries.ts';
import type * as contract from './rbac-groups.contract.ts';
import * as queries from './rbac-groups.queries.ts';
import { listScopeGrants } from './rbac-scopes.queries.ts';

const EVENTS = {
  'group.create': 'rbac.group_create',
  'group.change': 'rbac.group_change',
  'group.delete': 'rbac.group_delete',
  'group.add_member': 'rbac.group_add_member',
  'group.remove_member': 'rbac.group_remove_member',
  'group.grant': 'rbac.group_grant',
  'group.revoke': 'rbac.group_revoke',
} as const satisfies Partial<Record<AuditAction, string>>;

/** One row in the audit log and one line in the log. Inside the transaction that makes the change. */
export async function noteGroup(
  ctx: Ctx,
  action: keyof typeof EVENTS,
  { group, details = {} }: { group: { id: number; name: string }; details?: AuditEntry['details'] },
): Promise<void> {
  await recordAudit(ctx, { action, target: { kind: 'group', id: group.id, name: group.name }, details });
  const by = ctx.principal.user_id;
  ctx.log.info({ event: EVENTS[action], group_id: group.id, by, ...details });
}

/** 404 for an unknown one. */
export async function requireGroup(ctx: Ctx, id: number): Promise<queries.GroupRow> {
  const group = await queries.findGroup(ctx.db, id);
  if (!group) throw new Fault('not_found', 'There is no such group.');
  return group;
}

type Group = Output<typeof contract.updateGroup>;

const viewOf = ({ description, ...row }: queries.GroupRow): Group => ({
  id: row.id,
  name: row.name,
  created_at: row.created_at,
  requires_second_factor: row.requires_second_factor,
  ...(description !== '' && { description }),
});

export async function listGroups(ctx: Ctx): Promise<Output<typeof contract.listGroups>> {
  const rows = await queries.listGroupRows(ctx.db);
  return {
    groups: rows.map((row) => ({ ...viewOf(row), member_count: row.member_count, member_of: row.member_of })),
  };
}

export async function getGroup(ctx: Ctx, id: number): Promise<Output<typeof contract.getGroup>> {
  const group = await requireGroup(ctx, id);
  const members = await queries.findMembers(ctx.db, id);
  const identifiers = await listMcpGrants(ctx.db, id);
  const connections = await listConnectionGrants(ctx.db, id);
  const permissions = await listPermissionGrants(ctx.db, id);
  return {
    ...viewOf(group),
    ...members,
    mcp_privileges: identifiers.flatMap((identifier) => mcpPrivilege(identifier) ?? []),
    connection_privileges: connections,
    scope_privileges: await listScopeGrants(ctx.db, ctx.principal, id),
    admin_permissions: knownPermissions(permissions),
  };
}

export async function createGroup(
  ctx: Ctx,
  input: Input<typeof contract.createGroup>['body'],
): Promise<Output<typeof contract.createGroup>> {
  const { name, description = '', requires_second_factor = false } = input;
  return changingRights(ctx, async (tx) => {
    const group = await queries.insertGroup(tx.db, { name, description, requires_second_factor });
    if (!group) throw new Fault('conflict', `There is a group named ${name} already.`);
    const details = requires_second_factor ? { requires_second_factor } : {};
    await noteGroup(tx, 'group.create', { group, details });
    return group;
  });
}

const NOT_RELAXED = 'You cannot end the second factor of a group that has rights that you do not have';

/** The old name alone says that nothing but texts changed; with the second factor it is one of the old values. */
function changeOf(
  before: queries.GroupRow,
  after: queries.GroupRow,
  { description }: Input<typeof contract.updateGroup>['body'],
): AuditEntry['details'] {
  const { name, requires_second_factor } = after;
  const described = description !== undefined && { description };
  if (before.requires_second_factor === requires_second_factor)
    return { before: before.name, name, ...described };
  const old = { name: before.name, requires_second_factor: before.requires_second_factor };
  return { before: old, name, requires_second_factor, ...described };
}

export async function updateGroup(
  ctx: Ctx,
  id: number,
  input: Input<typeof contract.updateGroup>['body'],
): Promise<Group> {
  const { name, description, requires_second_factor } = input;
  if (name === undefined && description === undefined && requires_second_factor === undefined)
    throw new Fault('bad_request', 'Give name, description or requires_second_factor.');
  return changingRights(ctx, async (tx) => {
    const before = await requireGroup(tx, id);
    if (before.requires_second_factor && requires_second_factor === false)
      await demandNoMore(tx, { kind: 'group', id }, NOT_RELAXED);
    const group = await queries.updateGroup(tx.db, id, { name, description, requires_second_factor });
    if (!group) throw new Fault('not_found', 'There is no such group.');
    await noteGroup(tx, 'group.change', { group, details: changeOf(before, group, input) });
    return viewOf(group);
  });
}

export async function deleteGroup(ctx: Ctx, id: number): Promise<void> {
  await changingRights(ctx, async (tx) => {
    const deleted = await queries.deleteGroup(tx.db, id);
    if (!deleted) throw new Fault('not_found', 'There is no such group.');
    await noteGroup(tx, 'group.delete', { group: { id, name: deleted.name } });
  });
}

type MemberInput = Input<typeof contract.addGroupMember>['body'];

function memberOf({ user_id, group_id }: MemberInput): queries.Member {
  if (user_id !== undefined && group_id === undefined) return { kind: 'user', id: user_id };
  if (group_id !== undefined && user_id === undefined) return { kind: 'group', id: group_id };
  throw new Fault('bad_request', 'Give exactly one of user_id and group_id.');
}

export async function addMember(ctx: Ctx, groupId: number, input: MemberInput): Promise<void> {
  const member = memberOf(input);
  await changingRights(ctx, async (tx) => {
    const group = await requireGroup(tx, groupId);
    const name = await queries.findMemberName(tx.db, member);
    if (name === undefined) throw new Fault('not_found', `There is no such ${member.kind}.`);
    await demandNoMore(tx, { kind: 'group', id: groupId });
    if (member.kind === 'group' && (await isBelow(tx.db, groupId, member.id)))
      throw new Fault('conflict', `That would be a circle: ${group.name} is in ${name} already.`);
    if (!(await queries.insertMember(tx.db, groupId, member)))
      throw new Fault('conflict', `${name} is a member of ${group.name} already.`);
    const details = { member_kind: member.kind, member_id: member.id, member_name: name };
    await noteGroup(tx, 'group.add_member', { group, details });
  });
}

export async function removeMember(ctx: Ctx, groupId: number, member: queries.Member): Promise<void> {
  await changingRights(ctx, async (tx) => {
    const group = await requireGroup(tx, groupId);
    if (!(await queries.deleteMember(tx.db, groupId, member)))
      throw new Fault('not_found', `That ${member.kind} is not a direct member of ${group.name}.`);
    const details = { member_kind: member.kind, member_id: member.id };
    await noteGroup(tx, 'group.remove_member', { group, details });
  });
}
