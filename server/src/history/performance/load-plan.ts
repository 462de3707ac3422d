// From where active sessions over a window are read: samples, or rollups. Pure. Guards: of a class of wait rollups serve
// where they say the same and samples were taken as often as declared, of all else over a day and longer, where samples
// would be too many; what is coarser is read along, since it is kept for longer.
import { greatest } from '../../kernel/lists.ts';
import { FIRST_MS, LAST_MS } from '../../kernel/times.ts';
import { probe } from '../../probes/pg-active-sessions.ts';
import { longestIntervalSeconds } from '../../probes/types.ts';
import type { Window } from '../../store/read/doors/buckets.ts';
import {
  type ClassRead,
  type Holes,
  holesOf,
  isFineEnough,
  keyframeMs,
  knowsMembers,
  layoutOf,
  memberColumn,
  type Range,
  type Split,
  type StoredRead,
  type TableLayout,
  type Tier,
  tiersOf,
} from '../../store/read/doors/readings.ts';
import type { LoadPlanRow } from './active-sessions.queries.ts';

export interface ActiveSessionsQuery {
  connection_id: number;
  /** Milliseconds since the epoch; the buckets are equal parts. */
  from: number;
  to: number;
  buckets: number;
  /** Where a second window of the same length begins. */
  compare_from?: number;
  /** By class of wait when absent. */
  split?: Split;
  /** Instead of the one in force. */
  interval_seconds?: number;
}

/** Windows as long are not read from samples by what rollups know the largest members of. */
const LONG_MS = 24 * 3_600_000;

function demandLayout(): TableLayout {
  const layout = layoutOf(probe);
  if (layout?.keeps !== 'objects') throw new Error('active sessions are kept as objects');
  return layout;
}

export const SESSIONS_LAYOUT = demandLayout();
/** The newest sample of all combinations is not older, but for an interval. */
export const LOOK_BACK_MS = keyframeMs(SESSIONS_LAYOUT);
const SESSIONS = probe.columns.filter(({ name }) => name === 'sessions');

/** What is read for the windows. */
export interface LoadReading {
  windows: readonly Window[];
  isRaw: boolean;
  hasTicks: boolean;
  interval_seconds: number;
  holes: Holes;
  /** Of the tiers that can serve, until when they are filled; from fine to coarse. */
  tiers: readonly { tier: Tier; filled: number }[];
  /** The one that serves instead of samples. */
  chosen: Tier | undefined;
  split: Split;
}

/** The longest interval that was in force at some time in the windows. */
function intervalOf(rows: readonly LoadPlanRow[], windows: readonly Window[]): number {
  const changes = rows
    .flatMap(({ part, at, interval_seconds }) =>
      part === 'interval' && at !== null && interval_seconds !== null ? [{ at, interval_seconds }] : [],
    )
    .sort((a, b) => a.at - b.at);
  const inForce = windows.flatMap(({ from, to }) => {
    const first = changes.findLastIndex(({ at }) => at <= from);
    const own = changes.slice(Math.max(0, first)).filter(({ at }) => at <= to);
    return first === -1
      ? [probe.intervalSeconds, ...own.map((one) => one.interval_seconds)]
      : own.map((one) => one.interval_seconds);
  });
  return greatest(inForce, probe.intervalSeconds);
}

export function planned(rows: readonly LoadPlanRow[], query: ActiveSessionsQuery): LoadReading {
  const { from, to, buckets, compare_from, split = 'wait_class' } = query;
  const compared =
    compare_from === undefined ? [] : [{ from: compare_from, to: compare_from + to - from, buckets }];
  const windows = [{ from, to, buckets }, ...compared];
  const tierRows = rows.filter(({ part }) => part === 'tier');
  const tiers = tiersOf(SESSIONS_LAYOUT).flatMap((tier) => {
    const filled = tierRows.find(({ name }) => name === tier.name)?.at ?? null;
    return filled === null ? [] : [{ tier, filled }];
  });
  const interval_seconds = query.interval_seconds ?? intervalOf(rows, windows);
  const isByClass = split === 'wait_class';
  const knowing = tiers.filter(({ tier }) => isByClass || knowsMembers(tier));
  const fine = knowing.findLast(({ tier }) => windows.every((window) => isFineEnough(tier, window)));
  const ofClasses = interval_seconds === probe.intervalSeconds ? fine : undefined;
  const ofMembers = to - from >= LONG_MS ? (fine ?? knowing[0]) : undefined;
  return {
    windows,
    isRaw: !tierRows.some(({ name }) => name === 'packed'),
    hasTicks: rows.some(({ part }) => part === 'table'),
    interval_seconds,
    holes: holesOf(interval_seconds, longestIntervalSeconds(probe)),
    tiers: knowing,
    chosen: (isByClass ? ofClasses : ofMembers)?.tier,
    split,
  };
}

/** Until when the chosen tier tells of a window; its begin: not at all. */
export function rolledUntil({ chosen, tiers }: LoadReading, { from, to }: Window): number {
  const filled = tiers.find(({ tier }) => tier === chosen)?.filled ?? from;
  return Math.max(from, Math.min(filled, to));
}

const clamped = (ms: number) => Math.max(FIRST_MS, Math.min(LAST_MS, ms));

function tickRanges(reading: LoadReading, connectionId: number): Range[] {
  const { idle_ms } = reading.holes;
  if (!reading.hasTicks) return [];
  return reading.windows.flatMap((window) => {
    const since = rolledUntil(reading, window);
    const [from, to] = [clamped(since - LOOK_BACK_MS - 2 * idle_ms), clamped(window.to + idle_ms + 1)];
    return since < window.to ? [{ connection_ids: [connectionId], from, to }] : [];
  });
}

/** The chosen tier, and coarser ones, which are kept for longer. */
function classReads(reading: LoadReading, connectionId: number): ClassRead[] {
  const { chosen, tiers, windows, split } = reading;
  const first = Math.max(
    0,
    tiers.findIndex(({ tier }) => tier === chosen),
  );
  return tiers.slice(first).map(({ tier, filled }) => ({
    tier,
    members: memberColumn(split),
    ranges: windows.flatMap(({ from, to }) => {
      const span = tier.seconds * 1000;
      const range = { from: clamped(Math.floor(from / span) * span), to: clamped(Math.min(filled, to)) };
      return range.from < range.to ? [{ connection_ids: [connectionId], ...range }] : [];
    }),
  }));
}

export const storedReadOf = (reading: LoadReading, connectionId: number): StoredRead => ({
  layout: SESSIONS_LAYOUT,
  columns: SESSIONS,
  database_name: '',
  ranges: tickRanges(reading, connectionId),
  rolled: undefined,
  byClass: classReads(reading, connectionId),
  isRaw: reading.isRaw,
});
