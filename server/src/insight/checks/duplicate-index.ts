// Indexes that are the same as another one, or covered by a longer one.
import { shownValue } from '../../kernel/shown-value.ts';
import type { Item } from './facts.ts';
import { sizeWhenGone } from './index-gone.ts';
import { defineCheck, type Problem } from './types.ts';
import { named, qualified } from './units.ts';

const COVERED: Readonly<Record<string, string>> = {
  duplicate: 'is a duplicate of',
  overlapping: 'is covered by the longer index',
};

/** What is smaller than that is not worth an interruption. */
const NOTABLE_BYTES = 1024 ** 3;

function foundOf(item: Item): Problem {
  const schema = item.text('schemaname');
  const index = item.text('indexrelname');
  const table = named(schema, item.text('relname'));
  const other = item.text('covered_by') ?? '';
  const size = item.number('index_size') ?? 0;
  const words = COVERED[item.text('finding') ?? ''] ?? '';
  return {
    database_name: item.database_name,
    object_name: named(schema, index),
    object_key: item.text('object_oid') ?? named(schema, index),
    severity: size >= NOTABLE_BYTES ? 'warning' : 'info',
    message: `Index "${named(schema, index)}" of "${table}" ${words} "${other}" and takes ${shownValue(size, 'bytes')}.`,
    figure: { value: size, unit: 'bytes' },
    evidence: {
      table,
      columns: item.text('column_names'),
      covered_by: other,
      index_size: size,
      idx_scan: item.number('idx_scan'),
    },
    // Of a partitioned table it cannot be dropped concurrently.
    remedy: `drop index ${item.text('table_kind') === 'p' ? '' : 'concurrently '}${qualified(schema, index)};`,
  };
}

export const check = defineCheck({
  name: 'duplicate_index',
  category: 'indexes',
  title: 'Redundant index',
  figureName: 'index size',
  meaning: 'Every write maintains both indexes, and reads need only one of them.',
  advice: 'Drop the redundant index.',
  caution:
    'The covering index may be larger, so reads of one column may read slightly more. Extended statistics of expressions go with it.',
  source: 'indexes-multicolumn.html',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_index_health: [
      'object_oid',
      'finding',
      'schemaname',
      'relname',
      'indexrelname',
      'column_names',
      'covered_by',
      'table_kind',
      'index_size',
      'idx_scan',
    ],
  },
  uses: { pg_stat_all_indexes: ['indexrelid'] },
  judge: (facts) => ({
    found: facts
      .rows('pg_index_health')
      .filter((item) => Object.hasOwn(COVERED, item.text('finding') ?? ''))
      .map(foundOf),
  }),
  figureAfter: sizeWhenGone,
});
