// SQL of second factors. A code is used up in the statement that looks whether it was used.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

export interface SecondFactorRow {
  sealed_key: Buffer;
  created_at: string;
  /** Null while no code has confirmed it. */
  confirmed_at: string | null;
}

export const findSecondFactor = (userId: number): Sql => sql`
  /* auth.second_factor */
  select sealed_key, created_at, confirmed_at
  from matriarch.second_factors
  where user_id = ${userId}`;

export const countRecoveryCodes = (userId: number): Sql => sql`
  /* auth.count_recovery_codes */
  select count(*)::int as unused
  from matriarch.recovery_codes
  where user_id = ${userId}
    and used_at is null`;

/** No row is written where one is in force. */
export const offerSecondFactor = (userId: number, sealedKey: Buffer, now: string): Sql => sql`
  /* auth.offer_second_factor */
  insert into matriarch.second_factors as f (user_id, sealed_key, created_at)
  values (${userId}, ${sealedKey}, ${now})
  on conflict (user_id) do update
  set sealed_key = excluded.sealed_key,
    created_at = excluded.created_at
  where f.confirmed_at is null`;

/** Counts a try before the code is looked at; a row comes back while the budget since `since` is not spent. */
export const countTry = (userId: number, at: { now: string; since: string; most: number }): Sql => sql`
  /* auth.count_try */
  update matriarch.second_factors
  set tries = case when tries_since > ${at.since}::timestamptz then tries + 1 else 1 end,
    tries_since = case when tries_since > ${at.since}::timestamptz then tries_since else ${at.now}::timestamptz end
  where user_id = ${userId}
    and (tries_since is null or tries_since <= ${at.since}::timestamptz or tries < ${at.most})
  returning tries`;

export const confirmSecondFactor = (userId: number, now: string): Sql => sql`
  /* auth.confirm_second_factor */
  update matriarch.second_factors
  set confirmed_at = ${now}
  where user_id = ${userId}
    and confirmed_at is null`;

/** No row is changed where a code of that step, or of a later one, was accepted before. */
export const useStep = (userId: number, step: number): Sql => sql`
  /* auth.use_step */
  update matriarch.second_factors
  set last_step = ${step},
    tries = 0
  where user_id = ${userId}
    and (last_step is null or last_step < ${step})`;

/** No row is changed where there is no such code, or it was used. */
export const useRecoveryCode = (userId: number, hash: Buffer, now: string): Sql => sql`
  /* auth.use_recovery_code */
  update matriarch.recovery_codes
  set used_at = ${now}
  where user_id = ${userId}
    and code_hash = ${hash}
    and used_at is null`;

export const deleteRecoveryCodes = (userId: number): Sql => sql`
  /* auth.delete_recovery_codes */
  delete from matriarch.recovery_codes
  where user_id = ${userId}`;

export const insertRecoveryCodes = (userId: number, hashes: readonly Buffer[]): Sql => sql`
  /* auth.insert_recovery_codes */
  insert into matriarch.recovery_codes (user_id, code_hash)
  select ${userId}, decode(h, 'hex')
  from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as h`;

export const deleteSecondFactor = (userId: number): Sql => sql`
  /* auth.delete_second_factor */
  delete from matriarch.second_factors
  where user_id = ${userId}`;

export const hasPasskeys = (userId: number): Sql => sql`
  /* auth.has_passkeys */
  select exists (select from matriarch.passkeys where user_id = ${userId}) as has_passkeys`;

/** Recovery codes go with the last second factor. */
export const deleteUnusedCodes = (userId: number): Sql => sql`
  /* auth.delete_unused_codes */
  delete from matriarch.recovery_codes
  where user_id = ${userId}
    and not exists (select from matriarch.passkeys where user_id = ${userId})
    and not exists (select from matriarch.second_factors where user_id = ${userId} and confirmed_at is not null)`;

/** Users who need a new key for their app once the secret key file is lost. */
export async function namesWithSecondFactor(db: Db): Promise<string[]> {
  const rows = await db.rows<{ username: string }>(sql`/* auth.names_with_second_factor */
    select u.username
    from matriarch.second_factors f
    join matriarch.users u on u.id = f.user_id
    where f.confirmed_at is not null
    order by lower(u.username)`);
  return rows.map(({ username }) => username);
}
