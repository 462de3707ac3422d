// Which probes brought something new in the last while, and where what is found from samples, logs and plans was found anew: one
// statement for all connections.
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { newestRuns } from '../../store/read/doors/relations.ts';

const timeOf = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;

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

interface RunsSince {
  probes: readonly string[];
  from: number;
}

/** {connection_id, probe, at}: probes that were collected since `from`, what runs out, what was read of logs, and plans that were compared; times are milliseconds since the epoch. */
export const recentRunsOf = ({ probes, from }: RunsSince): Sql => sql`
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

export const recentRuns = (db: Db, since: RunsSince): Promise<RecentRun[]> => db.rows(recentRunsOf(since));
