// What the alerter asks at each look, in one statement. Guards: the runs are those that a round would judge; nothing is answered to
// whoever has lost the lease.
import { prepared, type Sql, sql } from '../../kernel/sql.ts';

export interface LookQuery {
  lease: { name: string; epoch: number; lease_seconds: number };
  /** Runs of the last while: {connection_id, probe, at}. */
  runs: Sql;
}

export interface LookRow {
  now: number;
  runs: [connection_id: number, probe: string, at: number][];
  mark: string;
}

/**
 * Keeps the lease. The mark is another text whenever a server could not be reached once more, or a rule was set to something else
 * anywhere.
 */
export const look = ({ lease, runs }: LookQuery): Sql =>
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
      from (${runs}) r
    ) as runs,
    concat_ws(
      '/',
      (select max(s.last_error_at) from matriarch.connection_states s),
      (select max(r.updated_at) from matriarch.alert_rules r),
      (select concat_ws(' ', count(*), max(o.updated_at)) from matriarch.alert_overrides o)
    ) as mark
  from kept`);
