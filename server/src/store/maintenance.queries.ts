// The statements of the maintenance job: its lease and time of last run, the policies, and what has grown old beside
// the partitions.
import { type Sql, sql } from '../kernel/sql.ts';

export interface Policy {
  table_name: string;
  probe: string;
  layout: 'samples' | 'objects';
  interval_seconds: number;
  /** As declared. */
  retention_days: number;
  /** The longest that any connection keeps it; null before the maintenance job has looked. */
  longest_retention_days: number | null;
}

export interface JobClaim {
  name: string;
  /** Of the process; the jobs of a collector that has died are free at once. */
  owner: string;
  every_seconds: number;
  /** Whoever does not end it within this loses it; ten minutes when absent. */
  lease_seconds?: number;
}

/** Takes the job when it is due and nobody does it: {epoch}. */
export const claimJob = ({ name, owner, every_seconds, lease_seconds = 600 }: JobClaim): Sql => sql`
  /* store.claim_job */
  insert into matriarch.jobs as j (name, owner, epoch, expires_at, last_started_at)
  values (${name}, ${owner}, 1, now() + make_interval(secs => ${lease_seconds}), now())
  on conflict (name) do update
  set
    owner = excluded.owner,
    epoch = j.epoch + 1,
    expires_at = excluded.expires_at,
    last_started_at = excluded.last_started_at
  where j.expires_at <= now()
    and (j.last_run_at is null or j.last_run_at <= now() - make_interval(secs => ${every_seconds}))
  returning epoch`;

/** The end of a run; nothing when somebody else has taken the job meanwhile. A failed one is due again in a minute. */
export const finishJob = (job: { name: string; epoch: number; report: object | null }): Sql => sql`
  /* store.finish_job */
  update matriarch.jobs
  set
    owner = '',
    expires_at = case when ${job.report !== null}::boolean then now() else now() + interval '1 minute' end,
    last_run_at = case when ${job.report !== null}::boolean then now() else last_run_at end,
    report = coalesce(${job.report === null ? null : JSON.stringify(job.report)}::jsonb, report)
  where name = ${job.name} and epoch = ${job.epoch}`;

export interface JobRow {
  last_run_at: string | null;
  /** As the job left it. */
  report: Readonly<Record<string, unknown>> | null;
}

export const readJob = (name: string): Sql => sql`
  /* store.read_job */
  select last_run_at, report
  from matriarch.jobs
  where name = ${name}`;

export const policies = sql`
  /* store.policies */
  select table_name, probe, layout, interval_seconds, retention_days, longest_retention_days
  from matriarch.metric_tables
  order by table_name`;

/** Numbers of batches that nobody asks for any more. */
export const forgetBatches = sql`
  /* store.forget_batches */
  delete from matriarch.batch_ledger
  where written_at < now() - interval '2 days'`;

/** Objects that no tick and no rollup names any more: last_seen is at most a day behind. */
export const forgetObjects = (slice: number): Sql => sql`
  /* store.forget_objects */
  delete from metrics.objects o
  using (
    select b.connection_id, b.object_id
    from metrics.objects b
    join (
      select k.probe, max(k.retention_days) as retention_days
      from (
        select m.probe, greatest(m.retention_days, m.longest_retention_days)
        from matriarch.metric_tables m
        union all
        select t.probe, greatest(t.retention_days, t.longest_retention_days)
        from matriarch.tier_tables t
        where t.names_objects
      ) k (probe, retention_days)
      group by k.probe
    ) m on m.probe = b.kind
    where b.last_seen < now() - make_interval(days => m.retention_days + 2)
    limit ${slice}
  ) s
  where o.connection_id = s.connection_id and o.object_id = s.object_id`;
