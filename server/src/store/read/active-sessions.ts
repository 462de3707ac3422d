// Average active sessions over a window, stacked by class of wait: what a server's sessions did with their time, from
// rollups by class where buckets are wide enough, and from raw and packed ticks for the rest. Guards: a bucket nobody
// sampled is null, one in which nothing was active is zero.
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { probe } from '../../probes/pg-active-sessions.ts';
import { longestIntervalSeconds } from '../../probes/types.ts';
import { elementsOf } from '../format/rows.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { type TierTable, tierTablesOf } from '../layout/tier-tables.queries.ts';
import { rollupName, tiersOf } from '../layout/tiers.ts';
import { classesOf, holesOf } from '../rollup/active-classes.ts';
import { type ClassSpanRow, classSpans } from '../rollup/active-sessions.queries.ts';
import { type Bucket, type ClassTick, foldTicks } from '../rollup/active-sessions-fold.ts';
import { isFineEnough } from './plan.ts';
import { readStored } from './stored.ts';

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

const SHAPE = layoutOf(probe);
const SESSIONS = probe.columns.filter(({ name }) => name === 'sessions');
const HOUR_MS = 3_600_000;

const byClass = (a: string, b: string) =>
  Number(b === 'CPU') - Number(a === 'CPU') || (a < b ? -1 : Number(a > b));

const numbers = (text: string | null) => (text === null ? [] : elementsOf(text).map(Number));

/** Ticks of the window, those before it from a keyframe on, raw and packed, each once. */
async function ticksOf(
  db: Db,
  { connection_id, from, to, isRaw }: { connection_id: number; from: number; to: number; isRaw: boolean },
): Promise<ClassTick[]> {
  if (!SHAPE) throw new Error('active sessions are kept as objects');
  const ranges = [{ connection_ids: [connection_id], from, to: to + 1 }];
  const read = { layout: SHAPE, columns: SESSIONS, database_name: '', ranges, rolled: undefined, isRaw };
  const [stored] = await readStored(db, read);
  return (stored?.ticks ?? []).map(({ at, ids, gone, columns, keyframe, whole }) => ({
    at: at / 1000,
    keyframe,
    whole,
    ids,
    gone: gone ?? [],
    sessions: (columns[0] ?? []).map((cell) => (cell === null ? null : Number(cell))),
  }));
}

/** Spans of the coarsest rollup that serves put into the buckets; answers until when they tell. */
async function fromRollups(
  db: Db,
  query: ActiveSessionsQuery,
  { tiers, found }: { tiers: readonly TierTable[]; found: Bucket[] },
): Promise<number> {
  const { connection_id, from, to, buckets, interval_seconds = probe.intervalSeconds } = query;
  if (!SHAPE || interval_seconds !== probe.intervalSeconds) return from;
  const window = { from, to, buckets };
  const tier = tiersOf(SHAPE).findLast((one) => isFineEnough(one, window));
  const filled = tiers.find(({ tier: name }) => name === tier?.name)?.filled_until ?? null;
  if (!tier || filled === null || filled <= from) return from;
  const until = Math.min(filled, to);
  const span = tier.seconds * 1000;
  const begin = Math.floor(from / span) * span;
  const width = (to - from) / buckets;
  const spans = await db.rows<ClassSpanRow>(
    classSpans(rollupName(SHAPE, tier), { connection_id, from: begin, to: until }),
  );
  for (const { at, covered_seconds, wait_classes, session_seconds } of spans) {
    const end = Math.min(at + span, until);
    const seconds = numbers(session_seconds);
    const spent = elementsOf(wait_classes).map((name, index) => [name ?? '', seconds[index] ?? 0] as const);
    for (
      let n = Math.max(0, Math.floor((at - from) / width));
      n < buckets && from + n * width < end;
      n += 1
    ) {
      const share = (Math.min(end, from + (n + 1) * width) - Math.max(at, from + n * width)) / span;
      const bucket = found[n];
      if (!bucket || share <= 0) continue;
      bucket.covered_ms += covered_seconds * 1000 * share;
      for (const [name, seconds] of spent)
        bucket.classes.set(name, (bucket.classes.get(name) ?? 0) + seconds * 1000 * share);
    }
  }
  return until;
}

function add(found: readonly Bucket[], more: readonly Bucket[]): void {
  for (const [n, { covered_ms, classes }] of more.entries()) {
    const bucket = found[n];
    if (!bucket) continue;
    bucket.covered_ms += covered_ms;
    for (const [name, ms] of classes) bucket.classes.set(name, (bucket.classes.get(name) ?? 0) + ms);
  }
}

/** What is newer than the rollups, from the ticks. */
async function fromTicks(
  db: Db,
  query: ActiveSessionsQuery,
  { tiers, found, since }: { tiers: readonly TierTable[]; found: Bucket[]; since: number },
): Promise<void> {
  const { connection_id, from, to, buckets, interval_seconds = probe.intervalSeconds } = query;
  if (since >= to) return;
  const holes = holesOf(interval_seconds, longestIntervalSeconds(probe));
  const reach = holes.calm_ms;
  const ticks = await ticksOf(db, {
    connection_id,
    from: since - HOUR_MS - 2 * reach,
    to: to + reach,
    isRaw: !tiers.some(({ tier }) => tier === 'packed'),
  });
  if (ticks.length === 0) return;
  const classes = await classesOf(
    db,
    connection_id,
    ticks.flatMap(({ ids }) => ids),
  );
  add(found, foldTicks(ticks, classes, { grid: { from, to, buckets, clip: since }, holes }));
}

export async function activeSessions(db: Db, query: ActiveSessionsQuery): Promise<ActiveSessions> {
  const { from, to, buckets } = query;
  if (!(to > from) || buckets < 1) throw new Fault('bad_request', 'The window is empty.');
  const tiers = await db.rows<TierTable>(tierTablesOf(probe.name));
  const found = Array.from({ length: buckets }, () => ({ runs: 0, covered_ms: 0, classes: new Map() }));
  const since = await fromRollups(db, query, { tiers, found });
  await fromTicks(db, query, { tiers, found, since });
  const names = new Set(found.flatMap(({ classes }) => [...classes.keys()]));
  const mean = ({ covered_ms }: Bucket, ms: number) => (covered_ms > 0 ? ms / covered_ms : null);
  const covered = found.reduce((sum, bucket) => sum + bucket.covered_ms, 0);
  return {
    wait_classes: [...names].sort(byClass).map((wait_class) => ({
      wait_class,
      values: found.map((bucket) => mean(bucket, bucket.classes.get(wait_class) ?? 0)),
    })),
    total: found.map((bucket) =>
      mean(
        bucket,
        [...bucket.classes.values()].reduce((sum, ms) => sum + ms, 0),
      ),
    ),
    coverage: Math.min(1, covered / (to - from)),
  };
}
