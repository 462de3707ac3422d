// Writing down what collecting costs, in one statement that is fenced by the leases.
import { type Sql, sql } from '../kernel/sql.ts';
import { LEASES_OF_INPUT, type Lease } from '../store/write/fence.queries.ts';
import type { CostReport } from './own-cost.ts';

export interface CostRow extends Omit<CostReport, 'since'>, Lease {
  /** Wall clock, milliseconds since the epoch. */
  readonly since: number;
}

export function writeCosts(rows: readonly CostRow[]): Sql {
  const column = <T>(read: (row: CostRow) => T) => rows.map(read);
  return sql`
    /* collector.write_costs */
    with input as (
      select *
      from unnest(
        ${column((row) => row.connection_id)}::integer[],
        ${column((row) => row.epoch)}::bigint[],
        ${column((row) => row.probe)}::text[],
        ${column((row) => row.since)}::double precision[],
        ${column((row) => row.runs)}::integer[],
        ${column((row) => row.total_ms)}::double precision[],
        ${column((row) => row.max_ms)}::double precision[],
        ${column((row) => row.rows)}::bigint[],
        ${column((row) => row.bytes)}::bigint[],
        ${column((row) => row.sessions)}::integer[],
        ${column((row) => row.cost_percent)}::double precision[],
        ${column((row) => row.interval_seconds)}::double precision[],
        ${column((row) => row.note)}::text[],
        ${column((row) => row.statement_entries)}::integer[],
        ${column((row) => row.statement_entries_limit)}::integer[]
      ) as i (
        connection_id, epoch, probe, since, runs, total_ms, max_ms, rows, bytes, sessions, cost_percent,
        interval_seconds, note, statement_entries, statement_entries_limit
      )
    ), fence as materialized ${LEASES_OF_INPUT}
    insert into matriarch.probe_costs as c (
      connection_id, probe, since, runs, total_ms, max_ms, rows, bytes, sessions, cost_percent, interval_seconds, note,
      statement_entries, statement_entries_limit
    )
    select
      i.connection_id, i.probe, to_timestamp(i.since / 1000), i.runs, i.total_ms, i.max_ms, i.rows, i.bytes, i.sessions,
      i.cost_percent, i.interval_seconds, i.note, i.statement_entries, i.statement_entries_limit
    from input i
    join fence f on f.connection_id = i.connection_id and f.epoch = i.epoch
    order by i.connection_id, i.probe
    on conflict (connection_id, probe) do update
    set
      since = excluded.since,
      runs = excluded.runs,
      total_ms = excluded.total_ms,
      max_ms = excluded.max_ms,
      rows = excluded.rows,
      bytes = excluded.bytes,
      sessions = excluded.sessions,
      cost_percent = excluded.cost_percent,
      interval_seconds = excluded.interval_seconds,
      note = excluded.note,
      statement_entries = excluded.statement_entries,
      statement_entries_limit = excluded.statement_entries_limit,
      written_at = now()`;
}
