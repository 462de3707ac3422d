// Average active sessions over a window, stacked by class of wait: what a server's sessions did with their time, from
// raw ticks and packed hours alike. Guards: a bucket nobody sampled is null, one in which nothing was active is zero.
import type { Db } from '../kernel/db.ts';
import { Fault } from '../kernel/errors.ts';
import { probe } from '../probes/pg-active-sessions.ts';
import { longestIntervalSeconds } from '../probes/types.ts';
import { type ActiveRow, activeByClass } from './active-sessions.queries.ts';
import { sourceRelation } from './packed-source.ts';
import { shapeOf } from './shapes.ts';

export interface ActiveSessionsQuery {
  connection_id: number;
  /** Milliseconds since the epoch; the buckets are equal parts. */
  from: number;
  to: number;
  buckets: number;
  /** Instead of the probe's declared one, where it was stretched. */
  interval_seconds?: number;
}

export interface ActiveSessions {
  /** By wait_event_type, `CPU` first: on the processor or ready for it. Null where nothing was sampled. */
  wait_classes: { wait_class: string; values: (number | null)[] }[];
  /** All classes together. */
  total: (number | null)[];
  /** Share of the window that samples stand for, 0 to 1. */
  coverage: number;
}

const SHAPE = shapeOf(probe);
const SESSIONS = probe.columns.filter(({ name }) => name === 'sessions');
const HOUR_MS = 3_600_000;
/** What a sample stands for at most, in intervals. */
const HOLE = 2.5;

const byClass = (a: string, b: string) =>
  Number(b === 'CPU') - Number(a === 'CPU') || (a < b ? -1 : Number(a > b));

export async function activeSessions(db: Db, query: ActiveSessionsQuery): Promise<ActiveSessions> {
  const { connection_id, from, to, buckets, interval_seconds = probe.intervalSeconds } = query;
  if (!(to > from) || buckets < 1) throw new Fault('bad_request', 'The window is empty.');
  const busy_seconds = HOLE * interval_seconds;
  const calm_seconds = Math.max(busy_seconds, HOLE * longestIntervalSeconds(probe));
  if (!SHAPE) throw new Error('active sessions are kept as objects');
  // The statement looks back to the keyframe before the window, and over the holes at its ends.
  const reach = 2000 * calm_seconds;
  const ticks = await sourceRelation(db, {
    shape: SHAPE,
    columns: SESSIONS,
    connection_ids: [connection_id],
    from: from - HOUR_MS - reach,
    to: to + reach,
  });
  const rows = await db.rows<ActiveRow>(
    activeByClass({ rows: ticks, connection_id, from, to, buckets, busy_seconds, calm_seconds }),
  );
  const covered = new Map(rows.map(({ n, covered_seconds }) => [n, covered_seconds]));
  const empty = () => Array.from({ length: buckets }, (_, n) => (covered.has(n) ? 0 : null));
  const total: (number | null)[] = empty();
  const classes = new Map<string, (number | null)[]>();
  for (const { n, wait_class, sessions } of rows) {
    if (wait_class === '') continue;
    const values = classes.get(wait_class) ?? empty();
    classes.set(wait_class, values);
    values[n] = sessions;
    total[n] = (total[n] ?? 0) + sessions;
  }
  const seconds = [...covered.values()].reduce((sum, one) => sum + one, 0);
  return {
    wait_classes: [...classes]
      .sort(([a], [b]) => byClass(a, b))
      .map(([wait_class, values]) => ({ wait_class, values })),
    total,
    coverage: Math.min(1, (seconds * 1000) / (to - from)),
  };
}
