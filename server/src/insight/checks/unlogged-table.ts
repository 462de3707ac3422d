// Tables whose rows are lost in a crash and are on no standby, because they are written without WAL. Guards: that is what they are made
// for, so it is a note; one that is empty, or not of people, is none.
import { shownCount, shownValue } from '../../kernel/shown-value.ts';
import type { Item } from './facts.ts';
import { isOfPeople, ofTable, TABLE_COLUMNS, tableName, tableOf } from './tables.ts';
import { defineCheck } from './types.ts';
import { qualified } from './units.ts';

/** As counted since, or as of the last analyze. */
const rowsOf = (item: Item) => Math.max(item.number('n_live_tup') ?? 0, item.number('reltuples') ?? 0);

export const check = defineCheck({
  name: 'unlogged_table',
  category: 'storage',
  title: 'Unlogged table',
  figureName: 'rows, live',
  meaning: 'A crash empties an unlogged table, and standbys have no rows of it.',
  advice: 'Convert it to a logged table, unless its rows can be recreated.',
  caution: 'The conversion rewrites and locks the table. Its writes then generate WAL.',
  source: 'sql-createtable.html#SQL-CREATETABLE-UNLOGGED',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [...TABLE_COLUMNS, 'relpersistence', 'table_size', 'n_live_tup', 'reltuples'],
  },
  judge: (facts) => ({
    found: facts.rows('pg_stat_all_tables').flatMap((item) => {
      if (item.text('relpersistence') !== 'u' || !isOfPeople(item)) return [];
      const [size, live] = [item.number('table_size') ?? 0, rowsOf(item)];
      if (size === 0 && live === 0) return [];
      return [
        {
          ...ofTable(item),
          severity: 'info' as const,
          message: `"${tableName(item)}" is unlogged, with ${shownCount(live, 'row')} in ${shownValue(size, 'bytes')}.`,
          figure: { value: live, unit: 'rows' as const },
          evidence: { rows: live, table_size: size, relpersistence: 'u' },
          remedy: `alter table ${qualified(item.text('schemaname'), item.text('relname'))} set logged;`,
        },
      ];
    }),
  }),
  // How many rows a crash would take.
  figureAfter: (facts, gone) => {
    const item = tableOf(facts, gone);
    return item && item.text('relpersistence') === 'u' ? rowsOf(item) : 0;
  },
});
