// Made-up probes that keep samples and objects, and runs of theirs, for tests of the store.
import { defineProbe, type Probe } from '../../probes/types.ts';
import type { ProbeRun, Row } from '../../store/layout/types.ts';

const common = { level: 'S', intervalSeconds: 60, retentionDays: 7, sql: () => 'select' } as const;

/** Samples of the server: a counter with its reset, a gauge, and a text. */
export const SERVER = defineProbe({
  ...common,
  name: 'test_server',
  description: 'Of the server.',
  keeps: 'samples',
  columns: [
    { name: 'kind', type: 'text', kind: 'key', description: 'Which.' },
    { name: 'reads', type: 'bigint', kind: 'counter', unit: 'count', description: 'Counts.' },
    { name: 'load', type: 'double precision', kind: 'gauge', description: 'A level.' },
    { name: 'stats_reset', type: 'timestamp with time zone', kind: 'time', description: 'Reset.' },
    { name: 'flags', type: 'text[]', kind: 'label', description: 'Texts.' },
    { name: 'details', type: 'jsonb', kind: 'label', description: 'Anything.' },
  ],
});

/** Objects of each database: tables by oid. */
export const TABLES = defineProbe({
  ...common,
  level: 'D',
  name: 'test_tables',
  description: 'Tables.',
  keeps: 'objects',
  columns: [
    { name: 'relid', type: 'bigint', kind: 'key', description: 'Object id.' },
    { name: 'relname', type: 'text', kind: 'label', description: 'Name.' },
    { name: 'n_tup_ins', type: 'bigint', kind: 'counter', unit: 'rows', description: 'Rows.' },
    { name: 'seq_scan', type: 'bigint', kind: 'counter', unit: 'count', description: 'Scans.' },
    { name: 'table_size', type: 'bigint', kind: 'gauge', unit: 'bytes', description: 'Size.' },
    { name: 'last_vacuum', type: 'timestamp with time zone', kind: 'time', description: 'When.' },
  ],
});

export interface KeptRun {
  connection_id: number;
  at: number;
  rows: readonly Row[];
  database_name?: string;
  server_instance?: string;
  epoch?: number;
}

/** A run of such a probe, collected at that time (ms since the epoch). */
export function keptRun(probe: Probe, run: KeptRun): ProbeRun {
  const { connection_id, at, rows, database_name = '', server_instance, epoch = 1 } = run;
  return {
    connection_id,
    epoch,
    probe: probe.name,
    database_name,
    attempted_at: at,
    took_ms: 1,
    ...(server_instance !== undefined && { server_instance }),
    outcome: { kind: 'ran', collected_at: at, rows, history_by: undefined },
  };
}

/** A table's row. */
export function tableRow(
  relid: number,
  values: { ins?: number | string | null; scans?: number; size?: number } = {},
) {
  const { ins = 0, scans = 0, size = 8192 } = values;
  return {
    relid,
    relname: `t${relid}`,
    n_tup_ins: ins,
    seq_scan: scans,
    table_size: size,
    last_vacuum: null,
  };
}

/** The same every five minutes, of which a quarter of an hour holds three. */
export const SLOW_SERVER = defineProbe({ ...SERVER, name: 'slow_server', intervalSeconds: 300 });
export const SLOW_TABLES = defineProbe({ ...TABLES, name: 'slow_tables', intervalSeconds: 300 });
