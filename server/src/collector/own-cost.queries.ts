// Writing down what collecting costs, and what was run where. Each is one statement. Costs are fenced by the lease;
// what was run was run, whoever holds the lease now.
import { type Sql, sql } from '../kernel/sql.ts';
import type { CostReport } from './own-cost.ts';
import type { LedgerRun, LedgerText } from './statement-ledger.ts';

export interface CostRow extends Omit<CostReport, 'since'> {
  readonly connection_id: number;
  readonly epoch: number;
  /** Wall clock, milliseconds since the epoch. */
  readonly since: number;
}

const iso = (ms: number) => new Date(ms).toISOString();

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
        ${column((row) => iso(row.since))}::timestamptz[],
        ${column((row) => row.runs)}::integer[],
        ${column((row) => row.total_ms)}::double precision[],
        ${column((row) => row.max_ms)}::double precision[],
        ${column((row) => row.rows)}::bigint[],
        ${column((row) => row.bytes)}::bigint[],
        ${column((row) => row.sessions)}::integer[],
        ${column((row) => row.cost_percent)}::double precision[],
        ${column((row) => row.interval_seconds)}::double precision[],
        ${column((row) => row.note)}::text[]
      ) as i (
        connection_id, epoch, probe, since, runs, total_ms, max_ms, rows, bytes, sessions, cost_percent,
        interval_seconds, note
      )
    ), fence as materialized (
      select l.connection_id, l.epoch
      from matriarch.connection_leases l
      where l.connection_id in (select i.connection_id from input i)
      order by l.connection_id
      for share
    )
    insert into matriarch.probe_costs as c (
      connection_id, probe, since, runs, total_ms, max_ms, rows, bytes, sessions, cost_percent, interval_seconds, note
    )
    select
      i.connection_id, i.probe, i.since, i.runs, i.total_ms, i.max_ms, i.rows, i.bytes, i.sessions, i.cost_percent,
      i.interval_seconds, i.note
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
      written_at = now()`;
}

export function writeStatements(texts: readonly LedgerText[]): Sql {
  return sql`
    /* collector.write_statements */
    insert into matriarch.statements (fingerprint, name, source, text)
    select t.fingerprint, t.name, t.source, t.text
    from unnest(
      ${texts.map(({ fingerprint }) => fingerprint)}::text[],
      ${texts.map(({ name }) => name)}::text[],
      ${texts.map(({ source }) => source)}::text[],
      ${texts.map(({ text }) => text)}::text[]
    ) as t (fingerprint, name, source, text)
    order by t.fingerprint
    on conflict (fingerprint) do nothing`;
}

/** Nothing is written of a connection that is gone. */
export function writeRuns(runs: readonly LedgerRun[]): Sql {
  return sql`
    /* collector.write_runs */
    insert into matriarch.statement_ledger as l (
      connection_id, fingerprint, first_run_at, last_run_at, runs, failures
    )
    select r.connection_id, r.fingerprint, r.first_run_at, r.last_run_at, r.runs, r.failures
    from unnest(
      ${runs.map((run) => run.connection_id)}::integer[],
      ${runs.map((run) => run.fingerprint)}::text[],
      ${runs.map((run) => iso(run.first_run_at))}::timestamptz[],
      ${runs.map((run) => iso(run.last_run_at))}::timestamptz[],
      ${runs.map((run) => run.runs)}::bigint[],
      ${runs.map((run) => run.failures)}::bigint[]
    ) as r (connection_id, fingerprint, first_run_at, last_run_at, runs, failures)
    join matriarch.connections c on c.id = r.connection_id and c.deleted_at is null
    order by r.connection_id, r.fingerprint
    on conflict (connection_id, fingerprint) do update
    set
      first_run_at = least(l.first_run_at, excluded.first_run_at),
      last_run_at = greatest(l.last_run_at, excluded.last_run_at),
      runs = l.runs + excluded.runs,
      failures = l.failures + excluded.failures`;
}
