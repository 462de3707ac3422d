// Average active sessions over a window: what a server's sessions did with their time, by class of wait or by whatever else
// tells them apart, from samples or from rollups (load-plan.ts). Three statements, also with a second window to compare
// with. Guards: a bucket nobody sampled is null, one in which nothing was active is zero; where rollups tell only the
// largest apart, what the others did is the rest and the answer says so.
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { least } from '../../kernel/lists.ts';
import type { Window } from '../../store/read/doors/buckets.ts';
import {
  type ClassSpan,
  type ClassTick,
  foldTicks,
  MEMBERS_KEPT,
  readStored,
  type SessionsBucket,
  type Split,
  type TickRow,
} from '../../store/read/doors/readings.ts';
import { type LoadPlanRow, readLoadPlan } from './active-sessions.queries.ts';
import { type Members, type MemberText, REST, readMembers, restOf, spentBy } from './load-members.ts';
import {
  type ActiveSessionsQuery,
  LOOK_BACK_MS,
  type LoadReading,
  planned,
  rolledUntil,
  SESSIONS_LAYOUT,
  storedReadOf,
} from './load-plan.ts';
import { foldSpans, type LoadPart, type SpansToFold } from './load-spans.ts';
import { type Processors, processorsOf } from './processors.ts';

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
  /** Some of what was read tells only the largest members apart: those told may have done more, counted in the rest. */
  is_cut: boolean;
  parts: LoadPart[];
}

export interface ActiveSessions {
  members: LoadMember[];
  /** That asked for, and the one that it is compared with. */
  windows: LoadWindow[];
  processors: Processors;
}

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
  const { idle_ms } = reading.holes;
  const since = rolledUntil(reading, window);
  if (since >= window.to) return [];
  const begin = since - LOOK_BACK_MS - 2 * idle_ms;
  const within = rows.filter(({ at }) => at >= begin * 1000 && at <= (window.to + idle_ms) * 1000);
  const first = within.findLastIndex(({ whole, at }) => whole && at <= since * 1000);
  return within.slice(Math.max(0, first)).map(tickOf);
}

const emptyBuckets = (buckets: number): SessionsBucket[] =>
  Array.from({ length: buckets }, () => ({ runs: 0, covered_ms: 0, classes: new Map() }));

/** What all sources tell, in all and by those who are told apart. */
interface Folded {
  window: Window;
  all: SessionsBucket[];
  named: SessionsBucket[];
  is_cut: boolean;
  parts: LoadPart[];
}

const copyOf = (buckets: readonly SessionsBucket[]): SessionsBucket[] =>
  buckets.map((bucket) => ({ ...bucket, classes: new Map(bucket.classes) }));

const foldOf = (reading: LoadReading, window: Window, ticks: readonly ClassTick[]): SpansToFold => ({
  tiers: reading.tiers.map(({ tier }) => tier),
  chosen: reading.chosen,
  until: rolledUntil(reading, window),
  window,
  first: least(ticks.map(({ at }) => at)),
});

/** The members of spans, and whether some span has more than it tells apart. */
function foldMembers(
  sampled: readonly SessionsBucket[],
  spans: readonly ClassSpan[],
  { asked, members }: { asked: SpansToFold; members: Members },
): Pick<Folded, 'named' | 'is_cut'> {
  const named = copyOf(sampled);
  const spent = spentBy(members.keyOf);
  let is_cut = false;
  const spentOf = (span: ClassSpan) => {
    is_cut ||= (span.members?.length ?? 0) >= MEMBERS_KEPT && restOf(span) > 0;
    return spent(span);
  };
  foldSpans(named, spans, { ...asked, spentOf });
  return { named, is_cut };
}

interface Folding {
  reading: LoadReading;
  asked: SpansToFold;
  ticks: readonly ClassTick[];
  spans: readonly ClassSpan[];
  members: Members;
}

