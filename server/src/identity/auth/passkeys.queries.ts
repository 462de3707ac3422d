// SQL of passkeys. The counter is looked at in the statement that moves it.
import { type Sql, sql } from '../../kernel/sql.ts';

export interface PasskeyRow {
  id: number;
  user_id: number;
  username: string;
  credential_id: Buffer;
  public_key: Buffer;
  user_handle: Buffer;
  counter: number;
}

export const findPasskey = (credentialId: Buffer): Sql => sql`
  /* auth.passkey */
  select p.id, p.user_id, u.username, p.credential_id, p.public_key, p.user_handle, p.counter
  from matriarch.passkeys p
  join matriarch.users u on u.id = p.user_id
  where p.credential_id = ${credentialId}`;

export interface OwnPasskeyRow {
  id: number;
  name: string;
  created_at: string;
  last_used_at: string | null;
  credential_id: Buffer;
  user_handle: Buffer;
}

export const listPasskeys = (userId: number): Sql => sql`
  /* auth.list_passkeys */
  select id, name, created_at, last_used_at, credential_id, user_handle
  from matriarch.passkeys
  where user_id = ${userId}
  order by id`;

export interface NewPasskey {
  user_id: number;
  credential_id: Buffer;
  public_key: Buffer;
  user_handle: Buffer;
  counter: number;
  name: string;
  created_at: string;
}

/** No row comes back where that passkey is there already. */
export const insertPasskey = (passkey: NewPasskey): Sql => sql`
  /* auth.insert_passkey */
  insert into matriarch.passkeys (user_id, credential_id, public_key, user_handle, counter, name, created_at)
  values (${passkey.user_id}, ${passkey.credential_id}, ${passkey.public_key}, ${passkey.user_handle},
    ${passkey.counter}, ${passkey.name}, ${passkey.created_at})
  on conflict (credential_id) do nothing
  returning id`;

/** No row is changed where it is not of that user, was removed, or counted as far before. */
export const usePasskey = (userId: number, used: { id: number; counter: number; now: string }): Sql => sql`
  /* auth.use_passkey */
  update matriarch.passkeys
  set counter = ${used.counter},
    last_used_at = ${used.now}
  where id = ${used.id}
    and user_id = ${userId}
    and (counter < ${used.counter} or (counter = 0 and ${used.counter}::bigint = 0))`;

export const deletePasskey = (userId: number, id: number): Sql => sql`
  /* auth.delete_passkey */
  delete from matriarch.passkeys
  where id = ${id}
    and user_id = ${userId}
  returning name`;

export const deletePasskeys = (userId: number): Sql => sql`
  /* auth.delete_passkeys */
  delete from matriarch.passkeys
  where user_id = ${userId}`;
