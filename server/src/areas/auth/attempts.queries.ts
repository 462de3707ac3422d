// SQL of login attempts. A row's address is the network an attempt came from, or `account:<digest>` for the account
// it was aimed at; each attempt writes one of both.
import { type Sql, sql } from '../../kernel/sql.ts';

/** Whoever holds these locks is the only one counting and adding attempts of the two, in any process. */
export const lockSubjects = (network: string, account: string): Sql => sql`
  /* auth.lock_attempts */
  select
    pg_advisory_xact_lock(hashtextextended(${network}::text, 7264905)),
    pg_advisory_xact_lock(hashtextextended(${account}::text, 7264906))`;

export interface HistoryRow {
  limiting_attempt_at: string | null;
  limiting_failure_at: string | null;
  account_failures: number;
  account_last_failure_at: string | null;
}

export interface HistoryQuery {
  network: string;
  account: string;
  attempts: number;
  attempts_since: string;
  failures: number;
  failures_since: string;
}

export const attemptHistory = (query: HistoryQuery): Sql => sql`
  /* auth.attempt_history */
  select
    (
      select attempted_at
      from matriarch.login_attempts
      where address = ${query.network}
        and attempted_at > ${query.attempts_since}
      order by attempted_at desc
      offset ${query.attempts - 1}
      limit 1
    ) as limiting_attempt_at,
    (
      select attempted_at
      from matriarch.login_attempts
      where address = ${query.network}
        and attempted_at > ${query.failures_since}
        and failed
      order by attempted_at desc
      offset ${query.failures - 1}
      limit 1
    ) as limiting_failure_at,
    count(*) as account_failures,
    max(attempted_at) as account_last_failure_at
  from matriarch.login_attempts
  where address = ${query.account}`;

export const insertAttempts = (subjects: readonly string[], at: string): Sql => sql`
  /* auth.insert_attempts */
  insert into matriarch.login_attempts (address, attempted_at, failed)
  select subject, ${at}::timestamptz, true
  from unnest(${subjects}::text[]) as subject
  returning id`;

/** Attempts that turned out right: counted as attempts, no longer as failures. */
export const forgiveAttempts = (ids: readonly number[]): Sql => sql`
  /* auth.forgive_attempts */
  update matriarch.login_attempts
  set failed = false
  where id = any(${ids}::bigint[])`;

export const deleteAttempts = (ids: readonly number[]): Sql => sql`
  /* auth.delete_attempts */
  delete from matriarch.login_attempts
  where id = any(${ids}::bigint[])`;

export const clearAccount = (account: string): Sql => sql`
  /* auth.clear_account */
  delete from matriarch.login_attempts
  where address = ${account}`;

/** Networks are forgotten after `networks_before`, accounts after `accounts_before`. */
export const cleanAttempts = (networksBefore: string, accountsBefore: string): Sql => sql`
  /* auth.clean_attempts */
  delete from matriarch.login_attempts
  where id in (
    select id
    from matriarch.login_attempts
    where attempted_at < ${accountsBefore}
      or (attempted_at < ${networksBefore} and address not like 'account:%')
    for update skip locked
  )`;
