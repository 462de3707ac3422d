// What a reader has to know before it reads, as one statement for as many probes as it reads: how far each tier is filled,
// which intervals were in force, and the objects that were asked for. All of it lies beside the samples, so none of it is
// joined with them.
import { identifier, join, type Sql, sql, timeOf } from '../../kernel/sql.ts';
import type { Value } from '../layout/types.ts';
import type { More } from './stored.queries.ts';

export interface PlanRow {
  /** Which of the plans that were asked, from 0. */
  plan: number;
  part: 'table' | 'tier' | 'interval' | 'kept' | 'added' | 'objects';
  /** Of a tier; of the table of samples, which is there once a collector was. */
  name: string | null;
  connection_id: number | null;
  /** Of objects: all those of one database. */
  object_ids: readonly number[] | null;
  database_name: string | null;
  /** Milliseconds since the epoch: until when a tier is filled, since when an interval is in force, when a connection was added. */
  at: number | null;
  interval_seconds: number | null;
  is_declared: boolean | null;
  /** For how long a tier is kept by whoever keeps it longest, in days; of `packed`, and of a connection that keeps less: samples. */
  kept_days: number | null;
  /** Of objects: what they have of each dimension that was asked for, in the order of their ids. */
  key: Readonly<Record<string, readonly Value[]>> | null;
}

/** Between names of which one has to have the value. */
export const EITHER = '|';

/** Values of keys and labels: one, or one of several. Of objects a name may be two with `|` between: either has it. */
export type Where = Readonly<Record<string, Value | readonly Value[]>>;

export interface ObjectsQuery {
  where: Where;
  /** Key and label columns that are wanted of them. */
  dimensions: readonly string[];
  /** Milliseconds since the epoch: objects that were there at some time after. */
  from: number;
}

const isList = (value: Value | readonly Value[]): value is readonly Value[] => Array.isArray(value);
export const listOf = (value: Value | readonly Value[]): readonly Value[] =>
  isList(value) ? value : [value];

function condition(name: string, wanted: Value | readonly Value[]): Sql {
  const values = listOf(wanted);
  const texts = values.flatMap((value) => (value === null ? [] : [String(value)]));
  const one = (column: string) => {
    const said = sql`coalesce(o.key ->> ${column}, o.labels ->> ${column})`;
    const orNull = texts.length < values.length ? sql`or ${said} is null` : sql``;
    return sql`${said} = any (${texts}::text[]) ${orNull}`;
  };
  return sql`and (${join(name.split(EITHER).map(one), sql` or `)})`;
}

/** How many entities of a kind a connection had since then, as far as the dictionary knows. */
export const entitiesKnown = ({
  connection,
  kind,
  from,
}: {
  connection: Sql;
  kind: Sql;
  from: number;
}): Sql => sql`(
  select count(*)::int
  from metrics.objects o
  where o.connection_id = ${connection} and o.kind = ${kind} and o.last_seen > ${timeOf(from)} - interval '2 days'
)`;

/** JSON's null is none: labels may tell what a key does not. */
const saidOf = (name: string) => sql`coalesce(nullif(o.key -> ${name}, 'null'), o.labels -> ${name})`;

/**
 * Lists, since of thousands of objects a row for each would cost more than all that is stored of them. `last_seen` may be a day older
 * than the truth.
 */
const objects = ({ probe, connection_ids, objects: wanted }: PlanQuery, plan: number) =>
  wanted
    ? sql`
  union all
  select
    ${plan}::integer, 'objects', null, o.connection_id, json_agg(o.object_id), o.database_name, null, null, null, null,
    json_build_object(${join(
      wanted.dimensions.map((name) => sql`${name}::text, json_agg(${saidOf(name)})`),
      sql`, `,
    )})
  from metrics.objects o
  where o.connection_id = any (${connection_ids}::integer[])
    and o.kind = ${probe}
    and o.last_seen > ${timeOf(wanted.from)} - interval '2 days'
    ${join(
      Object.entries(wanted.where).map(([name, values]) => condition(name, values)),
      sql` `,
    )}
  group by o.connection_id, o.database_name`
    : sql``;

export interface PlanQuery {
  probe: string;
  /** Of samples or ticks. */
  table: string;
  connection_ids: readonly number[];
  objects?: ObjectsQuery | undefined;
}

