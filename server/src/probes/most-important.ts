// Which objects of very many are watched, where a database has more than a probe keeps: those that are among the first by any
// measure that matters, and not those that were made first. Guards: only a server that has more pays for that; what is left out is
// counted by the server over all of its rows, and said.
import { wholeNumber } from '../kernel/shown-value.ts';
import type { ProbeCaps } from './caps.ts';

/** As many objects as one reading keeps. */
export const MOST_OBJECTS = 10_000 satisfies ProbeCaps['maxRows'];

/** A column beside the declared ones, null but where a reading was cut, in one row or in all: how many there are, how many are watched, and what the rest holds. */
export const UNWATCHED = 'unwatched_';

/** What a probe says of the objects that it leaves out. */
export interface Unwatched {
  /** "tables". */
  readonly objects: string;
  /** By what those that are kept come first, in words. */
  readonly by: string;
  /** Totals of which the share of the rest is told, in words, in the order of `sums`. */
  readonly shares: readonly string[];
}

export interface Ranking {
  /** A `from` with all of them. */
  readonly from: string;
  /** Their object id. */
  readonly oid: string;
  /** What matters, more is more important; what is not above zero does not matter. */
  readonly measures: readonly string[];
}

/** `kept` in a statement: those that come first by one of the measures, as many of each as of another. */
export const keptOf = ({ from, oid, measures }: Ranking): string => `kept as materialized (
  select p.oid, p.place <= ${MOST_OBJECTS} as is_kept, ${measures.map((_, index) => `p.m${index}`).join(', ')}
  from (
    select
      s.*,
      pg_catalog.row_number() over (order by s.best nulls last, s.oid) as place
    from (
      select
        m.*,
        least(
          ${measures.map((_, index) => `case when m.m${index} > 0 then pg_catalog.row_number() over (order by m.m${index} desc nulls last, m.oid) end`).join(',\n          ')}
        ) as best
      from (
        select ${oid} as oid, ${measures.map((measure, index) => `(${measure})::float8 as m${index}`).join(', ')}
        from ${from}
      ) m
    ) s
  ) p
)`;

/** A condition: the object is one of those that are kept. */
export const isKept = (ranking: Ranking, oid = ranking.oid): string =>
  `${oid} in (select k.oid from kept k where k.is_kept)`;

/** The column UNWATCHED, with the shares of the rest in the first so many measures. */
export const unwatchedOf = (ranking: Ranking, shares: number, oid = ranking.oid): string => `case
    when ${oid} = (select pg_catalog.min(k.oid) from kept k where k.is_kept)
    then (
      select pg_catalog.json_build_array(
        pg_catalog.count(*),
        ${MOST_OBJECTS}${Array.from(
          { length: shares },
          (_, index) =>
            `,\n        pg_catalog.sum(k.m${index}) filter (where not k.is_kept) / nullif(pg_catalog.sum(k.m${index}), 0)`,
        ).join('')}
      )::text
      from kept k
    )
  end as ${UNWATCHED}`;

const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;

const percentOf = (share: number) => {
  const percent = 100 * share;
  return percent > 0 && percent < 0.1 ? 'less than 0.1 %' : `${Math.round(percent * 10) / 10} %`;
};

/** What a server said in UNWATCHED in a sentence; undefined: nothing that can be read. */
export function unwatchedWords({ objects, by, shares }: Unwatched, said: unknown): string | undefined {
  let parts: unknown;
  try {
    parts = typeof said === 'string' ? JSON.parse(said) : undefined;
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts)) return undefined;
  const [total, kept, ...found] = parts;
  if (!Number.isSafeInteger(total) || !Number.isSafeInteger(kept) || kept < 0 || total <= kept)
    return undefined;
  const held = shares.flatMap((words, index) => {
    const share: unknown = found[index];
    return isShare(share) ? [`${percentOf(share)} of ${words}`] : [];
  });
  const rest = held.length === 0 ? '' : ` They hold ${held.join(' and ')}.`;
  return `${wholeNumber(total - kept)} of ${wholeNumber(total)} ${objects} are not watched: the first ${wholeNumber(kept)} by ${by} are.${rest}`;
}
