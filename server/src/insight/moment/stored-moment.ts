// What probes of a server found at one instant, past or present: the rows of the newest run until then. Three statements
// however many probes: what there is, all of it, and the names of sessions' combinations. Guards: a value stands for two and
// a half intervals and no longer; every part says of when it is, or why nothing is known; that there was nothing is only
// said where the server was being read.
import type { Db } from '../../kernel/db.ts';
import { greatest } from '../../kernel/lists.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { FIRST_MS, LAST_MS } from '../../kernel/times.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { probe as sessionsProbe } from '../../probes/pg-active-sessions.ts';
import type { Column, Probe } from '../../probes/types.ts';
import { gapMs } from '../../store/layout/intervals.ts';
import type { Row } from '../../store/layout/types.ts';
import {
  keyframeMs,
  layoutOf,
  type ObjectName,
  objectNames,
  readAllStored,
  type Stored,
  shown,
  type TableLayout,
  type TickRow,
  wasRead,
} from '../../store/read/doors/readings.ts';
import { type MomentFact, type MomentPlanRow, momentFacts, momentPlan } from './stored-moment.queries.ts';

export interface ProbeOfMoment {
  probe: Probe;
  columns: readonly string[];
  /** That a run found nothing is usual. */
  mayBeEmpty: boolean;
}

/** Of one probe. */
export interface MomentPart {
  /** Milliseconds since the epoch; null: nothing is known. */
  at: number | null;
  /** Why nothing is known, or how it is known that there was nothing. */
  reason: string | null;
  rows: Row[];
}

export interface Moment {
  /** Active sessions, by combination, with how many there were of each. */
  sessions: MomentPart;
  /** By probe. */
  parts: ReadonlyMap<string, MomentPart>;
}

/** A run is late by so much of its interval before it is taken to have found nothing. */
const LATE = 1.5;

function demandLayout(probe: Probe): TableLayout {
  const layout = layoutOf(probe);
  if (!layout) throw new Error(`${probe.name} keeps no samples`);
  return layout;
}

const columnsOf = ({ probe, columns }: ProbeOfMoment): Column[] =>
  columns.map((name) => {
    const found = probe.columns.find((column) => column.name === name);
    if (!found) throw new Error(`${probe.name} has no column ${name}`);
    return found;
  });

interface Planned {
  asked: ProbeOfMoment;
  layout: TableLayout;
  columns: Column[];
  interval_seconds: number;
  /** None: no collector has kept anything of it yet. */
  kept_days: number | undefined;
  isRaw: boolean;
  run: MomentPlanRow | undefined;
}

/** The longest that was in force around that time. */
function intervalAt(layout: TableLayout, changes: readonly MomentPlanRow[], at: number): number {
  const sorted = changes.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const inForce = sorted.findLast((one) => (one.at ?? 0) <= at)?.figure ?? layout.busyIntervalSeconds;
  const isAdaptive = layout.busyIntervalSeconds < layout.intervalSeconds;
  return isAdaptive ? Math.max(inForce, layout.intervalSeconds) : inForce;
}

function planned(asked: ProbeOfMoment, rows: readonly MomentPlanRow[], at: number): Planned {
  const own = rows.filter(({ probe }) => probe === asked.probe.name);
  const of = (part: MomentPlanRow['part']) => own.filter((row) => row.part === part);
  const layout = demandLayout(asked.probe);
  return {
    asked,
    layout,
    columns: columnsOf(asked),
    interval_seconds: intervalAt(layout, of('interval'), at),
    kept_days: of('table')[0]?.figure ?? undefined,
    isRaw: of('packed').length === 0,
    run: of('run')[0],
  };
}

const clamped = (ms: number) => Math.max(FIRST_MS, Math.min(LAST_MS, ms));

