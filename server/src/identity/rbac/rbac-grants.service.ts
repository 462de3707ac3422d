// What groups are granted. Guards: nobody grants what they do not have themselves, after the ceiling of their own
// token; what does not exist cannot be granted; a set is replaced as a whole or not at all.

import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { hasMcpPrivilege, withoutNeedless } from '../access/access.service.ts';
import { MCP_PRIVILEGES, mcpPrivilege } from '../access/mcp-privileges.ts';
import { hasPermission, knownPermissions } from '../access/permissions.ts';
import type { Ctx } from '../access/principal.ts';
import { findHeld, listLevels, lockLevels } from '../access/rights.queries.ts';
import { changingRights } from '../access/rights.service.ts';
import type * as contract from './rbac-grants.contract.ts';
import * as queries from './rbac-grants.queries.ts';
import type { GroupRow } from './rbac-groups.queries.ts';
import { noteGroup, requireGroup } from './rbac-groups.service.ts';

const NOT_YOURS = 'You cannot grant what you do not have yourself';

/** Changes the grants of one group, and says so. */
function changing<T>(ctx: Ctx, groupId: number, work: (tx: Ctx, group: GroupRow) => Promise<T>): Promise<T> {
  return changingRights(ctx, async (tx) => work(tx, await requireGroup(tx, groupId)));
}

export async function getEffective(
  ctx: Ctx,
  groupId: number,
): Promise<Output<typeof contract.getGroupEffectivePrivileges>> {
  const group = await requireGroup(ctx, groupId);
  const holder = { kind: 'group', id: groupId } as const;
  const held = await findHeld(ctx.db, holder);
  const levels = await listLevels(ctx.db, holder, undefined);
  return {
    group_name: group.name,
    mcp_privileges: withoutNeedless(held.mcp_privileges),
    connection_privileges: levels.map(({ connection_id, level }) => ({
      connection_id,
      access_level: level === 2 ? 'read_write' : 'read',
    })),
    admin_permissions: knownPermissions(withoutNeedless(held.admin_permissions)),
  };
}

/** 400 for identifiers that do not exist. */
function demandKnown(identifiers: readonly string[]): void {
  const unknown = identifiers.find((identifier) => !mcpPrivilege(identifier));
  if (unknown !== undefined)
    throw new Fault(
      'bad_request',
      `There is no MCP privilege ${JSON.stringify(cutText(unknown, 64))}. GET /api/v1/rbac/privileges/mcp lists them.`,
    );
}

function demandOwnMcp(ctx: Ctx, identifiers: readonly string[]): void {
  const lacked = identifiers.find((identifier) => !hasMcpPrivilege(ctx.principal, identifier));
  if (lacked !== undefined) throw new Fault('forbidden', `${NOT_YOURS}: the MCP privilege ${lacked}.`);
}

export async function getMcp(
  ctx: Ctx,
  groupId: number,
): Promise<Output<typeof contract.getGroupMcpPrivileges>> {
  await requireGroup(ctx, groupId);
  return { group_id: groupId, privileges: await queries.listMcpGrants(ctx.db, groupId) };
}

export async function setMcp(
  ctx: Ctx,
  groupId: number,
  identifiers: readonly string[],
): Promise<Output<typeof contract.setGroupMcpPrivileges>> {
  demandKnown(identifiers);
  return changing(ctx, groupId, async (tx, group) => {
    demandOwnMcp(tx, identifiers);
    const before = await queries.listMcpGrants(tx.db, groupId);
    await queries.replaceMcpGrants(tx.db, groupId, identifiers);
    await noteSet(tx, group, { kind: 'mcp_privileges', before, after: [...new Set(identifiers)].sort() });
    return getMcp(tx, groupId);
  });
}

export function grantMcp(ctx: Ctx, groupId: number, identifier: string): Promise<void> {
  demandKnown([identifier]);
  return changing(ctx, groupId, async (tx, group) => {
    demandOwnMcp(tx, [identifier]);
    await queries.addMcpGrants(tx.db, groupId, [identifier]);
    await noteGroup(tx, 'group.grant', { group, details: { mcp_privilege: identifier } });
  });
}

export function revokeMcp(ctx: Ctx, groupId: number, identifier: string): Promise<void> {
  return changing(ctx, groupId, async (tx, group) => {
    if (!(await queries.deleteMcpGrant(tx.db, groupId, identifier))) throw notGranted(group);
    await noteGroup(tx, 'group.revoke', { group, details: { mcp_privilege: identifier } });
  });
}

const notGranted = (group: GroupRow) =>
  new Fault('not_found', `The group ${group.name} was not granted that itself.`);

interface SetChange {
  kind: string;
  before: readonly string[];
  after: readonly string[];
}

/** A set that grew is a grant, one that only shrank a taking away; the details say both. */
async function noteSet(ctx: Ctx, group: GroupRow, { kind, before, after }: SetChange): Promise<void> {
  const granted = after.filter((name) => !before.includes(name));
  const revoked = before.filter((name) => !after.includes(name));
  if (granted.length === 0 && revoked.length === 0) return;
  const action = granted.length === 0 ? 'group.revoke' : 'group.grant';
  await noteGroup(ctx, action, { group, details: { kind, granted, revoked } });
}

