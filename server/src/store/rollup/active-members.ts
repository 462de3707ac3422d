// Who the sessions of a span were: the largest by each split, and how they are written down in a rollup. Pure. Guards: the
// same weights always give the same text; what is not told apart is never lost, it is what the whole has beyond these.
import { elementsOf } from '../format/rows.ts';
import { MEMBER_COLUMNS, MEMBERS_KEPT } from '../layout/tiers.ts';
import { type NamedSplit, type NameRow, SPLITS, type Split } from './active-sessions.queries.ts';

/** A combination of sessions as it is called by each split. */
interface MemberNames {
  is_rest: boolean;
  names: ReadonlyMap<Split, string | null>;
}

export type Names = ReadonlyMap<number, MemberNames>;

export function namesOf(row: NameRow): Names {
  const listed = (text: string | null) => elementsOf(text ?? '{}');
  const lists = SPLITS.map((split) => [split, listed(row[split])] as const);
  const rests = listed(row.rests);
  return new Map(
    listed(row.ids).map((id, index) => [
      Number(id),
      {
        is_rest: rests[index] === 't',
        names: new Map(lists.map(([split, list]) => [split, list[index] ?? null])),
      },
    ]),
  );
}

/** One who is told apart in a span of a rollup. */
export interface SpanMember {
  /** Null: sessions without one. */
  name: string | null;
  /** Of statements. */
  database_name: string | null;
  /** Sessions × seconds. */
  seconds: number;
}

const textOf = (split: NamedSplit, members: readonly SpanMember[]) =>
  JSON.stringify(
    members.map(({ name, seconds, database_name }) =>
      split === 'statement' ? [name, seconds, database_name] : [name, seconds],
    ),
  );

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** The largest first. */
function largest(
  split: NamedSplit,
  weights: ReadonlyMap<number, number>,
  names: Names,
): readonly SpanMember[] {
  const members = new Map<string, SpanMember>();
  for (const [id, ms] of weights) {
    const own = names.get(id);
    if (!own || own.is_rest) continue;
    const name = own.names.get(split) ?? null;
    const database_name = split === 'statement' ? (own.names.get('database') ?? null) : null;
    const key = JSON.stringify([name, database_name]);
    const member = members.get(key) ?? { name, database_name, seconds: 0 };
    member.seconds += ms / 1000;
    members.set(key, member);
  }
  return [...members]
    .map(([key, { seconds, ...member }]) => ({ key, ...member, seconds: Math.round(seconds * 1000) / 1000 }))
    .filter(({ seconds }) => seconds > 0)
    .sort((a, b) => b.seconds - a.seconds || compare(a.key, b.key))
    .slice(0, MEMBERS_KEPT);
}

/** Of the weights of combinations (sessions × milliseconds) in a span. */
export function memberTexts(
  weights: ReadonlyMap<number, number>,
  names: Names,
): Readonly<Record<NamedSplit, string>> {
  const of = (split: NamedSplit) => textOf(split, largest(split, weights, names));
  return {
    wait_event: of('wait_event'),
    statement: of('statement'),
    user: of('user'),
    application: of('application'),
    client: of('client'),
    database: of('database'),
  };
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

/** Null: the rollup does not know them. */
export function membersOfText(text: string | null): readonly SpanMember[] | null {
  const told: unknown = text === null ? null : JSON.parse(text);
  if (!Array.isArray(told)) return null;
  return told.flatMap((one: unknown) =>
    Array.isArray(one)
      ? [{ name: textOrNull(one[0]), seconds: Number(one[1]), database_name: textOrNull(one[2]) }]
      : [],
  );
}

export const memberColumn = (split: Split): string | undefined =>
  split === 'wait_class' ? undefined : MEMBER_COLUMNS[split];
