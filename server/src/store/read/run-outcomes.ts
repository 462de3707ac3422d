// What became of each probe's newest run on many connections, and how often it runs: one statement. For whoever has to tell what
// was read and is of now from what was not, and why.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { Cause } from '../../probes/causes.ts';

export interface RunOutcome {
  connection_id: number;
  probe: string;
  /** '': the server as a whole. */
  database_name: string;
  outcome: 'ran' | 'skipped' | 'failed';
  cause: Cause | null;
  reason: string | null;
  mend: string | null;
  /** Of its newest rows, in milliseconds since the epoch; null: there never were any. */
  collected_at: number | null;
  row_count: number | null;
  /** As it runs now; null: nobody knows. */
  interval_seconds: number | null;
  /** As it is set. */
  set_seconds: number | null;
  /** Why it runs less often than it is set to. */
  slowed_because: string | null;
}

/** Of these probes on these connections. */
export const runOutcomes = (
  db: Db,
  { connection_ids, probes }: { connection_ids: readonly number[]; probes: readonly string[] },
): Promise<RunOutcome[]> =>
  db.rows<RunOutcome>(sql`
    /* store.run_outcomes */
    select
      s.connection_id, s.probe, s.database_name, s.outcome, s.cause, s.reason, s.mend,
      (extract(epoch from s.collected_at) * 1000)::double precision as collected_at, s.row_count,
      greatest(e.interval_seconds, c.interval_seconds)::double precision as interval_seconds,
      e.interval_seconds::double precision as set_seconds, c.note as slowed_because
    from metrics.current_snapshots s
    left join matriarch.effective_probe_settings e
      on e.connection_id = s.connection_id and e.probe_name = s.probe
    left join matriarch.probe_costs c on c.connection_id = s.connection_id and c.probe = s.probe
    where s.connection_id = any (${connection_ids}::integer[]) and s.probe = any (${probes}::text[])
    order by s.connection_id, s.probe, s.database_name`);
