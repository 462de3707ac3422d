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
  enabled: boolean;
  display_name: string;
  email: string;
  annotation: string;
  created_at: string;
}

/** No row comes back when the name is taken, in whatever case. */
export const insertUser = (user: NewUserRow): Sql => sql`
  /* auth.insert_user */
  insert into matriarch.users (
    username, password_hash, is_superuser, is_service_account, enabled, display_name, email, annotation, created_at
  )
  values (
    ${user.username},
    ${user.password_hash},
    ${user.is_superuser},
    ${user.is_service_account},
    ${user.enabled},
    ${user.display_name},
    ${user.email},
    ${user.annotation},
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

export interface UserChange {
  display_name?: string | undefined;
  email?: string | undefined;
  annotation?: string | undefined;
  enabled?: boolean | undefined;
  is_superuser?: boolean | undefined;
}

/** Absent members stay as they are. */
export const updateUser = (userId: number, change: UserChange): Sql => sql`
  /* auth.update_user */
  update matriarch.users
  set display_name = coalesce(${change.display_name ?? null}, display_name),
    email = coalesce(${change.email ?? null}, email),
    annotation = coalesce(${change.annotation ?? null}, annotation),
    enabled = coalesce(${change.enabled ?? null}, enabled),
    is_superuser = coalesce(${change.is_superuser ?? null}, is_superuser)
  where id = ${userId}`;

/** Sessions, tokens, links and memberships go with the user. */
export const deleteUser = (userId: number): Sql => sql`
  /* auth.delete_user */
  delete from matriarch.users
  where id = ${userId}`;

export const findOtherSuperuser = (userId: number): Sql => sql`
  /* auth.other_superuser */
  select id
  from matriarch.users
  where is_superuser
    and enabled
    and id <> ${userId}
  limit 1`;

export interface ListedUser {
  id: number;
  username: string;
  enabled: boolean;
  is_superuser: boolean;
  is_service_account: boolean;
  has_password: boolean;
  display_name: string;
  email: string;
  annotation: string;
  created_at: string;
  has_second_factor: boolean;
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
    exists (
      select
      from matriarch.second_factors f
      where f.user_id = users.id
        and f.confirmed_at is not null
    ) or exists (
      select
      from matriarch.passkeys p
      where p.user_id = users.id
    ) as has_second_factor,
    display_name,
    email,
    annotation,
    created_at
  from matriarch.users
  order by lower(username), id`;

/** Superusers who can still get in, those first who need no link for it. */
export const findSuperuser = (): Sql => sql`
  /* auth.find_superuser */
  select ${columns}
  from matriarch.users
  where is_superuser
    and enabled
    and not is_service_account
  order by
    password_hash is null
    and not exists (
      select
      from matriarch.user_identities i
      where i.user_id = users.id
    ),
    id
  limit 1`;

/** Held while the first administrator is looked for and made, so that two processes make one. */
export const lockBootstrap = (): Sql => sql`
  /* auth.lock_bootstrap */
  select pg_advisory_xact_lock(7264904)`;

export const findIdentity = (userId: number): Sql => sql`
  /* auth.find_identity */
  select issuer
  from matriarch.user_identities
  where user_id = ${userId}
  limit 1`;
