// What the probes of extensions that count runs by plan have in common: counters of each plan, without the texts, which are fetched once for a
// plan that is not known yet. Guards: no database crowds out another; what is hidden from our role is one row that says so; a text that is
// longer than a plan that is kept, or that the extension cut, is not sent.
import { type Capabilities, type Column, defineProbe } from './types.ts';
import { counters, millisecondCounters } from './view-columns.ts';

const MOST = 1000;
/** Bytes of a plan. */
const LONGEST = 64 * 1024;
const HIDDEN = '<insufficient privilege>';
const TIME = { name: 'total_exec_time', type: 'double precision' } as const;

export interface PlanCounters<N extends string> {
  /** Of the extension too. */
  readonly name: N;
  /** What tells its plans apart, beside database, role, statement and plan. */
  readonly keys?: readonly Column[];
  /** Beside calls and time. */
  readonly columns: readonly Column[];
  /** Names of columns of the probe as expressions of the view `s`; what is not there is null. */
  readonly from: Readonly<Record<string, readonly string[]>>;
  /** Rows without texts, where the view has them; below the schema. */
  readonly rows: string;
  /** The text of a plan, of `s`, where it is all there; else null. */
  text(schema: string): string;
}

/** Its first expression all of whose columns are there. */
function expressionOf(
  { columns }: Capabilities,
  { name, type }: Pick<Column, 'name' | 'type'>,
  { view, from }: { view: string } & Pick<PlanCounters<string>, 'from'>,
): string {
  const found = (from[name] ?? [`s.${name}`]).find((one) =>
    [...one.matchAll(/\bs\.(\w+)/g)].every(([, column = '']) => columns.get(view)?.has(column)),
  );
  return `(${found ?? 'null'})::${type}`;
}

export function definePlanCounters<const N extends string>({
  name,
  keys = [],
  columns,
  from,
  rows,
  text,
}: PlanCounters<N>) {
  const view = `@${name}.${name}`;
  const schemaOf = ({ extensionSchemas }: Capabilities) => extensionSchemas.get(name) ?? 'public';
  const figures: readonly Column[] = [
    ...counters('count', [['calls', 'Times the plan was run.']]),
    ...millisecondCounters([['total_exec_time', 'Time of these runs.']]),
    ...columns,
  ];
  const ids: readonly Column[] = [
    { name: 'dbid', type: 'bigint', kind: 'key', description: 'Object id of the database.' },
    { name: 'userid', type: 'bigint', kind: 'key', description: 'Object id of the role.' },
    {
      name: 'queryid',
      type: 'text',
      kind: 'key',
      description: 'Of the statement, as pg_stat_statements has it.',
    },
    { name: 'planid', type: 'text', kind: 'key', description: 'Of the plan, as the extension has it.' },
    ...keys,
  ];
  const keyOf = (capabilities: Capabilities) =>
    ids
      .map((one) => expressionOf(capabilities, { ...one, type: 'text' }, { view, from }))
      .join(` || '/' || `);
  return defineProbe({
    name,
    description: `Runs of each plan as ${name} counts them; plans are kept once, with literals masked.`,
    level: 'D',
    intervalSeconds: 600,
    retentionDays: 7,
    keeps: 'snapshot',
    hidden: { without: 'pg_read_all_stats', column: 'visibility' },
    views: [view],
    requires: { relation: view, column: 'queryid' },
    serverWide: { databaseColumn: 'dbid' },
    columns: [
      ...ids,
      {
        name: 'visibility',
        type: 'text',
        kind: 'label',
        description: `What it is hidden by, if it is: ${HIDDEN}.`,
      },
      ...figures,
    ],
    caps: { maxRows: MOST, maxBytes: 2 * 1024 * 1024, maxText: 64 },
    sql: (capabilities) => {
      const of = (one: Pick<Column, 'name' | 'type'>) => expressionOf(capabilities, one, { view, from });
      return `select
${ids.map((one) => `  ${one.type === 'text' ? `coalesce(r.${one.name}, '')` : `r.${one.name}`} as ${one.name},`).join('\n')}
  case when r.planid is null then '${HIDDEN}' else '' end as visibility,
${figures.map((one) => `  case when r.planid is not null then r.${one.name} end as ${one.name}`).join(',\n')}
from (
  select
${[...ids, ...figures].map((one) => `    ${of(one)} as ${one.name},`).join('\n')}
    pg_catalog.row_number() over (
      partition by s.dbid, s.planid is null order by ${of(TIME)} desc, s.planid
    ) as place
  from ${schemaOf(capabilities)}.${rows} s
  join pg_catalog.pg_database d on d.oid = s.dbid and not d.datistemplate
) r
where case when r.planid is null then r.place = 1 else r.queryid is not null end
order by r.place, r.dbid`;
    },
    plans: (capabilities, wanted) => `select
  p.plan_key,
  case when pg_catalog.octet_length(p.plan_text) <= ${LONGEST} then p.plan_text end as plan_text
from (
  select ${keyOf(capabilities)} as plan_key, ${text(schemaOf(capabilities))} as plan_text
  from ${schemaOf(capabilities)}.${name} s
) p
where p.plan_key = any ('{${wanted.join(',')}}'::text[])
limit ${wanted.length}`,
  });
}
