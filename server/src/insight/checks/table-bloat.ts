// Tables that are much larger than their rows need.
import { shownValue } from '../../kernel/shown-value.ts';
import { type Bloated, bloatedOf, isNotable, judgement, sizeOf } from './bloat.ts';
import type { Facts } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';
import { named, qualified } from './units.ts';

const MUCH_WASTED = 50 * 1024 ** 3;

function foundOf(facts: Facts, bloated: Bloated): Problem {
  const { item, actual, needed } = bloated;
  const [schema, relname] = [item.text('schemaname'), item.text('relname')];
  return {
    database_name: item.database_name,
    object_name: named(schema, relname),
    object_key: item.text('relid') ?? named(schema, relname),
    severity: isNotable(facts, bloated, MUCH_WASTED) ? 'warning' : 'info',
    message: `The table ${named(schema, relname)} takes ${shownValue(actual, 'bytes')} without TOAST; by an estimate its rows need ${shownValue(needed, 'bytes')}.`,
    figure: { value: actual, unit: 'bytes', promised: needed },
    evidence: { actual_bytes: actual, needed_bytes: needed, row_count: item.number('row_count') },
    remedy: `-- Nobody can read or write the table meanwhile; pg_repack does the same beside normal work.\nvacuum (full, analyze) ${qualified(schema, relname)};`,
  };
}

export const check = defineCheck({
  name: 'table_bloat',
  category: 'vacuum',
  title: 'Table much larger than its rows',
  meaning: 'Reading the whole table reads pages that are nearly empty, and backups of the files carry them.',
  advice: 'Write the table anew, if it will not fill up again by itself.',
  caution:
    'It is an estimate. New rows will use the free room; where the table was emptied once and fills up again, nothing need be done. Writing it anew takes as much disk as its rows.',
  source: 'routine-vacuuming.html#VACUUM-FOR-SPACE-RECOVERY',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_bloat_estimate: [
      'relid',
      'kind',
      'schemaname',
      'relname',
      'actual_bytes',
      'needed_bytes',
      'row_count',
    ],
  },
  judge: (facts) =>
    judgement(
      facts,
      'table',
      bloatedOf(facts, 'table').map((one) => foundOf(facts, one)),
    ),
  uses: { pg_database: ['datname', 'database_size_bytes'] },
  figureAfter: sizeOf,
});
