// What objects grew in the last hour, added up where it is stored: of each database how many are above a ratio, and those that
// have a share of all of it. Guards: an increase counts with the part of its time that lies in the hour, and one over a time
// that the gap rule calls a gap does not count; each database is added up by itself and joins nothing else.
import { identifier, join, type Sql, sql, timeOf } from '../../kernel/sql.ts';
import type { IncreaseRatio } from '../../probes/metric-types.ts';
import { storedName, type TableLayout, table } from '../layout/table-layout.ts';

export interface GrownRead {
  layout: TableLayout;
  /** Its counters are added up. */
  ratio: Pick<IncreaseRatio, 'of' | 'to'>;
  /** Objects above each of these are counted. */
  above: readonly { ratio: IncreaseRatio; above: number }[];
  /** Objects with that many percent of what the ratio is of in their database are listed; undefined: none. */
  share: number | undefined;
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  /** Connections by how long an increase may take, in seconds. */
  paces: readonly { connection_ids: readonly number[]; gap_seconds: number }[];
}

export interface GrownRow {
  connection_id: number;
  database_name: string;
  /** Of the newest increase, in milliseconds since the epoch. */
  at: number;
  /** What the ratio is of, of all objects together. */
  whole: number;
  /** In the order asked. */
  above: number[];
  /** Each with the increases of the columns of the ratio, in their order. */
  large: [object_id: number, ...increases: number[]][];
}

const namesOf = ({ ratio }: GrownRead) => [...new Set([...ratio.of, ...ratio.to])];

/** Of these columns together, each of which has its increase under its place. */
const added = (read: GrownRead, columns: readonly string[]) =>
  join(
    columns.map((name) => sql`o.${identifier(`c${namesOf(read).indexOf(name)}`)}`),
    sql` + `,
  );

function isAbove(read: GrownRead, { ratio, above }: GrownRead['above'][number]): Sql {
  const [of, to] = [added(read, ratio.of), added(read, ratio.to)];
  return sql`count(*) filter (
    where (${to}) > 0 and (${to}) >= ${ratio.least ?? 0}::double precision
      and ${ratio.scale}::double precision * (${of}) > ${above}::double precision * (${to})
  )`;
}

function large(read: GrownRead): Sql {
  if (read.share === undefined) return sql`null::json`;
  const { ratio, share } = read;
  const values = [...ratio.of, ...ratio.to].map((name) => added(read, [name]));
  const [of, to] = [added(read, ratio.of), added(read, ratio.to)];
  return sql`json_agg(json_build_array(o.id, ${join(values)})) filter (
    where (${of}) > 0 and (${to}) > 0 and (${of}) * 100 >= ${share}::double precision * o.whole
  )`;
}

const wholeOf = (read: GrownRead) => {
  const of = added(read, read.ratio.of);
  return sql`sum(${of}) over () as whole`;
};

function ofPace(read: GrownRead, { connection_ids, gap_seconds }: GrownRead['paces'][number]): Sql {
  const name = table(read.layout.table.name);
  const names = namesOf(read);
  const [from, to] = [timeOf(read.from), timeOf(read.to)];
  const counts = sql`
    t.collected_at > ${from}
    and t.collected_at < ${to} + make_interval(secs => ${gap_seconds}::double precision)
    and t.since < least(${to}, t.collected_at)
    and not t.keyframe
    and t.collected_at - t.since <= make_interval(secs => ${gap_seconds}::double precision)`;
  const part = sql`
    date_part('epoch', least(t.collected_at, ${to}) - greatest(t.since, ${from}))
    / date_part('epoch', t.collected_at - t.since)`;
  const sums = names.map(
    (_name, n) => sql`coalesce(sum(u.${identifier(`v${n}`)} * u.part), 0) as ${identifier(`c${n}`)}`,
  );
  const arrays = names.map((name) => sql`t.${identifier(storedName(name))}`);
  const values = names.map(
    (name, n) => sql`unnest(p.${identifier(storedName(name))}) as ${identifier(`v${n}`)}`,
  );
  return sql`
  /* store.grown_at_a_pace */
  select r.connection_id, r.database_name, r.at, coalesce(g.whole, 0) as whole, g.above, coalesce(g.large, '[]') as large
  from (
    select
      t.connection_id, t.database_name, (date_part('epoch', max(t.collected_at)) * 1000) as at
    from ${name} t
    where t.connection_id = any (${connection_ids}::integer[]) and ${counts}
    group by t.connection_id, t.database_name
  ) r
  cross join lateral (
    select
      array[${join(read.above.map((one) => isAbove(read, one)))}]::integer[] as above,
      max(o.whole) as whole,
      ${large(read)} as large
    from (
      select o.*, ${wholeOf(read)}
      from (
        select u.id, ${join(sums)}
        from (
          select p.part, unnest(p.object_ids) as id, ${join(values)}
          from (
            select ${part} as part, t.object_ids, ${join(arrays)}
            from ${name} t
            where t.connection_id = r.connection_id and t.database_name = r.database_name and ${counts}
            -- The part is computed once, not once for each object.
            offset 0
          ) p
        ) u
        group by u.id
      ) o
    ) o
  ) g`;
}

/** Databases of which an increase is known. */
export const grownInHour = (read: GrownRead): Sql => sql`
  /* store.grown_in_hour */
  ${join(
    read.paces.map((pace) => ofPace(read, pace)),
    sql` union all `,
  )}`;
