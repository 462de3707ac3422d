// Who is calling and what they may do: the gate of HTTP, of MCP and of every service that takes an id. A token's
// scope is a ceiling over its owner's rights, for superusers too.
import { hash } from 'node:crypto';
import { Batcher } from '../../kernel/batcher.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import type { Need } from '../../kernel/contract.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { iso } from '../../kernel/times.ts';
import * as queries from './access.queries.ts';
import { MCP_PRIVILEGES } from './mcp-privileges.ts';
import { ADMIN_PERMISSIONS, hasPermission } from './permissions.ts';
import type { Ctx, Principal, TokenScope } from './principal.ts';
import { tokenUses } from './token-uses.ts';

export { hasPermission };

/** What the datastore keeps of a session or API token. */
function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Permissions that the owner has and the scope leaves; `['*']` only when both are unlimited. */
export function effectivePermissions(held: readonly string[], scope: TokenScope | undefined): string[] {
  const allowed = scope?.admin;
  if (allowed === undefined || allowed.includes('*')) return [...held];
  if (held.includes('*')) return ADMIN_PERMISSIONS.filter((name) => allowed.includes(name));
  return held.filter((name) => allowed.includes(name));
}

/** MCP privileges that are left of the granted ones and the public ones; `['*']` only when nothing is left out. */
export function effectiveMcpPrivileges(held: readonly string[], scope: TokenScope | undefined): string[] {
  const all = held.includes('*');
  const own = MCP_PRIVILEGES.filter(
    ({ identifier, is_public }) => all || is_public || held.includes(identifier),
  ).map(({ identifier }) => identifier);
  const allowed = scope?.mcp;
  if (allowed === undefined || allowed.includes('*')) return all ? ['*'] : own;
  return own.filter((identifier) => allowed.includes(identifier));
}

export function hasMcpPrivilege(principal: Principal, identifier: string): boolean {
  const held = principal.mcp_privileges ?? [];
  return held.includes('*') || held.includes(identifier);
}

/** Everything is said by `*` alone. */
export function withoutNeedless(names: readonly string[]): string[] {
  return names.includes('*') ? ['*'] : [...names].sort();
}

/** `manage` is the owner's, unless a scope left them less than read_write, and manage_connections with any access. */
export function isAllowed(principal: Principal, access: queries.ConnectionAccess, need: Need): boolean {
  if (need === 'read') return access.level >= 1;
  if (need === 'read_write') return access.level >= 2;
  return (
    (access.owned && access.level >= 2) ||
    (access.level >= 1 && hasPermission(principal, 'manage_connections'))
  );
}

export interface Requirement {
  connection_id: number;
  need: Need;
  /** Hides unknown ids behind 403. */
  unknown?: 'forbidden';
}

const NEEDS: Record<Need, string> = {
  read: 'You have no access to this connection.',
  read_write: 'You need read and write access to this connection.',
  manage: 'You may not change this connection.',
};

/** Throws 404 or 403 unless the access suffices. */
export function demand(
  principal: Principal,
  access: queries.ConnectionAccess,
  wanted: Omit<Requirement, 'connection_id'>,
) {
  if (!access.found && !wanted.unknown) throw new Fault('not_found', 'There is no such connection.');
  if (!isAllowed(principal, access, wanted.need))
    throw new Fault('forbidden', access.level > 0 ? NEEDS[wanted.need] : NEEDS.read);
}

/** For services that learn an id by themselves: one statement, then 404 or 403 unless the access suffices. */
export async function demandConnection(ctx: Ctx, wanted: Requirement): Promise<queries.ConnectionAccess> {
  const access = await queries.findConnectionAccess(ctx.db, ctx.principal, wanted.connection_id);
  demand(ctx.principal, access, wanted);
  return access;
}

/** For what acts on every server: 403 unless the caller sees all of them. */
export async function demandEstate({ db, principal }: Pick<Ctx, 'db' | 'principal'>): Promise<void> {
  if (await queries.seesEstate(db, principal)) return;
  throw new Fault(
    'forbidden',
    'This acts on the whole estate, so it needs access to every server. Name a group, cluster or server of yours, or ask who sees all of them.',
  );
}

/**
 * For ids in a query list: one statement, none where the only one was asked about with the caller; then 403 unless every one
 * can be read. Unknown ones read the same.
 */
