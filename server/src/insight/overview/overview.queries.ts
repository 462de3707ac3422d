// What a model wrote about a set of servers, and who makes a new one right now. All times are the datastore's, so that processes
// with different clocks agree.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';

/** How long a claim counts as alive without a sign of life. */
const CLAIM_SECONDS = 10;

export interface StoredOverview {
  generated_at: string | null;
  summary: string | null;
  /** Within its five minutes. */
  is_fresh: boolean;
  /** Made or tried within the last 30 seconds. */
  is_recent: boolean;
  is_attempted: boolean;
  /** The newest attempt failed. */
  has_failed: boolean;
}

const within = (column: Sql, seconds: number): Sql => sql`coalesce(
    ${column} > clock_timestamp() - make_interval(secs => ${seconds})
    and ${column} < clock_timestamp() + interval '1 minute',
    false
  )`;
const isFresh = within(sql`o.generated_at`, 300);
const isRecent = sql`(${within(sql`o.generated_at`, 30)} or ${within(sql`o.failed_at`, 30)})`;

export const readOverview = (db: Db, key: string): Promise<StoredOverview | undefined> =>
  db.maybe(sql`/* overview.read */
    select
      o.generated_at, o.summary,
      ${isFresh} as is_fresh,
      ${isRecent} as is_recent,
      coalesce(o.attempt_expires_at > clock_timestamp(), false) as is_attempted,
      o.failed_at is not null as has_failed
    from matriarch.overviews o
    where o.scope_key = ${key}`);

export interface OverviewClaim {
  key: string;
  attempt_id: string;
  /** A new one although the stored one is fresh. */
  refresh: boolean;
}

/** True for exactly one caller, while nothing was made or tried lately and nobody is alive at work. Old ones are forgotten. */
export async function claimOverview(db: Db, { key, attempt_id, refresh }: OverviewClaim): Promise<boolean> {
  const claimed = await db.run(sql`/* overview.claim */
    with forgotten as (
      delete from matriarch.overviews old
      where old.asked_at < clock_timestamp() - interval '1 day' and old.scope_key <> ${key}
    )
    insert into matriarch.overviews as o (scope_key, attempt_id, attempt_expires_at, asked_at)
    values (${key}, ${attempt_id}, clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), clock_timestamp())
    on conflict (scope_key) do update
    set attempt_id = excluded.attempt_id,
      attempt_expires_at = excluded.attempt_expires_at,
      asked_at = excluded.asked_at
    where coalesce(o.attempt_expires_at <= clock_timestamp(), true)
      and not ${isRecent}
      and (${refresh}::boolean or not ${isFresh})`);
  return claimed === 1;
}

type Held = Pick<OverviewClaim, 'key' | 'attempt_id'>;
const held = ({ key, attempt_id }: Held): Sql => sql`o.scope_key = ${key} and o.attempt_id = ${attempt_id}`;

/** A sign of life. */
export const extendClaim = (db: Db, claim: Held): Promise<number> =>
  db.run(sql`/* overview.extend */
    update matriarch.overviews o
    set attempt_expires_at = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
    where ${held(claim)}`);

export const storeOverview = (db: Db, claim: Held, summary: string): Promise<number> =>
  db.run(sql`/* overview.store */
    update matriarch.overviews o
    set generated_at = clock_timestamp(), summary = ${summary}, attempt_id = null, attempt_expires_at = null,
      failed_at = null
    where ${held(claim)}`);

/** `failed` is false where it was given up, so that another process can begin at once. */
export const endClaim = (db: Db, claim: Held, failed: boolean): Promise<number> =>
  db.run(sql`/* overview.end */
    update matriarch.overviews o
    set attempt_id = null, attempt_expires_at = null,
      failed_at = case when ${failed}::boolean then clock_timestamp() else o.failed_at end
    where ${held(claim)}`);
