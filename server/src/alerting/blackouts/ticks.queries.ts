// The statements behind the blackouts that schedules make. Guards: a time of a schedule makes one blackout, whoever tries it
// and how often; none is made of a schedule that was changed or disabled since it was read.
import type { Db } from '../../kernel/db.ts';
import { claimJob, finishJob } from '../../kernel/jobs.queries.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import type { Target } from './targets.queries.ts';

const JOB = 'blackout-ticks';
/** Whoever does not end a round within this loses its lease. */
const LEASE_SECONDS = 30;
const RETRY_SECONDS = 1;

/** Takes the lease when it is due and nobody has it. */
export async function claimTicks(
  db: Db,
  { owner, every_seconds }: { owner: string; every_seconds: number },
): Promise<number | undefined> {
  const job = { name: JOB, owner, every_seconds, lease_seconds: LEASE_SECONDS };
  return (await db.maybe<{ epoch: number }>(claimJob(job)))?.epoch;
}

/** The end of a round; without a report it failed, and the next may try soon. */
export async function finishTicks(db: Db, epoch: number, report: object | null): Promise<void> {
  await db.run(finishJob({ name: JOB, epoch, report, retry_seconds: RETRY_SECONDS }));
}

export interface EnabledSchedule {
  id: number;
  revision: number;
  cron_expression: string;
  timezone: string;
  duration_minutes: number;
  since: string;
}

export const listEnabled = (db: Db): Promise<EnabledSchedule[]> =>
  db.rows<EnabledSchedule>(
    prepared(sql`/* blackout_ticks.schedules */
    select b.id, b.revision, b.cron_expression, b.timezone, b.duration_minutes, b.since
    from matriarch.blackout_schedules b
    where b.enabled
    order by b.id`),
  );

export interface Tick {
  schedule_id: number;
  revision: number;
  start_time: string;
}

export interface Made extends Target {
  id: number;
  reason: string;
  start_time: string;
  end_time: string;
  schedule_id: number;
  schedule_name: string;
  /** Who made the schedule. */
  created_by: string;
}

/** Makes the blackouts that are not there yet. Schedules that changed since are left out. */
export function makeBlackouts(db: Db, ticks: readonly Tick[], now: string): Promise<Made[]> {
  return db.rows<Made>(sql`/* blackout_ticks.make */
    with due as (
      select *
      from unnest(
        ${ticks.map(({ schedule_id }) => schedule_id)}::int[],
        ${ticks.map(({ revision }) => revision)}::int[],
        ${ticks.map(({ start_time }) => start_time)}::timestamptz[]
      ) as d (schedule_id, revision, tick)
    ), held as materialized (
      select b.*
      from matriarch.blackout_schedules b
      where b.enabled and b.id in (select d.schedule_id from due d)
      order by b.id
      for share
    ), fresh as (
      insert into matriarch.blackout_ticks (schedule_id, tick)
      select d.schedule_id, d.tick
      from due d
      join held h on h.id = d.schedule_id and h.revision = d.revision
      on conflict do nothing
      returning schedule_id, tick
    ), made as (
      insert into matriarch.blackouts (
        scope, scope_id, database_name, reason, start_time, end_time, created_by, created_at, schedule_id
      )
      select
        h.scope, h.scope_id, h.database_name, h.reason, f.tick, f.tick + make_interval(mins => h.duration_minutes),
        h.created_by, ${now}::timestamptz, h.id
      from fresh f
      join held h on h.id = f.schedule_id
      order by f.tick, h.id
      on conflict do nothing
      returning id, scope, scope_id, database_name, reason, start_time, end_time, created_by, schedule_id
    )
    select
      m.id, m.scope, m.scope_id, m.database_name, m.reason, m.start_time, m.end_time, m.created_by, m.schedule_id,
      h.name as schedule_name
    from made m
    join held h on h.id = m.schedule_id
    order by m.id`);
}

/**
 * Forgets times that can be tried no more: none is tried beyond `days` after it. By the earlier of both clocks, so that
 * one that jumped ahead forgets nothing.
 */
export async function pruneTicks(db: Db, now: string, days: number): Promise<void> {
  await db.run(sql`/* blackout_ticks.prune */
    delete from matriarch.blackout_ticks t
    where t.tick < least(${now}::timestamptz, now()) - make_interval(days => ${days})`);
}

/** Blackouts that were over so many days ago, by the earlier of both clocks; at most `limit` of them. */
export const pruneBlackouts = (
  db: Db,
  { now, days, limit }: { now: string; days: number; limit: number },
): Promise<number> =>
  db.run(sql`/* blackouts.prune */
    delete from matriarch.blackouts b
    where b.id in (
      select o.id
      from matriarch.blackouts o
      where o.end_time < least(${now}::timestamptz, now()) - make_interval(days => ${days})
      order by o.end_time
      limit ${limit}
    )`);
