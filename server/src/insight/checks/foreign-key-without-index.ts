// Foreign keys without an index, where it costs: each deleted row of the referenced table reads the whole referring table.
import { shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import type { Facts, Item } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';
import { named, qualified, quoted } from './units.ts';

const LEAST_BYTES = 1024 ** 2;
const NOTABLE_BYTES = 100 * 1024 ** 2;
const NOTABLE_DELETED = 1000;
/** So large that one delete alone hurts: its foreign keys want an index, used or not. */
export const LARGE_BYTES = 1024 ** 3;

const place = (database: string, oid: string | null) => `${database}\n${oid}`;

function foundOf(facts: Facts, item: Item, deletedRows: ReadonlyMap<string, number>): Problem | [] {
  const size = item.number('table_size') ?? 0;
  const deleted = deletedRows.get(place(item.database_name, item.text('referenced_oid'))) ?? 0;
  if (size < LEAST_BYTES || (deleted === 0 && size < LARGE_BYTES)) return [];
  const [schema, relname] = [item.text('schemaname'), item.text('relname')];
  const columns = item.list('key_columns');
  if (columns.length === 0) return [];
  const table = named(schema, relname);
  const [constraint, referenced] = [item.text('constraint_name') ?? '', item.text('referenced_table')];
  // On a partitioned table it cannot be built concurrently.
  const how = item.text('table_kind') === 'p' ? 'create index' : 'create index concurrently';
  return {
    database_name: item.database_name,
    object_name: `${table} ${constraint}`,
    object_key: item.text('object_oid') ?? `${table}\n${constraint}`,
    severity: size >= NOTABLE_BYTES && deleted >= NOTABLE_DELETED ? 'warning' : 'info',
    message: `Foreign key "${constraint}" of "${table}" has no index. ${wholeNumber(deleted)} rows of "${referenced}" were deleted, each with a sequential scan of ${shownValue(size, 'bytes')}.`,
    figure: null,
    evidence: {
      table,
      columns: item.text('column_names'),
      table_size: size,
      referenced_table: referenced,
      referenced_n_tup_del: deleted,
    },
    remedy: `${how} on ${qualified(schema, relname)} (${columns.map(quoted).join(', ')});`,
    ...(facts.countedSince(item.database_name) !== null && {
      since: facts.countedSince(item.database_name) ?? 0,
    }),
  };
}

export const check = defineCheck({
  name: 'foreign_key_without_index',
  category: 'indexes',
  title: 'Foreign key without an index',
  meaning: 'Each delete or key update in the referenced table scans the whole referencing table.',
  advice: 'Create an index on the foreign key columns.',
  caution: 'The index takes disk space, and every write maintains it.',
  source: 'ddl-constraints.html#DDL-CONSTRAINTS-FK',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_index_health: [
      'object_oid',
      'finding',
      'schemaname',
      'relname',
      'constraint_name',
      'column_names',
      'key_columns',
      'table_kind',
      'table_size',
      'referenced_oid',
      'referenced_table',
    ],
    pg_stat_all_tables: ['relid', 'n_tup_del'],
  },
  judge: (facts) => {
    const missing = facts
      .rows('pg_index_health')
      .filter((item) => item.text('finding') === 'missing_fk_index');
    if (missing.length === 0) return { found: [] };
    const deleted = new Map(
      facts
        .rows('pg_stat_all_tables')
        .map((item) => [place(item.database_name, item.text('relid')), item.number('n_tup_del') ?? 0]),
    );
    return { found: missing.flatMap((item) => foundOf(facts, item, deleted)) };
  },
});
