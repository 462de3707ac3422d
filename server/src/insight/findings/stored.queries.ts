// The statements that judge servers and keep what was found. Guards: one evaluation of many servers is a handful of statements;
// whoever has lost the lease writes nothing; a mute is never touched.

import type { Severity } from '../../alerting/rules/types.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { EvidenceValue, Proof } from '../checks/types.ts';

export interface Lease {
  name: string;
  epoch: number;
}

export interface Due {
  connection_id: number;
  /** Null: it stands alone. */
  cluster_id: number | null;
  /** When it was judged last, in milliseconds since the epoch; null or absent: never. */
  evaluated_at?: number | null;
}

/** Servers that were judged too long ago; while they are new, or were never judged, sooner. Oldest first. */
export const dueServers = (
  db: Db,
  every: { seconds: number; young_seconds: number; most: number },
  without: readonly number[] = [],
): Promise<Due[]> =>
  db.rows<Due>(sql`/* findings.due */
    select
      c.id as connection_id,
      s.cluster_id,
      (extract(epoch from r.evaluated_at) * 1000)::float8 as evaluated_at
    from matriarch.connections c
    join matriarch.connection_scopes s on s.connection_id = c.id
    left join matriarch.finding_runs r on r.connection_id = c.id
    where c.deleted_at is null and c.is_monitored and c.id <> all (${without}::int[])
      and (
        r.evaluated_at is null
        or r.evaluated_at < now() - make_interval(
          secs => case
            when r.first_evaluated_at > now() - interval '15 minutes' then ${every.young_seconds}::int
            else ${every.seconds}::int
          end
        )
      )
    order by r.evaluated_at nulls first, c.id
    limit ${every.most}::int`);

/** The ids of all servers that are watched. */
export const watchedServers = async (db: Db): Promise<number[]> =>
  (
    await db.rows<{ id: number }>(sql`/* findings.watched */
      select c.id from matriarch.connections c where c.deleted_at is null and c.is_monitored order by c.id`)
  ).map(({ id }) => id);

/** Every watched member of these clusters. */
export const membersOf = (db: Db, cluster_ids: readonly number[]): Promise<Due[]> =>
  db.rows<Due>(sql`/* findings.members */
    select c.id as connection_id, s.cluster_id
    from matriarch.connections c
    join matriarch.connection_scopes s on s.connection_id = c.id
    where c.deleted_at is null and c.is_monitored and s.cluster_id = any (${cluster_ids}::int[])
    order by c.id`);

export interface KeptFinding {
  id: number;
  connection_id: number;
  check_name: string;
  database_name: string;
  object_key: string;
  object_name: string;
  severity: Severity;
  message: string;
  figure: number | null;
  promised: number | null;
  /** Milliseconds since the epoch. */
  figured_at: number;
  is_open: boolean;
  /** Resolved within the last day, and nobody could tell yet what that brought. */
  awaits_effect: boolean;
}

/** Of these servers: what is open, and what once was. */
export const keptFindings = (db: Db, connection_ids: readonly number[]): Promise<KeptFinding[]> =>
  db.rows<KeptFinding>(sql`/* findings.kept */
    select
      f.id, f.connection_id, f.check_name, f.database_name, f.object_key, f.object_name, f.severity, f.message,
      f.figure, f.promised, (extract(epoch from f.figured_at) * 1000)::double precision as figured_at,
      f.resolved_at is null as is_open,
      coalesce(f.resolved_at > now() - interval '1 day', false) and f.figure is not null and f.figure_after is null
        as awaits_effect
    from matriarch.findings f
    where f.connection_id = any (${connection_ids}::int[])`);

export interface WrittenFinding extends Omit<KeptFinding, 'id' | 'figured_at' | 'is_open' | 'awaits_effect'> {
  figure_unit: string | null;
  evidence: Readonly<Record<string, EvidenceValue>>;
  evidence_rows: readonly Readonly<Record<string, EvidenceValue>>[];
  remedy: string;
  counted_since: string | null;
  proof: Proof;
}

export interface Resolved {
  id: number;
  figure_after: number | null;
  /** The figure moved as it was promised to. */
  is_confirmed: boolean;
}

export interface FindingRun {
  connection_id: number;
  checks: number;
  /** Checks that were not judged this time. */
  left_as_they_are: readonly string[];
  unknown: readonly { check_name: string; database_name: string; because: string; mend: string | null }[];
}

