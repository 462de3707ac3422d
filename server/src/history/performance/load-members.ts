// Who the sessions of a window were: the largest of it by the split that was asked for, from samples and rollups together,
// and which of them each sampled combination and each member of a rollup is. One statement. Guards: they are ranked by what
// they did within the first window; whoever is not told apart is the rest.
import type { Db } from '../../kernel/db.ts';
import {
  type ClassSpan,
  type ClassTick,
  elementsOf,
  type SessionsBucket,
  type SpanMember,
  type Split,
  weighTicks,
} from '../../store/read/doors/readings.ts';
import { type MemberRow, sessionMembers } from './active-sessions.queries.ts';
import type { ActiveSessionsQuery, LoadReading } from './load-plan.ts';
import { foldSpans, type SpansToFold } from './load-spans.ts';

const MOST_MEMBERS = 10;
const MOST_CLASSES = 1000;
export const REST = 'rest';

export interface MemberText {
  key: string;
  name: string | null;
  database_name: string | null;
  query_text: string | null;
  is_rest: boolean;
}

export interface Members {
  told: MemberText[];
  /** Keys of those that are told, or of the rest, by combination. */
  keys: ReadonlyMap<number, string>;
  /** The same of a member of a rollup. */
  keyOf(member: Pick<SpanMember, 'name' | 'database_name'>): string;
}

const nameKey = ({ name, database_name }: Pick<SpanMember, 'name' | 'database_name'>) =>
  JSON.stringify([name, database_name]);

function membersOf(rows: readonly MemberRow[], split: Split): Members {
  const keys = new Map<number, string>();
  const names = new Map<string, string>();
  const told: MemberText[] = [];
  for (const { place, name, database_name, query_text, ids } of rows) {
    const own = split === 'wait_class' ? (name ?? REST) : String(place);
    const key = place === null ? REST : own;
    for (const id of elementsOf(ids)) keys.set(Number(id), key);
    if (place === null) continue;
    names.set(nameKey({ name, database_name }), key);
    told.push({ key, name, database_name, query_text, is_rest: false });
  }
  return { told, keys, keyOf: (member) => names.get(nameKey(member)) ?? REST };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Sessions × seconds of those whom a span does not tell apart. */
export function restOf({ members, spent }: ClassSpan): number {
  if (!members) return 0;
  const rest = sum(spent.map(([, seconds]) => seconds)) - sum(members.map(({ seconds }) => seconds));
  // What is less was lost in rounding.
  return rest > 0.001 * (members.length + spent.length) ? rest : 0;
}

/** What a span spent, by those told; null: nobody knows who they were. */
export function spentBy(keyOf: Members['keyOf']): NonNullable<SpansToFold['spentOf']> {
  return (span) =>
    span.members && [
      ...span.members.map((one) => [keyOf(one), one.seconds] as const),
      [REST, restOf(span)] as const,
    ];
}

/** Members of rollups by name, and their sessions × milliseconds in the first window. */
function rolledOf(spans: readonly ClassSpan[], asked: SpansToFold) {
  const named = new Map<string, SpanMember>();
  for (const { members } of spans) for (const one of members ?? []) named.set(nameKey(one), one);
  const whole: SessionsBucket = { runs: 0, covered_ms: 0, classes: new Map() };
  foldSpans([whole], spans, {
    ...asked,
    window: { ...asked.window, buckets: 1 },
    spentOf: ({ members }) => members?.map((one) => [nameKey(one), one.seconds] as const) ?? null,
  });
  return [...named].map(([key, one]) => ({ ...one, weight: whole.classes.get(key) ?? 0 }));
}

export interface MembersRead {
  reading: LoadReading;
  /** By window. */
  ticks: readonly (readonly ClassTick[])[];
  /** Of all windows. */
  spans: readonly ClassSpan[];
  /** What is asked of them for the first window. */
  asked: SpansToFold;
}

export async function readMembers(
  db: Db,
  query: ActiveSessionsQuery,
  { reading, ticks, spans, asked }: MembersRead,
): Promise<Members> {
  const { split = 'wait_class', connection_id } = query;
  const seen = new Set<number>();
  for (const own of ticks) for (const tick of own) for (const id of tick.ids) seen.add(id);
  const rolled = split === 'wait_class' ? [] : rolledOf(spans, asked);
  if (seen.size === 0 && rolled.length === 0) return membersOf([], split);
  const ids = [...seen];
  const window = { from: Math.max(query.from, asked.until), to: query.to };
  const weights = split === 'wait_class' ? undefined : weighTicks(ticks[0] ?? [], window, reading.holes);
  const most = split === 'wait_class' ? MOST_CLASSES : MOST_MEMBERS;
  const wanted = {
    connection_id,
    split,
    ids,
    weights: ids.map((id) => weights?.get(id) ?? 0),
    rolled,
    most,
  };
  return membersOf(await db.rows<MemberRow>(sessionMembers(wanted)), split);
}
