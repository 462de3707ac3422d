// Background jobs that one process at a time does when they are due: a lease in matriarch.jobs. Guards: whoever has
// lost the lease cannot end the run of whoever holds it now.
import { type Sql, sql } from './sql.ts';

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
  /* jobs.claim */
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
  /* jobs.finish */
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
  /* jobs.read */
  select last_run_at, report
  from matriarch.jobs
  where name = ${name}`;