/** Locks the lease for the transaction; false: somebody else has it. */
export async function holdsLease(db: Db, { name, epoch }: Lease): Promise<boolean> {
  const held = await db.maybe(sql`/* findings.hold */
    select j.name from matriarch.jobs j where j.name = ${name} and j.epoch = ${epoch} for share`);
  return held !== undefined;
}

/** One that comes again keeps its mute and its first time. */
export const saveFindings = (db: Db, written: readonly WrittenFinding[]): Promise<number> =>
  db.run(sql`/* findings.save */
    with made as (
      select w.*
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as w (
        connection_id int, check_name text, database_name text, object_key text, object_name text, severity text,
        message text, figure double precision, figure_unit text, promised double precision, evidence jsonb,
        evidence_rows jsonb, remedy text, counted_since timestamptz, proof text
      )
      join matriarch.connections c on c.id = w.connection_id and c.deleted_at is null
    ), saved as (
      insert into matriarch.findings as f (
        connection_id, check_name, database_name, object_key, object_name, severity, message, figure, figure_unit,
        promised, first_figure, evidence, evidence_rows, remedy, counted_since, proof, first_seen_at, opened_at,
        figured_at, last_seen_at
      )
      select
        m.connection_id, m.check_name, m.database_name, m.object_key, m.object_name, m.severity, m.message, m.figure,
        m.figure_unit, m.promised, m.figure, m.evidence, m.evidence_rows, m.remedy, m.counted_since, m.proof, now(),
        now(), now(), now()
      from made m
      on conflict on constraint findings_key do update
      set
        object_name = excluded.object_name,
        severity = excluded.severity,
        message = excluded.message,
        figure = excluded.figure,
        figure_unit = excluded.figure_unit,
        promised = excluded.promised,
        first_figure = case when f.resolved_at is null then f.first_figure else excluded.figure end,
        evidence = excluded.evidence,
        evidence_rows = excluded.evidence_rows,
        remedy = excluded.remedy,
        counted_since = excluded.counted_since,
        proof = excluded.proof,
        opened_at = case when f.resolved_at is null then f.opened_at else now() end,
        figured_at = now(),
        last_seen_at = now(),
        resolved_at = null,
        figure_after = null
      returning f.id, f.figure, f.severity
    )
    insert into matriarch.finding_figures (finding_id, at, figure, severity)
    select s.id, now(), s.figure, s.severity
    from saved s
    on conflict do nothing`);

export const resolveFindings = (db: Db, resolved: readonly Resolved[]): Promise<number> =>
  db.run(sql`/* findings.resolve */
    update matriarch.findings f
    set
      resolved_at = coalesce(f.resolved_at, now()),
      figure_after = r.figure_after,
      proof = case when r.is_confirmed then 'confirmed' else f.proof end
    from jsonb_to_recordset(${JSON.stringify(resolved)}::jsonb) as r (
      id bigint, figure_after double precision, is_confirmed boolean
    )
    where f.id = r.id and (f.resolved_at is null or f.figure_after is null)`);

/**
 * What is still open was seen in this evaluation, unless it could not be judged. What was unknown of checks that are left as they
 * are stays so.
 */
export const saveRuns = (db: Db, runs: readonly FindingRun[]): Promise<number> =>
  db.run(sql`/* findings.save_runs */
    insert into matriarch.finding_runs as f (connection_id, evaluated_at, first_evaluated_at, checks, unknown)
    select
      r.connection_id,
      now(),
      now(),
      r.checks,
      r.unknown || coalesce(
        (
          select jsonb_agg(u.one order by u.place)
          from matriarch.finding_runs o
          cross join lateral jsonb_array_elements(o.unknown) with ordinality as u (one, place)
          where o.connection_id = r.connection_id and r.left_as_they_are ? (u.one ->> 'check_name')
        ),
        '[]'
      )
    from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) as r (
      connection_id int, checks int, unknown jsonb, left_as_they_are jsonb
    )
    join matriarch.connections c on c.id = r.connection_id and c.deleted_at is null
    on conflict (connection_id) do update
    set evaluated_at = excluded.evaluated_at, checks = excluded.checks, unknown = excluded.unknown`);

/** What was resolved long ago, and all of connections that were deleted; a slice at a time. */
export const forgetFindings = (db: Db, { days, most }: { days: number; most: number }): Promise<number> =>
  db.run(sql`/* findings.forget */
    delete from matriarch.findings f
    using (
      select o.id
      from matriarch.findings o
      join matriarch.connections c on c.id = o.connection_id
      where c.deleted_at is not null or o.resolved_at < now() - make_interval(days => ${days}::int)
      limit ${most}::int
    ) old
    where f.id = old.id`);