function readOf({ layout, columns, kept_days, interval_seconds, isRaw }: Planned, id: number, at: number) {
  const back = (layout.keeps === 'objects' ? keyframeMs(layout) : 0) + gapMs(interval_seconds);
  const range = { connection_ids: [id], from: clamped(at - back), to: clamped(at + 1) };
  const isThere = kept_days !== undefined && range.from < range.to;
  return {
    layout,
    columns,
    database_name: undefined,
    ranges: isThere ? [range] : [],
    rolled: undefined,
    isRaw,
  };
}

/** In words, so that it reads well for seconds and minutes. */
const spanText = (seconds: number) =>
  seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;

function unknownBecause(
  { run, kept_days, interval_seconds }: Planned,
  { at, now }: { at: number; now: number },
): string {
  if (kept_days !== undefined && at < now - kept_days * DAY_MS)
    return `Samples are kept for ${kept_days} days; this instant is longer ago.`;
  if (run?.outcome && run.outcome !== 'ran' && run.reason !== null) return run.reason;
  if (!run) return 'Nothing has been collected of it on this server.';
  return `It was not read in the ${spanText(gapMs(interval_seconds) / 1000)} before this instant.`;
}

interface Instant {
  at: number;
  now: number;
  /** When the sessions were sampled last until then; undefined: the server was not being read. */
  evidence: number | undefined;
}

/** When a run is known to have found nothing, and how. */
function emptyAt(
  { asked, run, interval_seconds }: Planned,
  newest: number | undefined,
  { at, evidence }: Instant,
): Pick<MomentPart, 'at' | 'reason'> | undefined {
  if (!asked.mayBeEmpty || run?.outcome !== 'ran') return undefined;
  const collected = run.at ?? Number.NEGATIVE_INFINITY;
  const isNewest = collected <= at && at - collected <= gapMs(interval_seconds);
  if (isNewest && run.figure === 0) return { at: collected, reason: null };
  const due = (newest ?? Number.NEGATIVE_INFINITY) + LATE * interval_seconds * 1000;
  if (evidence === undefined || evidence < due || evidence > collected) return undefined;
  const reason = `Nothing was found in the ${spanText(LATE * interval_seconds)} before; sessions of the server were being sampled.`;
  return { at: evidence, reason };
}

function samplesPart(plan: Planned, stored: readonly Stored[], instant: Instant): MomentPart {
  // A packed hour holds older ones, too.
  const oldest = instant.at - gapMs(plan.interval_seconds);
  const samples = stored
    .flatMap((one) => one.samples)
    .filter((row) => wasRead(row) && row.at / 1000 <= instant.at && row.at / 1000 >= oldest);
  const last = greatest(samples.map(({ at }) => at));
  const newest = Number.isFinite(last) ? last / 1000 : undefined;
  const nothing = emptyAt(plan, newest, instant);
  if (nothing && (newest === undefined || (nothing.at ?? 0) > newest)) return { ...nothing, rows: [] };
  if (newest === undefined) return { at: null, reason: unknownBecause(plan, instant), rows: [] };
  const rows = samples
    .filter(({ at }) => at === last)
    .sort((a, b) => a.row_no - b.row_no)
    .map(({ cells }) =>
      Object.fromEntries(
        plan.columns.map((column, index) => [column.name, shown(column, cells[index] ?? null)]),
      ),
    );
  return { at: newest, reason: null, rows };
}

/** What each combination had at the newest tick: only that is taken apart. */
function stateOf(ticks: readonly TickRow[], columns: readonly Column[]): Map<number, Row> {
  const first = ticks.findLastIndex(({ whole }) => whole);
  const newest = new Map<number, { tick: TickRow; position: number }>();
  for (const tick of first === -1 ? [] : ticks.slice(first)) {
    for (const [position, id] of tick.ids.entries()) newest.set(id, { tick, position });
    for (const id of tick.gone ?? []) newest.delete(id);
  }
  return new Map(
    [...newest].map(([id, { tick, position }]) => {
      const cells = columns.map(
        (column, index) => [column.name, shown(column, tick.columns[index]?.[position] ?? null)] as const,
      );
      return [id, Object.fromEntries(cells)];
    }),
  );
}

