// Indexes that a failed build has left behind.
import { inertLine } from '../../kernel/inert-text.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import type { Item } from './facts.ts';
import { defineCheck } from './types.ts';
import { literal, named, qualified } from './units.ts';

/** Of one that "reindex concurrently" made and did not finish, or replaced and did not drop. */
const LEFT_BEHIND = /_cc(?:new|old)\d*$/;

/** Reindexing leaves the index of a partitioned table invalid for as long as one partition has none attached to it. */
const attached = (index: string, table: string) =>
  `-- It becomes valid when each partition has a valid index attached to it. Partitions without one:
select p.inhrelid::regclass as partition
from pg_inherits p
where p.inhparent = ${literal(table)}::regclass
  and not exists (
    select
    from pg_inherits a
    join pg_index x on x.indexrelid = a.inhrelid
    where a.inhparent = ${literal(index)}::regclass and x.indrelid = p.inhrelid and x.indisvalid
  );
-- Create the same index on each of them concurrently, then attach it:
-- alter index ${inertLine(index)} attach partition …;`;

function remedyOf(item: Item): string {
  const schema = item.text('schemaname');
  const name = item.text('indexrelname') ?? '';
  const index = qualified(schema, name);
  if (item.text('table_kind') === 'p') return attached(index, qualified(schema, item.text('relname')));
  if (LEFT_BEHIND.test(name))
    return `-- Reindex concurrently left it. The index that it was made for, or that replaced it, serves queries:\ndrop index concurrently ${index};`;
  return `-- Of a unique index this fails while rows are duplicates: remove these first, or drop index concurrently ${inertLine(index)}.\nreindex index concurrently ${index};`;
}

export const check = defineCheck({
  name: 'invalid_index',
  category: 'indexes',
  title: 'Invalid index',
  figureName: 'index size',
  meaning:
    'No query uses the index, yet every write maintains it. Usually a failed create index concurrently or reindex concurrently left it behind.',
  advice: 'Rebuild the index, or drop it.',
  caution: 'Rebuilding takes as long as the first build, and additional disk space.',
  source: 'sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY',
  proof: 'stated',
  reads: {
    pg_index_health: [
      'object_oid',
      'finding',
      'schemaname',
      'relname',
      'table_kind',
      'indexrelname',
      'index_size',
    ],
  },
  judge: (facts) => ({
    found: facts
      .rows('pg_index_health')
      .filter((item) => item.text('finding') === 'invalid')
      .map((item) => {
        const schema = item.text('schemaname');
        const index = item.text('indexrelname');
        const size = item.number('index_size');
        const takes = size === null ? '' : ` and takes ${shownValue(size, 'bytes')}`;
        return {
          database_name: item.database_name,
          object_name: named(schema, index),
          object_key: item.text('object_oid') ?? named(schema, index),
          severity: 'warning',
          message: `Index "${named(schema, index)}" of "${named(schema, item.text('relname'))}" is invalid${takes}.`,
          figure: size === null ? null : { value: size, unit: 'bytes' },
          evidence: { table: named(schema, item.text('relname')), index_size: size, is_valid: false },
          remedy: remedyOf(item),
        };
      }),
  }),
});
