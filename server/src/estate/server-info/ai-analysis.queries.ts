// The kept analyses, who is making one right now, and the facts an analysis is made from. All times are the
// datastore's, so that processes with different clocks agree.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { factsInForce, newestRows } from '../../store/read/doors/relations.ts';

export interface AnalysisState {
  generated_at: string | null;
  databases: Record<string, string> | null;
  /** The analysis is there and within its five minutes. */
  is_fresh: boolean;
  attempt_id: string | null;
  /** Somebody is at work, and has said so lately. */
  is_attempted: boolean;
  failed_attempt_id: string | null;
  failure: string | null;
}

export interface AnalysedDatabase {
  name: string;
  size_bytes: number | null;
  extensions: readonly string[];
}

/** How long a claim counts as alive without a sign of life. */
const CLAIM_SECONDS = 10;

/** A time in the future can only come from a clock that was set back, and must not hold the cache for long. */
const isFresh: Sql = sql`coalesce(
    a.generated_at > clock_timestamp() - interval '5 minutes'
    and a.generated_at < clock_timestamp() + interval '1 minute',
    false
  )`;

export function readAnalysis(db: Db, connectionId: number): Promise<AnalysisState | undefined> {
  return db.maybe<AnalysisState>(sql`/* ai_analysis.read */
select
  a.generated_at,
  a.databases,
  ${isFresh} as is_fresh,
  a.attempt_id,
  coalesce(a.attempt_id is not null and a.attempt_expires_at > clock_timestamp(), false) as is_attempted,
  a.failed_attempt_id,
  a.failure
from matriarch.ai_analyses a
where a.connection_id = ${connectionId}`);
}

export interface AnalysisClaim {
  connection_id: number;
  attempt_id: string;
}

/** True for exactly one caller while there is no fresh analysis and nobody is alive at work. */
export async function claimAnalysis(db: Db, { connection_id, attempt_id }: AnalysisClaim): Promise<boolean> {
  const claimed = await db.run(sql`/* ai_analysis.claim */
insert into matriarch.ai_analyses as a (connection_id, attempt_id, attempt_expires_at)
values (${connection_id}, ${attempt_id}, clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}))
on conflict (connection_id) do update
set attempt_id = excluded.attempt_id,
  attempt_expires_at = excluded.attempt_expires_at
where not ${isFresh}
  and (a.attempt_id is null or a.attempt_expires_at <= clock_timestamp())`);
  return claimed === 1;
}

/** A sign of life; false when the claim is no longer ours. */
export async function extendClaim(db: Db, { connection_id, attempt_id }: AnalysisClaim): Promise<boolean> {
  const extended = await db.run(sql`/* ai_analysis.extend */
update matriarch.ai_analyses
set attempt_expires_at = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
where connection_id = ${connection_id}
  and attempt_id = ${attempt_id}`);
  return extended === 1;
}

/** Keeps the outcome; undefined when the claim is no longer ours. */
export function storeAnalysis(
  db: Db,
  { connection_id, attempt_id }: AnalysisClaim,
  databases: Record<string, string>,
): Promise<{ generated_at: string } | undefined> {
  return db.maybe<{ generated_at: string }>(sql`/* ai_analysis.store */
update matriarch.ai_analyses
set generated_at = clock_timestamp(),
  databases = ${JSON.stringify(databases)}::jsonb,
  attempt_id = null,
  attempt_expires_at = null
where connection_id = ${connection_id}
  and attempt_id = ${attempt_id}
returning generated_at`);
}

/** Ends the claim for everybody who waits for it. */
export async function failClaim(
  db: Db,
  { connection_id, attempt_id }: AnalysisClaim,
  failure: string,
): Promise<void> {
  await db.run(sql`/* ai_analysis.fail */
update matriarch.ai_analyses
set failed_attempt_id = attempt_id,
  failure = ${failure},
  attempt_id = null,
  attempt_expires_at = null
where connection_id = ${connection_id}
  and attempt_id = ${attempt_id}`);
}

/** Gives the claim back without an outcome, so that somebody else can begin at once. */
export async function releaseClaim(db: Db, { connection_id, attempt_id }: AnalysisClaim): Promise<void> {
  await db.run(sql`/* ai_analysis.release */
update matriarch.ai_analyses
set attempt_id = null,
  attempt_expires_at = null
where connection_id = ${connection_id}
  and attempt_id = ${attempt_id}`);
}

/** The newest databases of a connection with their extensions, largest first. */
export function readAnalysedDatabases(db: Db, connectionId: number): Promise<AnalysedDatabase[]> {
  return db.rows<AnalysedDatabase>(sql`/* ai_analysis.databases */
select
  d.datname as name,
  d.database_size_bytes as size_bytes,
  coalesce(e.extensions, '{}') as extensions
from ${newestRows('pg_database', ['datname', 'database_size_bytes'])} d
left join (
  select
    f.database_name,
    array_agg(f.item_key order by f.item_key) as extensions
  from ${factsInForce('pg_extension')} f
  where f.connection_id = ${connectionId}
  group by f.database_name
) e on e.database_name = d.datname
where d.connection_id = ${connectionId}
  and d.datname not in ('template0', 'template1')
order by d.database_size_bytes desc nulls last, d.datname`);
}
