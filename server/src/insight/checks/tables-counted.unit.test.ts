// Since when the counters of a table count: since 19 each table has a reset of its own.
import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { check as deadRows } from './dead-rows.ts';
import { Facts } from './facts.ts';
import { countedSinceOf } from './tables.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const iso = (at: number) => new Date(at).toISOString();

function facts(table: number | null, database: number | null): Facts {
  const reading = (row: Row) => [{ database_name: 'shop', collected_at: NOW, rows: [row] }];
  return new Facts({
    now: NOW,
    readings: new Map([
      ['pg_server_info', reading({ server_version_num: 190_000 })],
      [
        'pg_stat_database',
        reading({ datname: 'shop', stats_reset: database === null ? null : iso(database) }),
      ],
      [
        'pg_stat_all_tables',
        reading({
          ...{ relid: 16_400, schemaname: 'public', relname: 'orders', relkind: 'r' },
          ...{ n_dead_tup: 50_000, n_live_tup: 10_000, vacuum_threshold: 2050, autovacuum_enabled: true },
          stats_reset: table === null ? null : iso(table),
        }),
      ],
    ]),
  });
}

const since = (given: Facts) => given.rows('pg_stat_all_tables').map((item) => countedSinceOf(given, item));

it('is its own reset, or that of its database where that is later or alone', () => {
  const [early, late] = [NOW - 30 * DAY_MS, NOW - DAY_MS];
  expect(since(facts(late, early))).toEqual([late]);
  expect(since(facts(early, late))).toEqual([late]);
  expect(since(facts(null, early))).toEqual([early]);
  expect(since(facts(late, null))).toEqual([late]);
  expect(since(facts(null, null))).toEqual([null]);
});

it('a table that was reset lately is not called unvacuumed since the reset of its database', () => {
  const found = (table: number | null) => deadRows.judge(facts(table, NOW - 30 * DAY_MS)).found;
  expect(found(null)).toMatchObject([{ message: expect.stringContaining('30 days') }]);
  expect(found(NOW - 2 * HOUR_MS)).toMatchObject([{ message: expect.stringContaining('2 h') }]);
});
