// Runs of autovacuum and checkpoints, as the log says. Guards: what a version does not write is null; a list that is cut says so, and so
// does one of which the log has more than was kept.
import { windowOf } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import type { Figures } from '../../logs/types.ts';
import { logReading } from './server-logs.service.ts';
import type * as contract from './upkeep-logs.contract.ts';
import { settingOf, type UpkeepRow, upkeepCounts, upkeepEvents } from './upkeep-logs.queries.ts';

type Runs = Output<typeof contract.listConnectionVacuumRuns>;
type RunsQuery = Input<typeof contract.listConnectionVacuumRuns>['query'];
type Run = Runs['runs'][number];
type Checkpoints = Output<typeof contract.listConnectionCheckpoints>;
type CheckpointsQuery = Input<typeof contract.listConnectionCheckpoints>['query'];
type Checkpoint = Checkpoints['checkpoints'][number];

const KB = 1024;
const RUNS = 100;
const CHECKPOINTS = 500;
/** The beginning of a checkpoint is looked for so far back. */
const LONGEST_MS = 6 * HOUR_MS;

const KINDS: Readonly<Record<string, Run['kind']>> = {
  autovacuum: 'vacuum',
  autovacuum_wraparound: 'wraparound_vacuum',
  autoanalyze: 'analyze',
  autovacuum_cancelled: 'cancelled',
};

const figure = (figures: Figures, name: string): number | null => figures[name] ?? null;

function runOf({ id, occurred_at, class: name, relation_name, figures }: UpkeepRow): Run {
  const of = (one: string) => figure(figures, one);
  return {
    id,
    ended_at: occurred_at,
    kind: KINDS[name] ?? 'vacuum',
    table: relation_name,
    elapsed_seconds: of('elapsed_seconds'),
    pages_removed: of('pages_removed'),
    pages_remain: of('pages_remain'),
    pages_scanned: of('pages_scanned'),
    tuples_removed: of('tuples_removed'),
    tuples_remain: of('tuples_remain'),
    tuples_not_removable: of('tuples_dead_not_removable'),
    index_scans: of('index_scans'),
    buffer_hits: of('buffer_hits'),
    buffer_reads: of('buffer_misses'),
    buffers_dirtied: of('buffers_dirtied'),
    wal_records: of('wal_records'),
    wal_bytes: of('wal_bytes'),
    read_ms: of('read_ms'),
    write_ms: of('write_ms'),
  };
}

/** The caller has checked access to the connection. */
export async function listConnectionVacuumRuns(
  ctx: Ctx,
  connection_id: number,
  query: RunsQuery,
): Promise<Runs> {
  const { limit = RUNS, table, search } = query;
  const { from, to } = windowOf(query, { now: ctx.clock.now(), fallback: '24h' });
  const window = { connection_id, from, to, classes: Object.keys(KINDS) };
  const [reading, rows, counts, least, leastAnalyze] = await Promise.all([
    logReading(ctx, connection_id),
    upkeepEvents(ctx.db, { ...window, table, search, limit: limit + 1 }),
    upkeepCounts(ctx.db, window),
    settingOf(ctx.db, connection_id, 'log_autovacuum_min_duration'),
    settingOf(ctx.db, connection_id, 'log_autoanalyze_min_duration'),
  ]);
  return {
    connection_id,
    start_time: iso(from),
    end_time: iso(to),
    reading,
    min_duration_ms: least === undefined ? null : Number(least),
    analyze_min_duration_ms: leastAnalyze === undefined ? null : Number(leastAnalyze),
    events_logged: counts.reduce((sum, { events }) => sum + events, 0),
    events_kept: counts.reduce((sum, { kept }) => sum + kept, 0),
    runs: rows.slice(0, limit).map(runOf),
    is_cut: rows.length > limit,
  };
}

const ENDS = ['checkpoint_complete', 'restartpoint_complete'] as const;
const BEGINNINGS = ['checkpoint_starting', 'restartpoint_starting'] as const;

function causeOf({ figures }: UpkeepRow): Checkpoint['cause'] {
  const [byWal, byTime] = [figure(figures, 'by_wal'), figure(figures, 'by_time')];
  if (byWal === null || byTime === null) return null;
  if (byWal > 0) return 'wal';
  return byTime > 0 ? 'time' : 'request';
}

function checkpointOf(end: UpkeepRow, beginning: UpkeepRow | undefined): Checkpoint {
  const of = (one: string) => figure(end.figures, one);
  const distance = of('distance_kb');
  return {
    id: end.id,
    kind: end.class === 'restartpoint_complete' ? 'restartpoint' : 'checkpoint',
    cause: beginning ? causeOf(beginning) : null,
    started_at: beginning?.occurred_at ?? null,
    ended_at: end.occurred_at,
    buffers: of('buffers'),
    wal_added: of('wal_added'),
    wal_removed: of('wal_removed'),
    wal_recycled: of('wal_recycled'),
    write_seconds: of('write_seconds'),
    sync_seconds: of('sync_seconds'),
    total_seconds: of('total_seconds'),
    longest_sync_seconds: of('longest_sync_seconds'),
    distance_bytes: distance === null ? null : distance * KB,
  };
}

/** One process makes them, one after the other: the line before the end of one is its beginning. Rows: newest first. */
function paired(rows: readonly UpkeepRow[]): Checkpoint[] {
  return rows.flatMap((row, index) => {
    if (!ENDS.some((one) => one === row.class)) return [];
    const before = rows[index + 1];
    const isOwn = before?.class === row.class.replace('_complete', '_starting');
    return [checkpointOf(row, isOwn ? before : undefined)];
  });
}

/** The caller has checked access to the connection. */
export async function listConnectionCheckpoints(
  ctx: Ctx,
  connection_id: number,
  query: CheckpointsQuery,
): Promise<Checkpoints> {
  const { limit = CHECKPOINTS } = query;
  const { from, to } = windowOf(query, { now: ctx.clock.now(), fallback: '24h' });
  const window = { connection_id, from: from - LONGEST_MS, to, classes: [...ENDS, ...BEGINNINGS] };
  // Two lines each, and one of another that has not ended.
  const most = 2 * (limit + 1) + 1;
  const [reading, rows, isOn] = await Promise.all([
    logReading(ctx, connection_id),
    upkeepEvents(ctx.db, { ...window, limit: most }),
    settingOf(ctx.db, connection_id, 'log_checkpoints'),
  ]);
  const all = paired(rows).filter(({ ended_at }) => Date.parse(ended_at) >= from);
  return {
    connection_id,
    start_time: iso(from),
    end_time: iso(to),
    reading,
    is_logged: isOn === undefined ? null : isOn === 'on',
    checkpoints: all.slice(0, limit),
    is_cut: all.length > limit,
  };
}
