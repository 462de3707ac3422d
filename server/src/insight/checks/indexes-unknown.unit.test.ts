// What is unknown of indexes: it is no 0 in a sum, no use that never was, and no size.
import { expect, it } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { Facts } from './facts.ts';
import { check as manyIndexes } from './many-indexes.ts';
import { check as unusedIndex } from './unused-index.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const GB = 1024 ** 3;

interface Known {
  system?: string;
  days?: number;
  indexes?: readonly Row[];
  more?: Readonly<Record<string, Row>>;
}

function facts({ system = '7', days = 40, indexes, more = {} }: Known, members: readonly Facts[] = []) {
  const reading = (...rows: Row[]) => [{ database_name: 'shop', collected_at: NOW, rows }];
  const counted = { datname: 'shop', stats_reset: new Date(NOW - days * DAY_MS).toISOString() };
  return new Facts(
    {
      now: NOW,
      readings: new Map([
        ['pg_server_info', reading({ server_version_num: 180_000, system_identifier: system })],
        ['pg_stat_database', reading(counted)],
        ...(indexes ? [['pg_stat_all_indexes', reading(...indexes)] as const] : []),
        ...Object.entries(more).map(([probe, row]) => [probe, reading(row)] as const),
      ]),
    },
    members,
  );
}

const alone = {
  object_oid: '500',
  finding: 'unused',
  schemaname: 'public',
  relname: 'orders',
  indexrelname: 'a',
};
const HEALTH = { ...alone, foreign_key: null, table_size: GB, index_size: GB / 8, idx_scan: 0 };
const judged = (own: Known, members: readonly Facts[]) => {
  const { found, unknown = [] } = unusedIndex.judge(
    facts({ ...own, more: { pg_index_health: HEALTH } }, members),
  );
  return found.length > 0 ? 'unused' : unknown.length > 0 ? unknown.map(({ because }) => because) : 'used';
};
const unused = (...members: Facts[]) => judged({}, members);
const scanned = (idx_scan: number | null, more: Known = {}) =>
  facts({ indexes: [{ indexrelid: 500, idx_scan }], ...more });

it('an index is unused where every member that has it counted no scan for long enough', () => {
  expect(unused()).toBe('unused');
  expect(unused(scanned(0), scanned(0))).toBe('unused');
  expect(unused(scanned(0), scanned(3))).toBe('used');
  const because =
    'Index usage on 1 other member of the cluster is unknown, or counted for less than 35 days.';
  expect(unused(scanned(0), scanned(null))).toEqual([because]);
  expect(unused(scanned(0, { days: 3 }))).toEqual([because]);
  expect(unused(scanned(2, { days: 3 }), scanned(null))).toBe('used');
  expect(unused(facts({}))).toEqual([because]);
});

it('an index that was scanned since it was read as unused is used', () => {
  const indexes = (idx_scan: number | null) => [{ indexrelid: 500, idx_scan, first_seen: NOW - 40 * DAY_MS }];
  expect(judged({ indexes: indexes(517) }, [])).toBe('used');
  expect(judged({ indexes: indexes(0) }, [])).toBe('unused');
  expect(judged({ indexes: indexes(null) }, [])).toBe('unused');
});

it('an index that a member does not list is known to be missing there only by a whole list', () => {
  const listed = (count: number) =>
    facts({
      indexes: Array.from({ length: count }, (_none, at) => ({ indexrelid: 1000 + at, idx_scan: 9 })),
    });
  expect(unused(listed(5))).toBe('unused');
  expect(unused(listed(10_000))).not.toBe('unused');
  expect(unused(scanned(9, { system: '8' }))).toBe('unused');
});

it('sums of indexes with an unknown one say that they are the least', () => {
  const index = (at: number): Row => ({
    ...{ relid: 400, indexrelid: at, schemaname: 'public', indexrelname: `i${at}` },
    ...{ idx_scan: at === 0 ? 5000 : 0, index_size: GB, is_needed: false },
  });
  const judged = (of: Row, table_size: number | null) => {
    const indexes = Array.from({ length: 26 }, (_none, at) => ({ ...index(at), ...(at === 25 && of) }));
    const pg_stat_all_tables = {
      ...{ relid: 400, schemaname: 'public', relname: 'orders', relkind: 'r', table_size },
      ...{ n_tup_ins: 200_000, n_tup_upd: 0, n_tup_hot_upd: 0 },
    };
    return manyIndexes.judge(facts({ indexes, more: { pg_stat_all_tables } })).found[0];
  };
  expect(judged({}, GB)).toMatchObject({
    severity: 'warning',
    message: expect.stringContaining('of 26 GB in'),
  });
  expect(judged({ index_size: null }, null)).toMatchObject({
    ...{ severity: 'info', message: expect.stringContaining('of at least 25 GB in total') },
    evidence: { index_size: null, table_size: null, idx_scan: 5000 },
  });
  expect(judged({ idx_scan: null }, GB)).toMatchObject({
    ...{ figure: { promised: 2 }, evidence: { idx_scan: null } },
  });
});

it('an index is as old as it is known to be, and younger than the statistics where readings before did not have it', () => {
  const told = (made: number, others: number) => {
    const pg_index_health = { ...alone, foreign_key: null, table_size: GB, index_size: GB / 8, idx_scan: 0 };
    const first_seen = (days: number) => NOW - days * DAY_MS;
    const indexes = [
      { indexrelid: 500, idx_scan: 0, first_seen: first_seen(made) },
      { indexrelid: 501, idx_scan: 0, first_seen: first_seen(others) },
    ];
    const [found] = unusedIndex.judge(facts({ days: 400, indexes, more: { pg_index_health } })).found;
    return found?.message.replace(/^.*(no scans in \d+ days).*?( Its age.*)?$/, '$1$2');
  };
  expect(told(1, 100)).toBeUndefined();
  expect(told(60, 100)).toBe('no scans in 60 days');
  expect(told(100, 100)).toBe('no scans in 400 days');
  // It was there at the first look, a few days ago.
  expect(told(3, 3)).toBe('no scans in 400 days Its age is unknown.');
});
