// B-tree indexes that are much larger than their entries need.
import { shownValue } from '../../kernel/shown-value.ts';
import { type Bloated, bloatedOf, isNotable, judgement, sizeOf } from './bloat.ts';
import type { Facts } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';
import { named, qualified } from './units.ts';

const MUCH_WASTED = 10 * 1024 ** 3;

/** That of an exclusion constraint is never rebuilt concurrently. */
const rebuilt = (index: string, isExclusion: boolean) =>
  isExclusion
    ? `-- This blocks writes of the table, and reads by the index.\nreindex index ${index};`
    : `reindex index concurrently ${index};`;

function foundOf(facts: Facts, bloated: Bloated): Problem {
  const { item, actual, needed } = bloated;
  const schema = item.text('schemaname');
  const index = item.text('indexrelname');
  return {
    database_name: item.database_name,
    object_name: named(schema, index),
    object_key: item.text('relid') ?? named(schema, index),
    severity: isNotable(facts, bloated, MUCH_WASTED) ? 'warning' : 'info',
    message: `Index "${named(schema, index)}" of "${named(schema, item.text('relname'))}" takes ${shownValue(actual, 'bytes')} (estimated need ${shownValue(needed, 'bytes')}).`,
    figure: { value: actual, unit: 'bytes', promised: needed },
    evidence: { actual_bytes: actual, needed_bytes: needed, row_count: item.number('row_count') },
    remedy: rebuilt(qualified(schema, index), item.flag('is_exclusion') === true),
  };
}

export const check = defineCheck({
  name: 'index_bloat',
  category: 'indexes',
  title: 'Index bloat',
  figureName: 'index size',
  meaning: 'Scans read almost empty pages, which waste cache and disk space.',
  advice: 'Rebuild the index.',
  caution:
    'The size is an estimate. Rebuilding needs disk space for the new index and waits for old transactions. An index with constant deletes grows again.',
  source: 'routine-reindex.html',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_bloat_estimate: [
      'relid',
      'kind',
      'schemaname',
      'relname',
      'indexrelname',
      'is_exclusion',
      'actual_bytes',
      'needed_bytes',
      'row_count',
    ],
  },
  judge: (facts) =>
    judgement(
      facts,
      'index',
      bloatedOf(facts, 'index').map((one) => foundOf(facts, one)),
    ),
  uses: { pg_database: ['datname', 'database_size_bytes'] },
  figureAfter: sizeOf,
});
