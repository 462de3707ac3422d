// Rolling up active sessions: what each combination is called by each split, and the spans by class, with the largest
// members; and what is read of these spans beside samples.
import { identifier, join, type Sql, sql, timeOf } from '../../kernel/sql.ts';
import { probe as sessions } from '../../probes/pg-active-sessions.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { MEMBER_COLUMNS, rollupName, TIERS, type Tier } from '../layout/tiers.ts';

/** By what active sessions are split. */
export const SPLITS = [
  'wait_class',
  'wait_event',
  'statement',
  'user',
  'application',
  'client',
  'database',
] as const;
export type Split = (typeof SPLITS)[number];
/** All but the class of wait. */
export type NamedSplit = keyof typeof MEMBER_COLUMNS;

const word = (name: string) => sql`o.key ->> ${name}`;

/** Of a combination `o`; `CPU`: on the processor, or ready for it. */
export const NAMES: Record<Split, Sql> = {
  wait_class: sql`coalesce(o.key ->> 'wait_event_type', 'CPU')`,
  wait_event: sql`coalesce(o.key ->> 'wait_event_type' || coalesce(':' || (o.key ->> 'wait_event'), ''), 'CPU')`,
  statement: word('query_id'),
  user: word('usename'),
  application: word('application_name'),
  client: word('client_addr'),
  database: word('datname'),
};

/** Whether it is a sum of small combinations, which has a class of wait and nothing else. */
export const IS_REST = sql`coalesce((o.key ->> 'is_rest')::boolean, false)`;

/** Lists of the same length as texts: what stands at one place is of one combination. Null: there is none. */
export type NameRow = { ids: string | null; rests: string | null } & { [split in Split]: string | null };

/** What these combinations are called; those that are not active are left out. */
export const sessionNames = (connectionId: number, ids: readonly number[]): Sql => sql`
  /* store.session_names */
  select
    array_agg(o.object_id)::text as ids,
    array_agg(${IS_REST})::text as rests,
    ${join(
      SPLITS.map((split) => sql`array_agg(${NAMES[split]})::text as ${identifier(split)}`),
      sql`, `,
    )}
  from metrics.objects o
  where o.connection_id = ${connectionId}
    and o.object_id = any (${ids}::integer[])
    and o.kind = 'pg_active_sessions'
    and o.key ->> 'state' = 'active'`;

export interface ClassSpan {
  /** Milliseconds since the epoch at which it begins. */
  at: number;
  runs: number;
  covered_seconds: number;
  wait_classes: string[];
  /** Sessions × seconds, by class. */
  session_seconds: number[];
  /** The largest members by each split, as text; none in tiers that do not know them. */
  members: Readonly<Record<NamedSplit, string>> | undefined;
}

const NAMED = Object.entries(MEMBER_COLUMNS);

/** `knowsMembers`: the table has columns for them. */
export function putClassSpans(
  table: string,
  connectionId: number,
  { spans, knowsMembers }: { spans: readonly ClassSpan[]; knowsMembers: boolean },
): Sql {
  const columns = knowsMembers ? NAMED.map(([, column]) => sql`, ${identifier(column)}`) : [];
  const values = knowsMembers ? NAMED.map(([, column]) => sql`, i.${identifier(column)}`) : [];
  const texts = (split: string) =>
    spans.map(({ members }) => Object.entries(members ?? {}).find(([name]) => name === split)?.[1] ?? null);
  const inputs = knowsMembers ? NAMED.map(([split]) => sql`, ${texts(split)}::text[]`) : [];
  return sql`
    /* store.put_class_spans */
    insert into metrics.${identifier(table)} (
      connection_id, database_name, collected_at, runs, covered_seconds, wait_classes, session_seconds
      ${join(columns, sql``)}
    )
    select
      ${connectionId}::integer, '', i.collected_at, i.runs, i.covered_seconds,
      array(select jsonb_array_elements_text(i.spent -> 0)),
      array(select e::double precision from jsonb_array_elements_text(i.spent -> 1) e)
      ${join(values, sql``)}
    from unnest(
      ${spans.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
      ${spans.map(({ runs }) => runs)}::integer[],
      ${spans.map(({ covered_seconds }) => covered_seconds)}::double precision[],
      ${spans.map(({ wait_classes, session_seconds }) => JSON.stringify([wait_classes, session_seconds]))}::jsonb[]
      ${join(inputs, sql``)}
    ) as i (collected_at, runs, covered_seconds, spent${join(columns, sql``)})`;
}

/** A part of a statement that reads them beside samples. */
interface SessionsPart {
  texts: Sql[];
  rest: Sql;
}

const millis = (moment: Sql) => sql`(date_part('epoch', ${moment}) * 1000)::bigint::text`;
const among = (ids: readonly number[]) => sql`t.connection_id = any (${ids}::integer[])`;

function tableOf(name: Tier['name']): string {
  const layout = layoutOf(sessions);
  const tier = TIERS.find((one) => one.name === name);
  if (!layout || !tier) throw new Error('active sessions are rolled up');
  return rollupName(layout, tier);
}
/** Both are made together. */
export const HOURS = tableOf('h1');
const MINUTES = tableOf('m1');

/** Sessions × seconds of a span of a rollup by class. */
const SPENT = sql`cross join lateral (select coalesce(sum(u), 0) as spent from unnest(t.session_seconds) u) s`;

interface SessionsQuery {
  connection_ids: readonly number[];
  /** Milliseconds since the epoch, inclusive. */
  from: number;
}

/** 'hours', begins, covered seconds, sessions × seconds: three arrays. */
export const hoursOfSessions = ({ connection_ids, from }: SessionsQuery): SessionsPart => ({
  texts: [
    sql`'hours'`,
    sql`array_agg((date_part('epoch', t.collected_at) * 1000)::bigint)::text`,
    sql`array_agg(t.covered_seconds)::text`,
    sql`array_agg(s.spent)::text`,
  ],
  rest: sql`
    from metrics.${identifier(HOURS)} t
    ${SPENT}
    where ${among(connection_ids)} and t.collected_at >= ${timeOf(from)}
    group by t.connection_id`,
});

/** 'load', begin of the newest span, and of the five newest minutes covered seconds and sessions × seconds. */
export const newestSessions = ({ connection_ids, from }: SessionsQuery): SessionsPart => ({
  texts: [
    sql`'load'`,
    millis(sql`max(t.collected_at)`),
    sql`sum(t.covered_seconds)::text`,
    sql`sum(s.spent)::text`,
  ],
  rest: sql`
    from (
      select n.*, max(n.collected_at) over (partition by n.connection_id) as newest
      from metrics.${identifier(MINUTES)} n
      where n.connection_id = any (${connection_ids}::integer[]) and n.collected_at >= ${timeOf(from)}
    ) t
    ${SPENT}
    where t.collected_at > t.newest - interval '5 minutes'
    group by t.connection_id`,
});
