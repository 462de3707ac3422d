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
  /** Whoever had it is known to do it no more: the end of its lease is not waited for. */
  is_free?: boolean;
}

/** Takes the job when it is due and nobody does it: {epoch}. */
export const claimJob = ({
  name,
  owner,
  every_seconds,
  lease_seconds = 600,
  is_free = false,
}: JobClaim): Sql => sql`
  /* jobs.claim */
  insert into matriarch.jobs as j (name, owner, epoch, expires_at, last_started_at)
  values (${name}, ${owner}, 1, now() + make_interval(secs => ${lease_seconds}), now())
  on conflict (name) do update
  set
    owner = excluded.owner,
    epoch = j.epoch + 1,
    expires_at = excluded.expires_at,
    last_started_at = excluded.last_started_at
  where (j.expires_at <= now() or ${is_free}::boolean)
    and (j.last_run_at is null or j.last_run_at <= now() - make_interval(secs => ${every_seconds}))
  returning epoch`;

/** Keeps a job that goes on and on: nothing when somebody else has taken it meanwhile. {now} */
export const renewJob = (name: string, epoch: number, lease_seconds: number): Sql => sql`
  /* jobs.renew */
  update matriarch.jobs
  set expires_at = now() + make_interval(secs => ${lease_seconds})
  where name = ${name} and epoch = ${epoch}
  returning (extract(epoch from now()) * 1000)::double precision as now`;

/** Notes how far such a job is, for whoever takes it over. */
export const noteJob = (name: string, epoch: number, report: object): Sql => sql`
  /* jobs.note */
  update matriarch.jobs
  set report = ${JSON.stringify(report)}::jsonb, last_run_at = now()
  where name = ${name} and epoch = ${epoch}`;

/** Gives such a job back. */
export const leaveJob = (name: string, epoch: number): Sql => sql`
  /* jobs.leave */
  update matriarch.jobs
  set owner = '', expires_at = now()
  where name = ${name} and epoch = ${epoch}`;

export interface JobEnd {
  name: string;
  epoch: number;
  /** Null: it failed or was given up. */
  report: object | null;
  /** Until a run without a report is due again; a minute when absent. */
  retry_seconds?: number;
}

/** The end of a run; nothing when somebody else has taken the job meanwhile. */
export const finishJob = ({ retry_seconds = 60, ...job }: JobEnd): Sql => sql`
  /* jobs.finish */
  update matriarch.jobs
  set
    owner = '',
    expires_at = case when ${job.report !== null}::boolean then now()
      else now() + make_interval(secs => ${retry_seconds}) end,
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
