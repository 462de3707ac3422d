// Large tables that only grow: rows are inserted day by day and hardly any deleted. Guards: it takes a week of statistics, since a
// load of one night is no growth; what is partitioned is dropped by partition and not told here.
import { shownValue } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { Facts, Item } from './facts.ts';
import { isOfPeople, ofTable, TABLE_COLUMNS, tableName } from './tables.ts';
import { defineCheck, type Problem, type Unknown } from './types.ts';
import { qualified } from './units.ts';

const GIB = 1024 ** 3;
const LEAST_BYTES = 10 * GIB;
const LEAST_DAYS = 7;
const MOST_DELETED_SHARE = 0.1;
/** It doubles within so many days, or grows by so much a day. */
const LEAST_DAILY = GIB;
const DOUBLES_WITHIN_DAYS = 60;
const NOTABLE_DAILY = 50 * GIB;

function judgeOne(facts: Facts, item: Item): { found?: Problem; unknown?: Unknown } {
  const size = item.number('table_size') ?? 0;
  if (size < LEAST_BYTES || item.text('relkind') !== 'r' || !isOfPeople(item)) return {};
  const [inserted, deleted] = [item.number('n_tup_ins') ?? 0, item.number('n_tup_del') ?? 0];
  // The rows that the size was measured with: those of now may be many times as many.
  const live = item.number('reltuples') ?? 0;
  const { database_name } = item;
  const since = facts.countedSince(database_name);
  const days = since === null ? 0 : (facts.now - since) / DAY_MS;
  if (since === null || days < LEAST_DAYS) {
    const because = `Growth of large tables needs ${LEAST_DAYS} days of statistics.`;
    return { unknown: { because, mend: null, database_name } };
  }
  if (live === 0 || deleted > MOST_DELETED_SHARE * inserted) return {};
  const rows = (inserted - deleted) / days;
  const daily = (rows * size) / live;
  if (daily < LEAST_DAILY && size / Math.max(daily, 1) > DOUBLES_WITHIN_DAYS) return {};
  const found: Problem = {
    ...ofTable(item),
    severity: daily >= NOTABLE_DAILY ? 'warning' : 'info',
    message: `"${tableName(item)}" (${shownValue(size, 'bytes')}) grows by ${shownValue(daily, 'bytes')} per day. Only ${shownValue((100 * deleted) / Math.max(inserted, 1), 'percent')} of inserted rows are deleted.`,
    figure: { value: daily, unit: 'bytes' },
    evidence: {
      table_size: size,
      n_tup_ins: inserted,
      n_tup_del: deleted,
      rows: live,
      rows_a_day: Math.round(rows),
    },
    remedy: [
      '-- Define the retention of the rows. With partitions by time, drop old partitions. Until then delete in small batches, for example:',
      "-- delete from … where id in (select id from … where created_at < now() - interval '1 year' limit 10000)",
      `select count(*) from ${qualified(item.text('schemaname'), item.text('relname'))} tablesample system (0.1);`,
    ].join('\n'),
    since,
  };
  return { found };
}

export const check = defineCheck({
  name: 'table_grows',
  category: 'vacuum',
  title: 'Unbounded table growth',
  figureName: 'growth per day',
  meaning: 'Its backups, vacuums and indexes take longer each week, until the disk is full.',
  advice: 'Define the retention of its rows, and partition it by time.',
  caution: 'If the data must be kept by law or contract, plan the disk for it.',
  source: 'ddl-partitioning.html',
  proof: 'measured',
  where: 'primary',
  reads: {
    pg_stat_all_tables: [
      ...TABLE_COLUMNS,
      'table_size',
      'reltuples',
      ...['n_live_tup', 'n_tup_ins', 'n_tup_del'],
    ],
    pg_stat_database: ['datname', 'stats_reset'],
  },
  judge: (facts) => {
    const judged = facts.rows('pg_stat_all_tables').map((item) => judgeOne(facts, item));
    const unknown = judged.flatMap((one) => one.unknown ?? []);
    return {
      found: judged.flatMap(({ found }) => found ?? []),
      unknown: [...new Map(unknown.map((one) => [one.database_name, one])).values()],
    };
  },
});
