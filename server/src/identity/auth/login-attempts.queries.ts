// SQL of login attempts. A row's address is the address an attempt came from, or `account:<digest>@<network>` or
// `known:<digest>@<address>` for the account it was aimed at; each attempt on an account writes one of all three.
import { type Sql, sql } from '../../kernel/sql.ts';

/** Whoever holds these locks is the only one counting and adding attempts of the two, in any process. */
export const lockSubjects = (address: string, account: string): Sql => sql`
  /* auth.lock_attempts */
  select
    pg_advisory_xact_lock(hashtextextended(${address}::text, 7264905)),
    pg_advisory_xact_lock(hashtextextended(${account}::text, 7264906))`;

export interface HistoryRow {
  limiting_attempt_at: string | null;
  limiting_failure_at: string | null;
  account_failures: number;
  account_last_failure_at: string | null;
  own_attempt_at: string | null;
  own_failure_at: string | null;
  is_known: boolean;
  is_pending: boolean;
  /** Of the address, whatever account was named. */
  newest_at: string | null;
}

export interface HistoryQuery {
  address: string;
  /** Empty where no account is named. */
  from_network: string;
  from_address: string;
  username: string;
  attempts: number;
  attempts_since: string;
  failures: number;
  failures_since: string;
  known_since: string;
  now: string;
}

const nthAttempt = (subject: string, { attempts, attempts_since }: HistoryQuery): Sql => sql`(
  select attempted_at
  from matriarch.login_attempts
  where address = ${subject}
    and attempted_at > ${attempts_since}
  order by attempted_at desc
  offset ${attempts - 1}
  limit 1
)`;

const nthFailure = (subject: string, { failures, failures_since }: HistoryQuery): Sql => sql`(
  select attempted_at
  from matriarch.login_attempts
  where address = ${subject}
    and attempted_at > ${failures_since}
    and failed
  order by attempted_at desc
  offset ${failures - 1}
  limit 1
)`;

export const attemptHistory = (query: HistoryQuery): Sql => sql`
  /* auth.attempt_history */
  select
    ${nthAttempt(query.address, query)} as limiting_attempt_at,
    ${nthFailure(query.address, query)} as limiting_failure_at,
    count(*) as account_failures,
    max(attempted_at) as account_last_failure_at,
    ${nthAttempt(query.from_address, query)} as own_attempt_at,
    ${nthFailure(query.from_address, query)} as own_failure_at,
    exists (
      select
      from matriarch.sign_in_addresses k
      join matriarch.users u on u.id = k.user_id
      where lower(u.username) = lower(${query.username})
        and k.address = ${query.address}
        and k.signed_in_at > ${query.known_since}
    ) as is_known,
    exists (
      select
      from matriarch.login_attempts
      where address = ${query.from_address}
        and pending_until > ${query.now}
    ) as is_pending,
    (select max(attempted_at) from matriarch.login_attempts where address = ${query.address}) as newest_at
  from matriarch.login_attempts
  where address = ${query.from_network}`;

export interface NewLoginAttempt {
  address: string;
  account: string | null;
  pending_until: string | null;
}

export const insertAttempts = (attempts: readonly NewLoginAttempt[], at: string): Sql => sql`
  /* auth.insert_attempts */
  insert into matriarch.login_attempts (address, account, attempted_at, failed, pending_until)
  select a.address, a.account, ${at}::timestamptz, true, a.pending_until
  from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as a (
    address text, account text, pending_until timestamptz
  )
  returning id`;

/** Drops what no limit can look at any more: of an address only its newest attempts and failures count. */
export const trimAttempts = (address: string, attempts: number, failures: number): Sql => sql`
  /* auth.trim_attempts */
  delete from matriarch.login_attempts
  where id in (
    select id
    from (
      select
        id,
        row_number() over (order by attempted_at desc, id desc) as place,
        failed,
        row_number() over (partition by failed order by attempted_at desc, id desc) as place_of_kind
      from matriarch.login_attempts
      where address = ${address}
    ) ranked
    where place > ${attempts}
      and not (failed and place_of_kind <= ${failures})
  )`;

/** Attempts that turned out right: counted as attempts, no longer as failures. */
export const forgiveAttempts = (ids: readonly number[]): Sql => sql`
  /* auth.forgive_attempts */
  update matriarch.login_attempts
  set failed = false
  where id = any(${ids}::bigint[])`;

/** The failures of an account from one network are forgotten, and those from one address are no failures any more. */
export const clearNetwork = (fromNetwork: string): Sql => sql`
  /* auth.clear_network */
  delete from matriarch.login_attempts
  where address = ${fromNetwork}`;

/** These attempts are left out of the failures of an account from one network, whose rows all count. */
export const deleteOfNetwork = (ids: readonly number[], fromNetwork: string): Sql => sql`
  /* auth.delete_of_network */
  delete from matriarch.login_attempts
  where id = any(${ids}::bigint[])
    and address = ${fromNetwork}`;

export const forgiveAddress = (fromAddress: string): Sql => sql`
  /* auth.forgive_address */
  update matriarch.login_attempts
  set failed = false
  where address = ${fromAddress}
    and failed`;

/** The passwords of these attempts have been looked at. */
export const settleAttempts = (ids: readonly number[]): Sql => sql`
  /* auth.settle_attempts */
  update matriarch.login_attempts
  set pending_until = null
  where id = any(${ids}::bigint[])
    and pending_until is not null`;

export const deleteAttempts = (ids: readonly number[]): Sql => sql`
  /* auth.delete_attempts */
  delete from matriarch.login_attempts
  where id = any(${ids}::bigint[])`;

/** Everything that counts for the account, from wherever it came. */
export const clearAccount = (account: string): Sql => sql`
  /* auth.clear_account */
  delete from matriarch.login_attempts
  where account = ${account}`;

/** Addresses are forgotten after `addresses_before`, failures in a row of accounts after `accounts_before`. */
export const cleanAttempts = (addressesBefore: string, accountsBefore: string): Sql => sql`
  /* auth.clean_attempts */
  delete from matriarch.login_attempts
  where id in (
    select id
    from matriarch.login_attempts
    where attempted_at < ${accountsBefore}
      or (attempted_at < ${addressesBefore} and address not like 'account:%')
    for update skip locked
  )`;

export const cleanAddresses = (before: string): Sql => sql`
  /* auth.clean_addresses */
  delete from matriarch.sign_in_addresses
  where signed_in_at < ${before}`;

export const rememberAddress = (userId: number, address: string, at: string): Sql => sql`
  /* auth.remember_address */
  insert into matriarch.sign_in_addresses (user_id, address, signed_in_at)
  values (${userId}, ${address}, ${at})
  on conflict (user_id, address) do update set signed_in_at = excluded.signed_in_at`;

/** Keeps the newest addresses of a user. */
export const pruneAddresses = (userId: number, keep: number): Sql => sql`
  /* auth.prune_addresses */
  delete from matriarch.sign_in_addresses
  where user_id = ${userId}
    and address not in (
      select address
      from matriarch.sign_in_addresses
      where user_id = ${userId}
      order by signed_in_at desc, address
      limit ${keep}
    )`;
