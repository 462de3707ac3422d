// What the two logs of spock have in common: rows of the last 15 minutes of a table that grows without an index on its
// time, so the caps are tight. Guards: the table is read only in the schema that the extension spock is installed in,
// as pg_node_role does; a schema of that name alone is anybody's.
import { type Capabilities, type Column, defineProbe } from './types.ts';
import { viewColumns } from './view-columns.ts';

export interface SpockLog<N extends string> {
  readonly name: N;
  readonly description: string;
  /** Of the extension, without its schema. */
  readonly table: string;
  readonly columns: readonly Column[];
  /** The column that says when a row was written. */
  readonly at: string;
}

const schemaOf = ({ extensionSchemas }: Capabilities) => extensionSchemas.get('spock') ?? 'spock';

export function defineSpockLog<const N extends string>({
  name,
  description,
  table,
  columns,
  at,
}: SpockLog<N>) {
  const view = `@spock.${table}`;
  return defineProbe({
    name,
    description,
    level: 'D',
    intervalSeconds: 60,
    retentionDays: 7,
    keeps: 'samples',
    views: [view],
    requires: { relation: view },
    grants: ['usage on schema spock', `select on spock.${table}`],
    columns,
    metrics: [
      {
        name: 'recent_count',
        unit: 'count',
        description: 'Rows of the last 15 minutes.',
        combine: 'sum',
        worse: 'more',
        value: { kind: 'rows', where: [] },
      },
    ],
    caps: { maxRows: 1000, maxBytes: 16 * 1024 * 1024, maxText: 2048, timeoutMs: 5000 },
    sql: (capabilities) => `select
${viewColumns(capabilities, { view, alias: 's' }, columns)}
from ${schemaOf(capabilities)}.${table} s
where s.${at} > pg_catalog.clock_timestamp() - interval '15 minutes'
order by s.${at} desc`,
  });
}
