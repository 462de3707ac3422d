// Tables that only grow and that no vacuum visits, because vacuums for inserted rows are switched off.
import { wholeNumber } from '../../kernel/shown-value.ts';
import type { Item } from './facts.ts';
import { byReload } from './remedies.ts';
import { isOfPeople, isoOrNull, lastVacuumOf, ofTable, TABLE_COLUMNS, tableName, tableOf } from './tables.ts';
import { defineCheck, type Problem } from './types.ts';
import { qualified } from './units.ts';

const LEAST_INSERTED = 100_000;
/** As autovacuum_vacuum_insert_scale_factor is by default. */
const LEAST_SHARE = 0.2;
const NOTABLE_INSERTED = 100_000_000;

function foundOf(item: Item, isServerWide: boolean): Problem | [] {
  const inserted = item.number('n_ins_since_vacuum') ?? 0;
  const live = item.number('n_live_tup') ?? 0;
  if (inserted < LEAST_INSERTED || inserted < LEAST_SHARE * live) return [];
  const table = qualified(item.text('schemaname'), item.text('relname'));
  const setting = isServerWide
    ? byReload('autovacuum_vacuum_insert_threshold', '1000')
    : `alter table ${table} reset (autovacuum_vacuum_insert_threshold);`;
  return {
    ...ofTable(item),
    severity: inserted >= NOTABLE_INSERTED ? 'warning' : 'info',
    message: `${wholeNumber(inserted)} rows were inserted into "${tableName(item)}" since its last vacuum. autovacuum_vacuum_insert_threshold is -1.`,
    figure: { value: inserted, unit: 'rows' },
    evidence: {
      n_ins_since_vacuum: inserted,
      n_live_tup: live,
      last_vacuum: isoOrNull(lastVacuumOf(item)),
      autovacuum_vacuum_insert_threshold: -1,
    },
    remedy: `${setting}\nvacuum ${table};`,
  };
}

export const check = defineCheck({
  name: 'insert_vacuum_off',
  category: 'vacuum',
  title: 'Insert-triggered autovacuum disabled',
  figureName: 'inserted since vacuum',
  meaning: 'Index-only scans must visit the heap for these rows. All of them must be frozen at once later.',
  advice: 'Let autovacuum process tables after inserts, which is the default.',
  caution: 'The first vacuum of a large table reads and writes much of it.',
  source: 'runtime-config-autovacuum.html#GUC-AUTOVACUUM-VACUUM-INSERT-THRESHOLD',
  proof: 'stated',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [
      ...TABLE_COLUMNS,
      'n_ins_since_vacuum',
      'n_live_tup',
      'insert_vacuum_threshold',
      'autovacuum_enabled',
      'last_vacuum',
      'last_autovacuum',
    ],
    pg_settings: ['name', 'setting'],
  },
  judge: (facts) => {
    const isServerWide = (facts.settingNumber('autovacuum_vacuum_insert_threshold') ?? 0) < 0;
    return {
      found: facts
        .rows('pg_stat_all_tables')
        .filter(
          (item) =>
            isOfPeople(item) &&
            item.number('insert_vacuum_threshold') === null &&
            item.flag('autovacuum_enabled') === true,
        )
        .flatMap((item) => foundOf(item, isServerWide)),
    };
  },
  figureAfter: (facts, gone) => tableOf(facts, gone)?.number('n_ins_since_vacuum') ?? null,
});
