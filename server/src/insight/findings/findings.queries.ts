// The statements of findings for those who read and mute them.

import type { Severity } from '../../alerting/rules/types.ts';
import { levelOf, type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Proof } from '../checks/types.ts';
import type { CheckScore } from './findings.schemas.ts';

type State = 'open' | 'muted' | 'resolved';

const state = sql`case
  when f.resolved_at is not null then 'resolved' when f.muted_until > now() then 'muted' else 'open'
end`;

export const rank = sql`case f.severity when 'critical' then 2 when 'warning' then 1 else 0 end`;

/** What is open was seen when its server was judged last. */
export const row = sql`
  f.id, f.connection_id, c.name as server_name, f.check_name, f.database_name, f.object_name, f.severity,
  ${state} as state, f.message, f.figure, f.figure_unit, f.proof, f.first_seen_at, f.opened_at,
  case when f.resolved_at is null then greatest(f.last_seen_at, r.evaluated_at) else f.last_seen_at end as last_seen_at,
  f.figured_at, f.resolved_at, case when f.muted_until > now() then f.muted_until end as muted_until`;

export const seenBy = (principal: Principal): Sql => sql`
  from matriarch.findings f
  join matriarch.connections c on c.id = f.connection_id and c.deleted_at is null and ${visible(principal)}
  left join matriarch.finding_runs r on r.connection_id = f.connection_id`;

export interface FindingRow {
  id: number;
  connection_id: number;
  server_name: string;
  check_name: string;
  database_name: string;
  object_name: string;
  severity: Severity;
  state: State;
  message: string;
  figure: number | null;
  figure_unit: string | null;
  proof: Proof;
  first_seen_at: string;
  opened_at: string;
  last_seen_at: string;
  figured_at: string;
  resolved_at: string | null;
  muted_until: string | null;
}

export interface FindingFilter {
  /** Null: all that the caller sees. */
  connection_ids: readonly number[] | null;
  /** Null: all. */
  checks: readonly string[] | null;
  /** Of the least grave: 0, 1 or 2. */
  rank: number;
  state: State;
  limit: number;
  offset: number;
}

const filtered = ({ connection_ids, checks, rank: least, state: wanted }: FindingFilter): Sql => sql`
  (${connection_ids}::int[] is null or f.connection_id = any (${connection_ids}::int[]))
  and (${checks}::text[] is null or f.check_name = any (${checks}::text[]))
  and ${rank} >= ${least}::int
  and ${state} = ${wanted}`;

/** Gravest first; `total` is before limit and offset. */
export const listSeen = (
  db: Db,
  principal: Principal,
  filter: FindingFilter,
): Promise<(FindingRow & { total: number })[]> =>
  db.rows(sql`/* findings.list */
    select ${row}, count(*) over ()::int as total
    ${seenBy(principal)}
    where ${filtered(filter)}
    order by ${rank} desc, f.opened_at, f.id
    limit ${filter.limit} offset ${filter.offset}`);

export interface Summary {
  info: number;
  warning: number;
  critical: number;
  judged: number;
  waiting: number;
  oldest_evaluated_at: string | null;
}

/** Open findings that nobody muted, and how the servers stand. */
export const summarize = (
  db: Db,
  principal: Principal,
  connection_ids: readonly number[] | null,
): Promise<Summary> =>
  db.one<Summary>(sql`/* findings.summary */
    with server as materialized (
      select c.id, c.is_monitored, r.evaluated_at
      from matriarch.connections c
      left join matriarch.finding_runs r on r.connection_id = c.id
      where c.deleted_at is null and ${visible(principal)}
        and (${connection_ids}::int[] is null or c.id = any (${connection_ids}::int[]))
    ), found as (
      select f.severity, count(*)::int as many
      from matriarch.findings f
      where f.connection_id in (select s.id from server s)
        and f.resolved_at is null and (f.muted_until is null or f.muted_until <= now())
      group by f.severity
    )
    select
      coalesce((select many from found where severity = 'info'), 0) as info,
      coalesce((select many from found where severity = 'warning'), 0) as warning,
      coalesce((select many from found where severity = 'critical'), 0) as critical,
      count(s.evaluated_at)::int as judged,
      (count(*) filter (where s.is_monitored and s.evaluated_at is null))::int as waiting,
      min(s.evaluated_at) filter (where s.is_monitored) as oldest_evaluated_at
    from server s`);

export interface ServerCounts {
  connection_id: number;
  critical: number;
  warning: number;
  info: number;
  /** Checks that could not be judged, however many databases each could not be judged in. */
  unknown: number;
  is_judged: boolean;
}

