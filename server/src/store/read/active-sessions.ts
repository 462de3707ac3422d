// Average active sessions over a window: what a server's sessions did with their time, by class of wait or by whatever else
// tells them apart, from samples while they are kept and are fine enough, else from rollups by class. Three statements,
// also with a second window to compare with. Guards: a bucket nobody sampled is null, one in which nothing was active is
// zero; of what rollups do not know (all but the class of wait) nothing is told.
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { least } from '../../kernel/lists.ts';
import { elementsOf, type TickRow } from '../format/rows.ts';
import { type Bucket, type ClassTick, foldTicks, weighTicks } from '../rollup/active-sessions-fold.ts';
import {
  type LoadPlanRow,
  type MemberRow,
  readLoadPlan,
  type Split,
  sessionMembers,
} from './active-sessions.queries.ts';
import { foldSpans, type LoadPart } from './class-spans.ts';
import {
  type ActiveSessionsQuery,
  LOOK_BACK_MS,
  type LoadReading,
  planned,
  rolledUntil,
  SESSIONS_LAYOUT,
  storedReadOf,
} from './load-plan.ts';
import type { Window } from './measure.ts';
import { type Processors, processorsOf } from './processors.ts';
import { readStored, type Stored } from './stored.ts';

export type { LoadPart };

export interface LoadValues {
  /** Null where nothing was sampled. */
  values: (number | null)[];
  /** Over the whole window, of what was sampled in it. */
  mean: number | null;
}

export interface LoadMember {
  /** Of a class of wait `CPU`: on the processor or ready for it. Null: sessions without one, and the rest. */
  name: string | null;
  database_name: string | null;
  query_text: string | null;
  is_rest: boolean;
  /** By window. */
  windows: LoadValues[];
}

export interface LoadWindow {
  from: number;
  to: number;
  /** All members together, of whatever was sampled. */
  total: LoadValues;
  /** Share of the window that is known, and that of it whose members are, 0 to 1. */
  coverage: number;
  members_coverage: number;
  parts: LoadPart[];
}

export interface ActiveSessions {
  members: LoadMember[];
  /** That asked for, and the one that it is compared with. */
  windows: LoadWindow[];
  processors: Processors;
}

const MOST_MEMBERS = 10;
const MOST_CLASSES = 1000;
const REST = 'rest';

const tickOf = ({ at, ids, gone, columns, keyframe, whole }: TickRow): ClassTick => ({
  at: at / 1000,
  keyframe,
  whole,
  ids,
  gone: gone ?? [],
  sessions: (columns[0] ?? []).map((cell) => (cell === null ? null : Number(cell))),
});

/** Ticks that can tell of a window, from the last one before it that holds everything. */
function ticksOf(rows: readonly TickRow[], reading: LoadReading, window: Window): ClassTick[] {
  const { calm_ms } = reading.holes;
  const since = rolledUntil(reading, window);
  if (since >= window.to) return [];
  const begin = since - LOOK_BACK_MS - 2 * calm_ms;
  const within = rows.filter(({ at }) => at >= begin * 1000 && at <= (window.to + calm_ms) * 1000);
  const first = within.findLastIndex(({ whole, at }) => whole && at <= since * 1000);
  return within.slice(Math.max(0, first)).map(tickOf);
}

interface Told extends Omit<LoadMember, 'windows'> {
  key: string;
}

function membersOf(rows: readonly MemberRow[], split: Split) {
  const keys = new Map<number, string>();
  const told: Told[] = [];
  for (const { place, name, database_name, query_text, ids } of rows) {
    const own = split === 'wait_class' ? (name ?? REST) : String(place);
    const key = place === null ? REST : own;
    for (const id of elementsOf(ids)) keys.set(Number(id), key);
    if (place !== null) told.push({ key, name, database_name, query_text, is_rest: false });
  }
  return { keys, told, hasRest: rows.some(({ place }) => place === null) };
}

const emptyBuckets = (buckets: number): Bucket[] =>
  Array.from({ length: buckets }, () => ({ runs: 0, covered_ms: 0, classes: new Map() }));

/** What samples tell, and what all sources together tell. */
interface Folded {
  window: Window;
  sampled: Bucket[];
  all: Bucket[];
  parts: LoadPart[];
}

function foldWindow(
  { ticks, classes }: Pick<Stored, 'classes'> & { ticks: readonly ClassTick[] },
  { reading, window, keys }: { reading: LoadReading; window: Window; keys: ReadonlyMap<number, string> },
): Folded {
  const { interval_seconds, chosen, tiers, holes } = reading;
  const since = rolledUntil(reading, window);
  const sampled =
    since < window.to
      ? foldTicks(ticks, keys, { grid: { ...window, clip: since }, holes })
      : emptyBuckets(window.buckets);
  const all = sampled.map((bucket) => ({ ...bucket, classes: new Map(bucket.classes) }));
  const first = least(ticks.map(({ at }) => at));
  const parts = foldSpans(all, classes, {
    tiers: tiers.map(({ tier }) => tier),
    chosen,
    until: since,
    window,
    first,
  });
  const last = ticks.findLast(({ at }) => at > since);
  const begin = Math.max(since, first - holes.busy_ms);
  if (last && begin < window.to)
    parts.push({ tier: 'samples', seconds: interval_seconds, from: begin, to: Math.min(window.to, last.at) });
  return { window, sampled, all, parts };
}