type Grants = readonly queries.Grant[];
const inWords = (grants: Grants) => grants.map((grant) => `${grant.connection_id}:${grant.access_level}`);

/** 404 for connections that do not exist, 403 for more than the caller's own access. */
async function demandOwnConnections(ctx: Ctx, grants: Grants): Promise<void> {
  const levels = await lockLevels(
    ctx.db,
    ctx.principal,
    grants.map((grant) => grant.connection_id),
  );
  for (const { connection_id, access_level } of grants) {
    const own = levels.get(connection_id);
    if (own === undefined) throw new Fault('not_found', `There is no connection ${connection_id}.`);
    const what = connection_id === 0 ? 'every connection' : `connection ${connection_id}`;
    if (own < (access_level === 'read' ? 1 : 2))
      throw new Fault('forbidden', `${NOT_YOURS}: ${access_level} on ${what}.`);
  }
}

export async function getConnections(
  ctx: Ctx,
  groupId: number,
): Promise<Output<typeof contract.getGroupConnectionPrivileges>> {
  await requireGroup(ctx, groupId);
  const rows = await queries.listConnectionGrants(ctx.db, groupId);
  return {
    group_id: groupId,
    connections: rows.map(({ connection_id, access_level }) => ({ connection_id, access_level })),
  };
}

export async function setConnections(
  ctx: Ctx,
  groupId: number,
  { connections }: Input<typeof contract.setGroupConnectionPrivileges>['body'],
): Promise<Output<typeof contract.setGroupConnectionPrivileges>> {
  demandDistinct(connections);
  return changing(ctx, groupId, async (tx, group) => {
    await demandOwnConnections(tx, connections);
    const before = await queries.listConnectionGrants(tx.db, groupId);
    await queries.replaceConnectionGrants(tx.db, groupId, connections);
    await noteSet(tx, group, { kind: 'connections', before: inWords(before), after: inWords(connections) });
    return getConnections(tx, groupId);
  });
}

/** 400 for a connection that is named twice. */
export function demandDistinct(grants: Grants): void {
  const ids = grants.map((grant) => grant.connection_id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined)
    throw new Fault('bad_request', `connections names the connection_id ${repeated} more than once.`);
}

export function grantConnection(ctx: Ctx, groupId: number, grant: queries.Grant): Promise<void> {
  return changing(ctx, groupId, async (tx, group) => {
    await demandOwnConnections(tx, [grant]);
    await queries.addConnectionGrants(tx.db, groupId, [grant]);
    await noteGroup(tx, 'group.grant', { group, details: { ...grant } });
  });
}

export function revokeConnection(ctx: Ctx, groupId: number, connectionId: number): Promise<void> {
  return changing(ctx, groupId, async (tx, group) => {
    if (!(await queries.deleteConnectionGrant(tx.db, groupId, connectionId))) throw notGranted(group);
    await noteGroup(tx, 'group.revoke', { group, details: { connection_id: connectionId } });
  });
}

/** Only superusers come this far; with a ceiling on connections or tools they still have every admin permission. */
function demandOwnPermissions(ctx: Ctx, names: readonly string[]): void {
  const lacked = names.find((name) => !hasPermission(ctx.principal, name));
  if (lacked !== undefined) throw new Fault('forbidden', `${NOT_YOURS}: the permission ${lacked}.`);
}

export async function getPermissions(
  ctx: Ctx,
  groupId: number,
): Promise<Output<typeof contract.getGroupPermissions>> {
  await requireGroup(ctx, groupId);
  const permissions = knownPermissions(await queries.listPermissionGrants(ctx.db, groupId));
  return { group_id: groupId, permissions };
}

export async function setPermissions(
  ctx: Ctx,
  groupId: number,
  names: readonly string[],
): Promise<Output<typeof contract.setGroupPermissions>> {
  return changing(ctx, groupId, async (tx, group) => {
    demandOwnPermissions(tx, names);
    const before = await queries.listPermissionGrants(tx.db, groupId);
    await queries.replacePermissions(tx.db, groupId, names);
    await noteSet(tx, group, { kind: 'admin_permissions', before, after: [...new Set(names)].sort() });
    return getPermissions(tx, groupId);
  });
}

export function grantPermission(ctx: Ctx, groupId: number, name: string): Promise<void> {
  return changing(ctx, groupId, async (tx, group) => {
    demandOwnPermissions(tx, [name]);
    await queries.addPermissions(tx.db, groupId, [name]);
    await noteGroup(tx, 'group.grant', { group, details: { admin_permission: name } });
  });
}

export function revokePermission(ctx: Ctx, groupId: number, name: string): Promise<void> {
  return changing(ctx, groupId, async (tx, group) => {
    if (!(await queries.deletePermission(tx.db, groupId, name))) throw notGranted(group);
    await noteGroup(tx, 'group.revoke', { group, details: { admin_permission: name } });
  });
}

export async function listMcpPrivileges(): Promise<Output<typeof contract.listMcpPrivileges>> {
  return [...MCP_PRIVILEGES];
}