/** Of each server of which there is anything to say, also that it was never judged. */
export const countSeen = (db: Db, principal: Principal): Promise<ServerCounts[]> =>
  db.rows<ServerCounts>(sql`/* findings.count */
    with found as (
      select
        f.connection_id,
        (count(*) filter (where f.severity = 'critical'))::int as critical,
        (count(*) filter (where f.severity = 'warning'))::int as warning,
        (count(*) filter (where f.severity = 'info'))::int as info
      from matriarch.findings f
      where f.resolved_at is null and (f.muted_until is null or f.muted_until <= now())
      group by f.connection_id
    )
    select
      c.id as connection_id,
      coalesce(o.critical, 0) as critical,
      coalesce(o.warning, 0) as warning,
      coalesce(o.info, 0) as info,
      (
        select count(distinct u.one ->> 'check_name')::int
        from jsonb_array_elements(r.unknown) as u (one)
      ) as unknown,
      r.connection_id is not null as is_judged
    from matriarch.connections c
    left join found o on o.connection_id = c.id
    left join matriarch.finding_runs r on r.connection_id = c.id
    where c.deleted_at is null and ${visible(principal)}
      and (o.connection_id is not null or r.connection_id is null or jsonb_array_length(r.unknown) > 0)
    order by c.id`);

export interface RunRow {
  evaluated_at: string;
  checks: number;
  unknown: readonly { check_name: string; database_name: string; because: string; mend: string | null }[];
}

export const findRun = (db: Db, connection_id: number): Promise<RunRow | undefined> =>
  db.maybe<RunRow>(sql`/* findings.run */
    select r.evaluated_at, r.checks, r.unknown
    from matriarch.finding_runs r
    where r.connection_id = ${connection_id}`);

export interface DetailRow extends FindingRow {
  evidence: Record<string, unknown>;
  evidence_rows: Record<string, unknown>[];
  counted_since: string | null;
  remedy: string;
  promised: number | null;
  first_figure: number | null;
  figure_after: number | null;
  muted_at: string | null;
  mute_reason: string | null;
  muted_by: string | null;
  figures: readonly { at: string; figure: number | null; severity: Severity }[];
  /** 0, 1 or 2: what the caller may do with its connection. */
  level: number;
}

/** The finding as `principal` may see it; undefined otherwise. */
export const findSeen = (db: Db, principal: Principal, id: number): Promise<DetailRow | undefined> =>
  db.maybe<DetailRow>(sql`/* findings.find */
    select
      ${row}, f.evidence, f.evidence_rows, f.counted_since, f.remedy, f.promised, f.first_figure, f.figure_after,
      f.muted_at, f.mute_reason, f.muted_by, ${levelOf(principal)} as level, h.figures
    ${seenBy(principal)}
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('at', g.at, 'figure', g.figure, 'severity', g.severity) order by g.at), '[]') as figures
      from (
        select g.at, g.figure, g.severity
        from matriarch.finding_figures g
        where g.finding_id = f.id
        order by g.at desc limit 1000
      ) g
    ) h
    where f.id = ${id}`);

export interface Mute {
  id: number;
  until: string;
  reason: string;
  by: string;
}

export const mute = (db: Db, { id, until, reason, by }: Mute): Promise<number> =>
  db.run(sql`/* findings.mute */
    update matriarch.findings
    set muted_at = now(), muted_until = ${until}::timestamptz, mute_reason = ${reason}, muted_by = ${by}
    where id = ${id}`);

/** Answers 0 when it was not muted. */
export const unmute = (db: Db, id: number): Promise<number> =>
  db.run(sql`/* findings.unmute */
    update matriarch.findings
    set muted_at = null, muted_until = null, mute_reason = null, muted_by = null
    where id = ${id} and muted_until > now()`);

export interface ScoreRow extends Omit<Static<typeof CheckScore>, 'check'> {
  check_name: string;
}

/** What came of the findings of each check, on the servers that the caller sees. */
export const listScores = (db: Db, principal: Principal): Promise<ScoreRow[]> =>
  db.rows<ScoreRow>(sql`/* findings.scores */
    select
      f.check_name,
      (count(*) filter (where ${state} = 'open'))::int as open,
      (count(*) filter (where ${state} = 'muted'))::int as muted,
      (count(*) filter (where f.resolved_at is not null))::int as resolved,
      (count(*) filter (where f.resolved_at is not null and f.proof = 'confirmed'))::int as confirmed,
      sum(f.first_figure - f.promised) filter (where f.resolved_at is not null and f.proof = 'confirmed') as promised,
      sum(f.first_figure - f.figure_after) filter (where f.resolved_at is not null and f.proof = 'confirmed') as measured,
      max(f.figure_unit) as figure_unit
    ${seenBy(principal)}
    group by f.check_name`);
