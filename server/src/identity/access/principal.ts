// Who is calling, and what their token leaves them. Built once per request by the gate, or by a background part
// with rights of its own. Scope is a ceiling: it is already applied to is_superuser here, and applied to
// connections by the access function (access.queries.ts).
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';

/** The ceiling of an API token. An absent dimension is unrestricted; an empty list allows nothing. */
export interface TokenScope {
  connections?: readonly { connection_id: number; level: 'read' | 'read_write' }[];
  mcp?: readonly string[];
  admin?: readonly string[];
}

/** A provider_token is of a sign-in provider, and its id that of the user's identity there. */
export type ViaKind = 'session' | 'token' | 'provider_token' | 'system';

export interface Principal {
  user_id: number;
  username: string;
  /** Already cut by the token's admin scope. */
  is_superuser: boolean;
  /** Effective admin permissions, already cut by scope; `['*']` for a superuser. */
  admin_permissions: readonly string[];
  /**
   * Effective MCP privileges, the public ones included, already cut by scope; `['*']` when nothing is left out.
   * None when absent.
   */
  mcp_privileges?: readonly string[];
  via: { kind: ViaKind; id: number };
  scope: TokenScope | undefined;
  /** The account is a superuser's, whatever the token's admin scope left of that: it reaches every connection. */
  all_connections?: boolean;
  /** The settings or a group ask for a second factor of this account; never of a token, nor of a session that a provider opened. */
  second_factor_required?: boolean;
  /** It is asked for and not set up: the gate lets the caller do that, and nothing else. */
  needs_second_factor?: boolean;
  /** What a shared connection gives to everybody (setting shared_access); read_write when absent. */
  shared_access?: 'read' | 'read_write';
}

/** The first argument of every service. */
export interface Ctx {
  db: Db;
  principal: Principal;
  clock: Clock;
  log: Log;
  /** Aborts when the client has gone or the process stops. */
  signal: AbortSignal;
  /** Where the request came from, for the audit log; absent for what the program does by itself. */
  origin?: { address: string; request_id: string } | undefined;
}

export function inTransaction<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => work({ ...ctx, db }));
}

/** The context of operations that anybody may call: perhaps there is nobody. */
export interface PublicCtx extends Omit<Ctx, 'principal'> {
  principal: Principal | undefined;
}
