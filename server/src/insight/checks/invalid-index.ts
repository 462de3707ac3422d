// Indexes that a failed build has left behind.
import { shownValue } from '../../kernel/shown-value.ts';
import { defineCheck } from './types.ts';
import { named, qualified } from './units.ts';

export const check = defineCheck({
  name: 'invalid_index',
  category: 'indexes',
  title: 'Invalid index',
  figureName: 'index size',
  meaning:
    'No query uses the index, yet every write maintains it. Usually a failed create index concurrently left it behind.',
  advice: 'Rebuild the index, or drop it.',
  caution: 'Rebuilding takes as long as the first build, and additional disk space.',
  source: 'sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY',
  proof: 'stated',
  reads: {
    pg_index_health: ['object_oid', 'finding', 'schemaname', 'relname', 'indexrelname', 'index_size'],
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
          remedy: `reindex index concurrently ${qualified(schema, index)};`,
        };
      }),
  }),
});