const sumOf = (numbers: Iterable<number>) => {
  let sum = 0;
  for (const one of numbers) sum += one;
  return sum;
};

/** `msOf`: sessions × milliseconds of a bucket. */
function valuesOf(buckets: readonly Bucket[], msOf: (bucket: Bucket) => number): LoadValues {
  const covered = sumOf(buckets.map(({ covered_ms }) => covered_ms));
  const ms = buckets.map(msOf);
  return {
    values: buckets.map(({ covered_ms }, n) => (covered_ms > 0 ? (ms[n] ?? 0) / covered_ms : null)),
    mean: covered > 0 ? sumOf(ms) / covered : null,
  };
}

const coverageOf = (buckets: readonly Bucket[], { from, to }: Window) =>
  Math.min(1, sumOf(buckets.map(({ covered_ms }) => covered_ms)) / (to - from));

const byClass = (a: Told, b: Told) =>
  Number(b.key === 'CPU') - Number(a.key === 'CPU') || (a.key < b.key ? -1 : Number(a.key > b.key));

/** Classes of wait are known from rollups, too. */
function allMembers(
  { told, hasRest }: ReturnType<typeof membersOf>,
  split: Split,
  folded: readonly Folded[],
): Told[] {
  const none = { database_name: null, query_text: null };
  if (split !== 'wait_class')
    return hasRest ? [...told, { ...none, key: REST, name: null, is_rest: true }] : told;
  const names = new Set(folded.flatMap(({ all }) => all.flatMap(({ classes }) => [...classes.keys()])));
  return [...names].map((name) => ({ ...none, key: name, name, is_rest: false })).sort(byClass);
}

async function readMembers(
  db: Db,
  query: ActiveSessionsQuery,
  of: { reading: LoadReading; ticks: readonly (readonly ClassTick[])[] },
) {
  const { split = 'wait_class', connection_id } = query;
  const { reading, ticks } = of;
  const seen = new Set<number>();
  for (const own of ticks) for (const tick of own) for (const id of tick.ids) seen.add(id);
  if (seen.size === 0) return membersOf([], split);
  const ids = [...seen];
  const weights = split === 'wait_class' ? undefined : weighTicks(ticks[0] ?? [], query, reading.holes);
  const most = split === 'wait_class' ? MOST_CLASSES : MOST_MEMBERS;
  const asked = { connection_id, split, ids, weights: ids.map((id) => weights?.get(id) ?? 0), most };
  return membersOf(await db.rows<MemberRow>(sessionMembers(asked)), split);
}

export async function activeSessions(db: Db, query: ActiveSessionsQuery): Promise<ActiveSessions> {
  const { connection_id, from, to, buckets, split = 'wait_class' } = query;
  if (!(to > from) || buckets < 1) throw new Fault('bad_request', 'The window is empty.');
  const asked = { probe: SESSIONS_LAYOUT.probe, table: SESSIONS_LAYOUT.table.name, connection_id };
  const rows = await db.rows<LoadPlanRow>(readLoadPlan(asked));
  const reading = planned(rows, query);
  const [stored] = await readStored(db, storedReadOf(reading, connection_id));
  const ticks = reading.windows.map((window) => ticksOf(stored?.ticks ?? [], reading, window));
  const members = await readMembers(db, query, { reading, ticks });
  const folded = reading.windows.map((window, n) =>
    foldWindow(
      { ticks: ticks[n] ?? [], classes: stored?.classes ?? [] },
      { reading, window, keys: members.keys },
    ),
  );
  const ofMember =
    (key: string) =>
    ({ classes }: Bucket) =>
      classes.get(key) ?? 0;
  const all = allMembers(members, split, folded).map(({ key, ...member }) => ({
    ...member,
    windows: folded.map((one) => valuesOf(split === 'wait_class' ? one.all : one.sampled, ofMember(key))),
  }));
  return {
    // Some were seen only just before.
    members: all.filter((member) => member.windows.some(({ mean }) => (mean ?? 0) > 0)),
    windows: folded.map(({ window, sampled, all, parts }) => ({
      from: window.from,
      to: window.to,
      total: valuesOf(all, ({ classes }) => sumOf(classes.values())),
      coverage: coverageOf(all, window),
      members_coverage: coverageOf(split === 'wait_class' ? all : sampled, window),
      parts,
    })),
    processors: processorsOf(rows),
  };
}
