// What is new for a round of the alerter: which probes brought something in the last while, and where what is found from samples, logs and
// plans was found anew, for all connections; and the same as one poll with the lease, so that a round without anything new need not be.
// Guards: the runs of a poll are those that a round would judge; a process that has lost the lease gets no answer.
import type { Db } from '../../kernel/db.ts';
import { prepared, type Sql, sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { newestRuns } from '../../store/read/doors/relations.ts';

const timeOf = (ms: number) => sql`${iso(ms)}::timestamptz`;

/** Stands in place of a probe for what was read of logs. */
const LOG_RUNS = 'server_log';

/** Stands in place of a probe for plans that were compared. */
export const PLAN_RUNS = 'plan_regressions';

/** Stands in place of a probe for what runs out, which is found from samples. */
export const RUNWAY_RUNS = 'runway';

export interface RecentRun {
  connection_id: number;
  probe: string;
  /** The newest run of any of its databases; milliseconds since the epoch. */
  at: number;
}

/** {connection_id, probe, at}: probes that were collected since `from`, what runs out, what was read of logs, and plans that were compared; times are milliseconds since the epoch. */
export const recentRunsOf = ({ probes, from }: Pick<PollOptions, 'probes' | 'from'>): Sql => sql`
  /* store.recent_runs */
  select
    s.connection_id, s.probe,
    (extract(epoch from max(s.collected_at)) * 1000)::double precision as at
  from ${newestRuns} s
  where s.probe = any (${probes}::text[])
    and s.collected_at > ${timeOf(from)}
  group by s.connection_id, s.probe
  union all
  select r.connection_id, ${RUNWAY_RUNS}, (extract(epoch from r.made_at) * 1000)::double precision
  from matriarch.runway r
  where r.made_at > ${timeOf(from)}
  union all
  select l.connection_id, ${LOG_RUNS}, (extract(epoch from l.looked_at) * 1000)::double precision
  from matriarch.log_sources l
  where l.format is not null and l.looked_at > ${timeOf(from)}
  union all
  select p.connection_id, ${PLAN_RUNS}, (extract(epoch from p.made_at) * 1000)::double precision
  from matriarch.plan_regressions p
  where p.made_at > ${timeOf(from)}`;

export interface Poll {
  /** The datastore's time, in milliseconds since the epoch. */
  now: number;
  runs: RecentRun[];
  /** Another text whenever something changed that no run tells. */
  mark: string;
}

export interface PollOptions {
  lease: { name: string; epoch: number; lease_seconds: number };
  probes: readonly string[];
  /** Runs since then, in milliseconds since the epoch. */
  from: number;
}

interface PollRow {
  now: number;
  runs: [connection_id: number, probe: string, at: number][];
  mark: string;
}

/** The mark is another text whenever a server could not be reached once more, or a rule was set to something else anywhere. */
const poll = ({ lease, probes, from }: PollOptions) =>
  prepared(sql`
  /* alerter.look */
  with kept as (
    update matriarch.jobs
    set expires_at = now() + make_interval(secs => ${lease.lease_seconds})
    where name = ${lease.name} and epoch = ${lease.epoch}
    returning (extract(epoch from now()) * 1000)::double precision as now
  )
  select
    kept.now,
    (
      select coalesce(jsonb_agg(jsonb_build_array(r.connection_id, r.probe, r.at)), '[]')
      from (${recentRunsOf({ probes, from })}) r
    ) as runs,
    concat_ws(
      '/',
      (select max(s.last_error_at) from matriarch.connection_states s),
      (select max(r.updated_at) from matriarch.alert_rules r),
      (select concat_ws(' ', count(*), max(o.updated_at)) from matriarch.alert_overrides o)
    ) as mark
  from kept`);

/** Undefined: somebody else has the lease by now. */
export async function pollForRuns(db: Db, options: PollOptions): Promise<Poll | undefined> {
  const row = await db.maybe<PollRow>(poll(options));
  if (!row) return undefined;
  return { ...row, runs: row.runs.map(([connection_id, probe, at]) => ({ connection_id, probe, at })) };
}