const planOf = (of: PlanQuery, plan: number): Sql => sql`
  /* store.plan_of_probe */
  select
    ${plan}::integer as plan, 'tier' as part, t.tier as name, null::integer as connection_id, null::json as object_ids,
    null::text as database_name, (extract(epoch from t.filled_until) * 1000)::double precision as at,
    null::double precision as interval_seconds, null::boolean as is_declared,
    coalesce(t.longest_retention_days, t.retention_days) as kept_days, null::json as key
  from matriarch.tier_tables t
  where t.probe = ${of.probe}
  union all
  select
    ${plan}::integer, 'interval', null, x.connection_id, null, null, (extract(epoch from x.since) * 1000)::double precision,
    x.interval_seconds, x.interval_seconds = p.default_interval_seconds, null, null
  from matriarch.interval_changes x
  join matriarch.probe_configs p on p.probe_name = x.probe
  where x.probe = ${of.probe} and x.connection_id = any (${of.connection_ids}::integer[])
  union all
  select ${plan}::integer, 'table', c.relname::text, null, null, null, null, null, null, null, null
  from pg_catalog.pg_class c
  where c.oid = pg_catalog.to_regclass(${`metrics.${of.table}`})
  union all
  select ${plan}::integer, 'added', null, c.id, null, null, extract(epoch from c.created_at) * 1000, null, null, null, null
  from matriarch.connections c
  where c.id = any (${of.connection_ids}::integer[]) and c.created_at > now() - interval '31 days'
  ${objects(of, plan)}`;

/** Connections that keep samples of a probe for a shorter time than others: nobody does where nothing is set. */
function keptShorter(wanted: readonly PlanQuery[]): Sql {
  const names = wanted.map(({ probe }) => probe);
  const connection_ids = [...new Set(wanted.flatMap((one) => one.connection_ids))];
  return sql`
  /* store.kept_shorter */
  select
    k.plan::integer, 'kept', null, e.connection_id, null, null, null, null, null, e.retention_days, null
  from unnest(${names}::text[]) with ordinality as n (probe, place)
  cross join lateral (select n.place - 1 as plan) k
  join matriarch.tier_tables t on t.probe = n.probe and t.tier = 'packed'
  join matriarch.effective_probe_settings e
    on e.probe_name = n.probe and e.connection_id = any (${connection_ids}::integer[])
  where e.retention_days < coalesce(t.longest_retention_days, t.retention_days)
    and exists (
      select 1
      from matriarch.probe_overrides o
      where o.probe_name = any (${names}::text[])
    )`;
}

/** At least one. */
export const readPlans = (wanted: readonly PlanQuery[]): Sql => sql`
  /* store.read_plan */
  ${join([...wanted.map(planOf), keptShorter(wanted)], sql` union all `)}`;

/** The same along with what is stored, as one text: of thousands of statements rows would cost more than what they say. */
export const plansAlong = (wanted: readonly PlanQuery[]): More => ({
  texts: [sql`t.texts`],
  rest: sql`
    from (
      select null::integer as connection_id, json_agg(to_json(p))::text as texts
      from (${readPlans(wanted)}) p
    ) t`,
});

export interface ObjectName {
  connection_id: number;
  object_id: number;
  database_name: string;
  key: Readonly<Record<string, unknown>>;
  labels: Readonly<Record<string, unknown>>;
}

/** `ids` of all connections together; whoever asks leaves out what it did not mean. */
export const objectNames = (of: {
  kind: string | readonly string[];
  connection_ids: readonly number[];
  ids?: readonly number[] | undefined;
}): Sql => sql`
  /* store.object_names */
  select o.connection_id, o.object_id, o.database_name, o.key, o.labels
  from metrics.objects o
  where o.connection_id = any (${of.connection_ids}::integer[])
    and ${typeof of.kind === 'string' ? sql`o.kind = ${of.kind}` : sql`o.kind = any (${of.kind}::text[])`}
    ${of.ids ? sql`and o.object_id = any (${of.ids}::integer[])` : sql``}`;

/**
 * Of each connection the ids of all objects and some of their names, column by column, each as JSON, in columns of the answer: the
 * driver takes an array apart letter by letter.
 */
export const namesByColumn = (of: {
  kind: string;
  connection_ids: readonly number[];
  names: readonly string[];
}): Sql => sql`
  /* store.names_by_column */
  select o.connection_id, json_agg(o.object_id)::text as t0,
    ${join(of.names.map((name, n) => sql`json_agg(coalesce(o.key -> ${name}, o.labels -> ${name}))::text as ${identifier(`t${n + 1}`)}`))}
  from metrics.objects o
  where o.connection_id = any (${of.connection_ids}::integer[]) and o.kind = ${of.kind}
  group by o.connection_id`;
