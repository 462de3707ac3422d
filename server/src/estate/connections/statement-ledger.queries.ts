// Writing down which statements were run where. Nothing is fenced: what was run was run, whoever holds the lease now.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { LedgerRun, LedgerText } from './statement-ledger.ts';

export function writeStatements(texts: readonly LedgerText[]): Sql {
  return sql`
    /* store.write_statements */
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
    /* store.write_runs */
    insert into matriarch.statement_ledger as l (
      connection_id, fingerprint, first_run_at, last_run_at, runs, failures
    )
    select
      r.connection_id, r.fingerprint, to_timestamp(r.first_run_at / 1000), to_timestamp(r.last_run_at / 1000),
      r.runs, r.failures
    from unnest(
      ${runs.map((run) => run.connection_id)}::integer[],
      ${runs.map((run) => run.fingerprint)}::text[],
      ${runs.map((run) => run.first_run_at)}::double precision[],
      ${runs.map((run) => run.last_run_at)}::double precision[],
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
