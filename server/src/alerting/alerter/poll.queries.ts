// One poll of the alerter, in one statement: keeps the lease, and reads what a round would have to judge, so that a round without
// anything new need not be. Guards: the runs are those that a round would judge; a process that has lost the lease gets no answer.
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import { type RecentRun, recentRunsOf } from './recent-runs.queries.ts';

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
