// Tables that are much larger than their rows need.
import { shownValue } from '../../kernel/shown-value.ts';
import { type Bloated, bloatedOf, isNotable, judgement, sizeOf } from './bloat.ts';
import type { Facts } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';
import { named, qualified } from './units.ts';

const MUCH_WASTED = 50 * 1024 ** 3;

const FIRST_WITH_REPACK = 190_000;

/** From 19 on the table is written anew while it is read and written. */
const remedyOf = (facts: Facts, table: string) =>
  facts.versionNum >= FIRST_WITH_REPACK
    ? `-- Reads and writes go on. It needs a primary key or another replica identity: without, leave out concurrently, which blocks both.\nrepack (concurrently, analyze) ${table};`
    : `-- This blocks reads and writes of the table; pg_repack does the same online.\nvacuum (full, analyze) ${table};`;

function foundOf(facts: Facts, bloated: Bloated): Problem {
  const { item, actual, needed } = bloated;
  const [schema, relname] = [item.text('schemaname'), item.text('relname')];
  return {
    database_name: item.database_name,
    object_name: named(schema, relname),
    object_key: item.text('relid') ?? named(schema, relname),
    severity: isNotable(facts, bloated, MUCH_WASTED) ? 'warning' : 'info',
    message: `Table "${named(schema, relname)}" takes ${shownValue(actual, 'bytes')} without TOAST (estimated need ${shownValue(needed, 'bytes')}).`,
    figure: { value: actual, unit: 'bytes', promised: needed },
    evidence: { actual_bytes: actual, needed_bytes: needed, row_count: item.number('row_count') },
    remedy: remedyOf(facts, qualified(schema, relname)),
  };
}

export const check = defineCheck({
  name: 'table_bloat',
  category: 'vacuum',
  title: 'Table bloat',
  figureName: 'table size',
  meaning: 'Sequential scans read almost empty pages, and file backups contain them.',
  advice: 'Rewrite the table if it will not refill.',
  caution:
    'The size is an estimate. New rows reuse the free space, so a table that refills needs no action. The rewrite needs disk space for all rows.',
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