export async function demandConnections(ctx: Ctx, ids: readonly number[], caller?: Caller): Promise<void> {
  const named = [...new Set(ids)];
  const [first] = named;
  if (first === undefined) return;
  const isKnown = named.length === 1 && caller?.connection_id === first;
  const readable = isKnown
    ? Number(caller.access.found && caller.access.level >= 1)
    : await queries.countReadable(ctx.db, ctx.principal, named);
  if (readable < named.length) throw new Fault('forbidden', NEEDS.read);
}

export interface Caller {
  principal: Principal;
  /** The connection that was asked about. */
  connection_id: number | undefined;
  /** Access to the connection that was asked about; not found when none was. */
  access: queries.ConnectionAccess;
  /** Whom the proxy named that opened the session; null of all else. */
  proxy_subject: string | null;
}

/** What the settings and the groups ask of the caller: nothing of a token, nor of a session that a provider opened. */
function secondFactorOf(row: queries.CallerRow, required: RequiredOf) {
  const { has_second_factor, is_superuser, group_requires_second_factor } = row;
  const isAsked = required === 'all' || (required === 'superusers' && is_superuser);
  if (has_second_factor === null || !(isAsked || group_requires_second_factor)) return {};
  return { second_factor_required: true, needs_second_factor: !has_second_factor };
}

function callerOf(
  row: queries.CallerRow,
  { sharedAccess, requireSecondFactor = 'none' }: AccessOptions,
): Omit<Caller, 'connection_id'> {
  const scope = row.scope ?? undefined;
  const held = row.is_superuser ? ['*'] : withoutNeedless(row.admin_permissions);
  const permissions = effectivePermissions(held, scope);
  return {
    principal: {
      user_id: row.user_id,
      username: row.username,
      is_superuser: row.is_superuser && permissions.includes('*'),
      admin_permissions: permissions,
      mcp_privileges: effectiveMcpPrivileges(row.is_superuser ? ['*'] : row.mcp_privileges, scope),
      via: { kind: row.kind, id: row.id },
      scope,
      all_connections: row.is_superuser,
      shared_access: sharedAccess,
      ...secondFactorOf(row, requireSecondFactor),
    },
    access: { found: row.found, owned: row.owned, level: row.level },
    proxy_subject: row.proxy_subject,
  };
}

/** Of whom a second factor is asked. */
export type RequiredOf = Config['auth']['require_second_factor'];

export interface AccessOptions {
  db: Db;
  clock: Clock;
  log: Log;
  sharedAccess: 'read' | 'read_write';
  /** Of members of groups that ask for it alone when absent. */
  requireSecondFactor?: RequiredOf;
  /** Sessions end when they were not used for so long; they do not when absent. */
  sessionIdleMs?: number | undefined;
}

export interface Access extends Part {
  /** One statement, also for several requests that come with the same token at once: the caller behind a token, or undefined when it is unknown, expired or its owner disabled. */
  authenticate(token: string, connectionId?: number): Promise<Caller | undefined>;
  /** The enabled user whose identity a provider has proven. */
  byIdentity(identity: { issuer: string; subject: string }): Promise<Caller | undefined>;
}

export function createAccess(options: AccessOptions): Access {
  const uses = tokenUses(options);
  type Presenting = { hash: Buffer; connection_id: number | null };
  const callers = new Batcher<Presenting, queries.CallerRow | undefined>(async (all) => {
    const [first] = all;
    const { db, clock, sharedAccess: shared_access, sessionIdleMs } = options;
    const now = clock.now();
    const used_since = sessionIdleMs === undefined ? null : iso(now - sessionIdleMs);
    const row =
      first && (await queries.findCaller(db, { ...first, shared_access, now: iso(now), used_since }));
    return all.map(() => row);
  });
  return {
    name: 'access',
    async authenticate(token, connectionId) {
      const hash = tokenHash(token);
      const about = `${hash.toString('base64')} ${connectionId ?? ''}`;
      const row = await callers.ask(about, { hash, connection_id: connectionId ?? null });
      if (!row) return undefined;
      if (row.kind !== 'provider_token') uses.seen({ kind: row.kind, id: row.id });
      return { ...callerOf(row, options), connection_id: connectionId };
    },
    async byIdentity({ issuer, subject }) {
      const { db, sharedAccess: shared_access } = options;
      const row = await queries.findIdentityCaller(db, { issuer, subject, shared_access });
      return row && { ...callerOf(row, options), connection_id: undefined };
    },
    stop: () => uses.stop(),
  };
}