function foldWindow({ reading, asked, ticks, spans, members }: Folding): Folded {
  const { interval_seconds, holes, split } = reading;
  const { window, until, first } = asked;
  const sampled =
    until < window.to
      ? foldTicks(ticks, members.keys, { grid: { ...window, clip: until }, holes })
      : emptyBuckets(window.buckets);
  const all = copyOf(sampled);
  const parts = foldSpans(all, spans, asked);
  const last = ticks.findLast(({ at }) => at > until);
  const begin = Math.max(until, first - holes.busy_ms);
  if (last && begin < window.to)
    parts.push({ tier: 'samples', seconds: interval_seconds, from: begin, to: Math.min(window.to, last.at) });
  const byMember = split !== 'wait_class' && foldMembers(sampled, spans, { asked, members });
  return { window, all, ...(byMember || { named: all, is_cut: false }), parts };
}

const sumOf = (numbers: Iterable<number>) => {
  let sum = 0;
  for (const one of numbers) sum += one;
  return sum;
};

/** `msOf`: sessions × milliseconds of a bucket. */
function valuesOf(buckets: readonly SessionsBucket[], msOf: (bucket: SessionsBucket) => number): LoadValues {
  const covered = sumOf(buckets.map(({ covered_ms }) => covered_ms));
  const ms = buckets.map(msOf);
  return {
    values: buckets.map(({ covered_ms }, n) => (covered_ms > 0 ? (ms[n] ?? 0) / covered_ms : null)),
    mean: covered > 0 ? sumOf(ms) / covered : null,
  };
}

const coverageOf = (buckets: readonly SessionsBucket[], { from, to }: Window) =>
  Math.min(1, sumOf(buckets.map(({ covered_ms }) => covered_ms)) / (to - from));

const byClass = (a: MemberText, b: MemberText) =>
  Number(b.key === 'CPU') - Number(a.key === 'CPU') || (a.key < b.key ? -1 : Number(a.key > b.key));

/** Classes of wait are known from rollups, too. */
function allMembers({ told }: Members, split: Split, folded: readonly Folded[]): MemberText[] {
  const none = { database_name: null, query_text: null };
  if (split !== 'wait_class') return [...told, { ...none, key: REST, name: null, is_rest: true }];
  const names = new Set(folded.flatMap(({ all }) => all.flatMap(({ classes }) => [...classes.keys()])));
  return [...names].map((name) => ({ ...none, key: name, name, is_rest: false })).sort(byClass);
}

const ofMember =
  (key: string) =>
  ({ classes }: SessionsBucket) =>
    classes.get(key) ?? 0;

export async function activeSessions(db: Db, query: ActiveSessionsQuery): Promise<ActiveSessions> {
  const { connection_id, from, to, buckets, split = 'wait_class' } = query;
  if (!(to > from) || buckets < 1) throw new Fault('bad_request', 'The window is empty.');
  const plan = { probe: SESSIONS_LAYOUT.probe, table: SESSIONS_LAYOUT.table.name, connection_id };
  const rows = await db.rows<LoadPlanRow>(readLoadPlan(plan));
  const reading = planned(rows, query);
  const [stored] = await readStored(db, storedReadOf(reading, connection_id));
  const spans = stored?.classes ?? [];
  const own = reading.windows.map((window) => {
    const ticks = ticksOf(stored?.ticks ?? [], reading, window);
    return { ticks, asked: foldOf(reading, window, ticks) };
  });
  const [first] = own;
  if (!first) throw new Error('a window was asked for');
  const ticks = own.map((one) => one.ticks);
  const members = await readMembers(db, query, { reading, ticks, spans, asked: first.asked });
  const folded = own.map((one) => foldWindow({ reading, ...one, spans, members }));
  const all = allMembers(members, split, folded).map(({ key, ...member }) => ({
    ...member,
    windows: folded.map(({ named }) => valuesOf(named, ofMember(key))),
  }));
  return {
    // Some were seen only just before.
    members: all.filter((member) => member.windows.some(({ mean }) => (mean ?? 0) > 0)),
    windows: folded.map(({ window, all, named, is_cut, parts }) => ({
      from: window.from,
      to: window.to,
      total: valuesOf(all, ({ classes }) => sumOf(classes.values())),
      coverage: coverageOf(all, window),
      members_coverage: coverageOf(named, window),
      is_cut,
      parts,
    })),
    processors: processorsOf(rows),
  };
}
