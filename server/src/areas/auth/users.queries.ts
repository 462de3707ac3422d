// SQL of users: people and service accounts.
import { type Sql, sql } from '../../kernel/sql.ts';

export interface UserRow {
  id: number;
  username: string;
  password_hash: string | null;
  is_superuser: boolean;
  is_service_account: boolean;
  enabled: boolean;
}

const columns = sql`id, username, password_hash, is_superuser, is_service_account, enabled`;

export const findUserByName = (username: string): Sql => sql`
  /* auth.user_by_name */
  select ${columns}
  from matriarch.users
  where lower(username) = lower(${username})`;

export const findUser = (userId: number): Sql => sql`
  /* auth.user_by_id */
  select ${columns}
  from matriarch.users
  where id = ${userId}`;

/** The row stays as it is until the transaction ends. */
export const lockUser = (userId: number): Sql => sql`
  /* auth.lock_user */
  select ${columns}
  from matriarch.users
  where id = ${userId}
  for no key update`;

export interface NewUserRow {
  username: string;
  password_hash: string | null;
  is_superuser: boolean;
  is_service_account: boolean;
  created_at: string;
}

/** No row comes back when the name is taken, in whatever case. */
export const insertUser = (user: NewUserRow): Sql => sql`
  /* auth.insert_user */
  insert into matriarch.users (username, password_hash, is_superuser, is_service_account, created_at)
  values (
    ${user.username},
    ${user.password_hash},
    ${user.is_superuser},
    ${user.is_service_account},
    ${user.created_at}
  )
  on conflict (lower(username)) do nothing
  returning ${columns}`;

export const updatePasswordHash = (userId: number, hash: string): Sql => sql`
  /* auth.update_password */
  update matriarch.users
  set password_hash = ${hash}
  where id = ${userId}`;

export const promoteUser = (userId: number): Sql => sql`
  /* auth.promote_user */
  update matriarch.users
  set is_superuser = true,
    enabled = true
  where id = ${userId}`;

export interface ListedUser {
  id: number;
  username: string;
  enabled: boolean;
  is_superuser: boolean;
  is_service_account: boolean;
  has_password: boolean;
  created_at: string;
}

export const listUserRows = (): Sql => sql`
  /* auth.list_users */
  select
    id,
    username,
    enabled,
    is_superuser,
    is_service_account,
    password_hash is not null as has_password,
    created_at
  from matriarch.users
  order by lower(username), id`;

/** Superusers who can still get in, those with a password first. */
export const findSuperuser = (): Sql => sql`
  /* auth.find_superuser */
  select ${columns}
  from matriarch.users
  where is_superuser
    and enabled
    and not is_service_account
  order by password_hash is null, id
  limit 1`;

/** Held while the first administrator is looked for and made, so that two processes make one. */
export const lockBootstrap = (): Sql => sql`
  /* auth.lock_bootstrap */
  select pg_advisory_xact_lock(7264904)`;
