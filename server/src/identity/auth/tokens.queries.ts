// SQL of API tokens.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { TokenScope } from '../access/principal.ts';

export interface NewTokenRow {
  name: string;
  token_hash: Buffer;
  user_id: number;
  scope: TokenScope | undefined;
  created_at: string;
  expires_at: string | null;
}

export const insertToken = (token: NewTokenRow): Sql => sql`
  /* auth.insert_token */
  insert into matriarch.api_tokens (name, token_hash, user_id, scope, created_at, expires_at)
  values (
    ${token.name},
    ${token.token_hash},
    ${token.user_id},
    ${token.scope === undefined ? null : JSON.stringify(token.scope)}::jsonb,
    ${token.created_at},
    ${token.expires_at}
  )
  returning id`;

export interface ListedToken {
  id: number;
  name: string;
  token_prefix: string;
  user_id: number;
  username: string;
  is_service_account: boolean;
  is_superuser: boolean;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  scope: TokenScope | null;
}

export const listTokenRows = (): Sql => sql`
  /* auth.list_tokens */
  select
    t.id,
    t.name,
    substr(encode(t.token_hash, 'hex'), 1, 12) as token_prefix,
    t.user_id,
    u.username,
    u.is_service_account,
    u.is_superuser,
    t.created_at,
    t.expires_at,
    t.last_used_at,
    t.scope
  from matriarch.api_tokens t
  join matriarch.users u on u.id = t.user_id
  order by lower(u.username), t.id`;

export const deleteToken = (tokenId: number): Sql => sql`
  /* auth.delete_token */
  delete from matriarch.api_tokens
  where id = ${tokenId}
  returning name, user_id`;

export interface TokenRow {
  id: number;
  name: string;
  user_id: number;
  scope: TokenScope | null;
}

/** The row stays as it is until the transaction ends. */
export const lockToken = (tokenId: number): Sql => sql`
  /* auth.lock_token */
  select id, name, user_id, scope
  from matriarch.api_tokens
  where id = ${tokenId}
  for update`;

export const findToken = (tokenId: number): Sql => sql`
  /* auth.token_by_id */
  select id, name, user_id, scope
  from matriarch.api_tokens
  where id = ${tokenId}`;

export const updateScope = (tokenId: number, scope: TokenScope | undefined): Sql => sql`
  /* auth.set_scope */
  update matriarch.api_tokens
  set scope = ${scope === undefined ? null : JSON.stringify(scope)}::jsonb
  where id = ${tokenId}`;

/** Those of the ids that exist; they stay until the transaction ends. */
export const findConnectionIds = (ids: readonly number[]): Sql => sql`
  /* auth.scope_connections */
  select id
  from matriarch.connections
  where id = any(${ids}::integer[])
    and deleted_at is null
  for share`;
