// Figures of log files that pgBadger has as well, and three kept files with theirs: one server's log of PostgreSQL 18 under the scenes of
// log-scenes.ts and some work, as stderr, csvlog and jsonlog.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readLogs } from '../../logs/read-logs.ts';

/** log_line_prefix of compared files, as pgBadger recommends it. */
export const COMPARED_PREFIX = '%m [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ';

export const keptLog = (end: 'log' | 'csv' | 'json') =>
  path.join(import.meta.dirname, 'kept', `postgresql-18.${end}.gz`);

/** What pgBadger 12.0 says of each of the kept files, but for `checkpoint_buffers`: it does not know that line of 18. */
export const KEPT_FIGURES = {
  errors: 45,
  slow_statements: 89,
  temp_files: 2,
  temp_bytes: 1_478_240,
  autovacuums: 8,
  autoanalyzes: 20,
  lock_waits: 2,
  checkpoints_started: 5,
  checkpoint_buffers: 246,
};

/** Steps of a statement, which pgBadger does not count among the statements. */
const STEPS = /duration: \S+ ms {2}(?:parse|bind) /g;

export async function oursOf(file: string): Promise<typeof KEPT_FIGURES> {
  const report = await readLogs({ files: [file], mask: (text) => text, year: 2026 });
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const { ERROR = 0, FATAL = 0, PANIC = 0 } = report.by_severity;
  return {
    errors: ERROR + FATAL + PANIC,
    slow_statements: report.slow_statements.count - (text.match(STEPS)?.length ?? 0),
    temp_files: report.temp_files.count,
    temp_bytes: report.temp_files.bytes,
    autovacuums: report.autovacuums.count,
    autoanalyzes: report.autovacuums.analyzes,
    lock_waits: report.lock_waits.ended,
    checkpoints_started: report.checkpoints.started,
    checkpoint_buffers: report.checkpoints.buffers ?? 0,
  };
}
