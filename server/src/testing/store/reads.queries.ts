// Reading what was collected: the newest run of each probe, items as they are, and how they came to be so.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Cause } from '../../probes/causes.ts';

export interface SnapshotRow {
  probe: string;
  database_name: string;
  collected_at: string | null;
  attempted_at: string;
  took_ms: number | null;
  outcome: 'ran' | 'skipped' | 'failed';
  cause: Cause | null;
  reason: string | null;
  mend: string | null;
  rows: readonly Readonly<Record<string, unknown>>[] | null;
  row_count: number | null;
}

export const currentSnapshots = (connectionId: number): Sql => sql`
  /* store.current_snapshots */
  select
    probe, database_name, collected_at, attempted_at, took_ms, outcome, cause, reason, mend, rows, row_count
  from metrics.current_snapshots
  where connection_id = ${connectionId}
  order by probe, database_name`;

export interface FactRow {
  database_name: string;
  item_key: string;
  valid_from: string;
  valid_to: string | null;
  value: Readonly<Record<string, unknown>>;
}

export const currentFacts = (connectionId: number, probe: string): Sql => sql`
  /* store.current_facts */
  select database_name, item_key, valid_from, valid_to, value
  from metrics.facts
  where connection_id = ${connectionId}
    and probe = ${probe}
    and valid_to is null
  order by database_name, item_key`;

export const factHistory = (item: {
  connection_id: number;
  probe: string;
  database_name: string;
  item_key: string;
}): Sql => sql`
  /* store.fact_history */
  select database_name, item_key, valid_from, valid_to, value
  from metrics.facts
  where connection_id = ${item.connection_id}
    and probe = ${item.probe}
    and database_name = ${item.database_name}
    and item_key = ${item.item_key}
  order by valid_from`;