async function sessionsPart(
  db: Db,
  plan: Planned,
  of: { stored: readonly Stored[]; connection_id: number; instant: Instant },
): Promise<MomentPart> {
  const { stored, connection_id, instant } = of;
  const ticks = stored.flatMap((one) => one.ticks).filter(({ at }) => at / 1000 <= instant.at);
  const newest = ticks.at(-1);
  const isFresh = newest !== undefined && instant.at - newest.at / 1000 <= gapMs(plan.interval_seconds);
  if (!isFresh) return { at: null, reason: unknownBecause(plan, instant), rows: [] };
  const state = stateOf(ticks, plan.columns);
  const ids = [...state.keys()];
  const names =
    ids.length === 0
      ? []
      : await db.rows<ObjectName>(
          objectNames({ kind: plan.layout.probe, connection_ids: [connection_id], ids }),
        );
  const rows = names.map(({ object_id, key }) => ({ ...key, ...state.get(object_id) }));
  return { at: newest.at / 1000, reason: null, rows };
}

const SESSIONS: ProbeOfMoment = {
  probe: sessionsProbe,
  columns: ['sessions', 'oldest_xact_seconds', 'oldest_query_seconds'],
  mayBeEmpty: true,
};

/** `at` and `now` in milliseconds since the epoch. */
export async function momentOf(
  db: Db,
  {
    connection_id,
    at,
    now,
    asked,
  }: { connection_id: number; at: number; now: number; asked: readonly ProbeOfMoment[] },
): Promise<Moment> {
  const all = [SESSIONS, ...asked];
  const rows = await db.rows<MomentPlanRow>(
    momentPlan(
      connection_id,
      all.map(({ probe }) => probe.name),
    ),
  );
  const plans = all.map((one) => planned(one, rows, at));
  const stored = await readAllStored(
    db,
    plans.map((plan) => readOf(plan, connection_id, at)),
  );
  const [first] = plans;
  if (!first) throw new Error('sessions are always asked for');
  const instant = { at, now, evidence: undefined };
  const sessions = await sessionsPart(db, first, { stored: stored[0] ?? [], connection_id, instant });
  const known = { ...instant, evidence: sessions.at ?? undefined };
  const parts = plans.map(
    (plan, index) => [plan.layout.probe, samplesPart(plan, stored[index] ?? [], known)] as const,
  );
  return { sessions, parts: new Map(parts.slice(1)) };
}

export interface FactsOfMoment {
  at: number | null;
  reason: string | null;
  items: { since: number; value: Row }[];
}

const MOST_FACTS = 1001;

/** Who the server was and its settings that differed from the default, by probe. One statement. */
export async function momentFactsOf(
  db: Db,
  { connection_id, at }: { connection_id: number; at: number },
): Promise<(probe: 'pg_server_info' | 'pg_settings') => FactsOfMoment> {
  const rows = await db.rows<MomentFact>(momentFacts({ connection_id, at, most: MOST_FACTS }));
  return (probe) => {
    const own = rows.filter((row) => row.probe === probe);
    const first = own.find(({ part }) => part === 'first')?.at ?? null;
    const run = own.find(({ part }) => part === 'run');
    if (first === null)
      return {
        at: null,
        reason: run?.reason ?? 'Nothing has been collected of it on this server.',
        items: [],
      };
    if (first > at)
      return {
        at: null,
        reason: `It was read for the first time at ${shownTime(first)}, after this instant.`,
        items: [],
      };
    const items = own.flatMap((row) =>
      row.part === 'item' && row.value !== null ? [{ since: row.at ?? first, value: row.value }] : [],
    );
    return { at: Math.min(at, run?.at ?? at), reason: null, items };
  };
}
