// Whole probes read at once say what newest rows say, whatever way they are kept: names, counters that grew since, 64-bit integers,
// moments, lists, nulls; and what is gone is not there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { probe as settings } from '../../probes/pg-settings.ts';
import { probe as activity } from '../../probes/pg-stat-activity.ts';
import { probe as tables } from '../../probes/pg-stat-all-tables.ts';
import type { Probe } from '../../probes/types.ts';
import type { Row } from '../../store/layout/types.ts';
import { newest } from '../../store/read/newest.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { newestReadings } from './newest-readings.ts';

let store: Storing;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from date_trunc('minute', now())) * 1000)::bigint as now`,
  ));
});
afterAll(() => store.close());

/** A cell as text, in whichever of the two ways it came. */
const plain = (cell: unknown) =>
  cell instanceof Date
    ? cell.toISOString()
    : typeof cell === 'number' || typeof cell === 'bigint'
      ? String(cell)
      : cell;
/** Moments in the store have six places. */
const inMs = (cell: unknown) =>
  typeof cell === 'string' ? cell.replace(/(:\d\d\.\d{3})\d{3}Z$/, '$1Z') : plain(cell);

async function both(probe: Probe, columns: readonly string[], connection_ids: readonly number[]) {
  const { names, found } = await newestReadings(store.db, { probe, columns, connection_ids });
  const read = found.flatMap(({ connection_id, database_name, rows }) =>
    rows().map((cells) => ({
      connection_id,
      database_name,
      row: Object.fromEntries(columns.map((name) => [name, plain(cells[names.indexOf(name)])])),
    })),
  );
  const rows = await newest(store.db, { probe, columns, connection_ids });
  const expected = rows.map(({ connection_id, database_name, row }) => ({
    connection_id,
    database_name,
    row: Object.fromEntries(columns.map((name) => [name, inMs(row[name])])),
  }));
  const inOrder = <T>(all: readonly T[]) =>
    all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { read: inOrder(read), expected: inOrder(expected) };
}

async function history(probe: string, database_name: string, runs: readonly (readonly Row[])[]) {
  const connection_id = await store.leased();
  for (const [n, rows] of runs.entries())
    await collectedHistory(store.db, [
      {
        ...{ connection_id, probe, database_name, at: now - (runs.length - n) * MINUTE_MS, rows },
        ...(probe === 'pg_settings' && { history_by: ['name'] }),
      },
    ]);
  return connection_id;
}

describe('whole probes say what newest rows say', () => {
  it('of samples', async () => {
    const rows = [
      { pid: 1, usename: 'a "b"\n', backend_start: '2026-01-02T03:04:05.678Z', query_id: '9007199254740993' },
      { pid: 2, usename: null, backend_start: null, query_id: '-5' },
    ];
    const ids = [await history('pg_stat_activity', '', [rows]), await history('pg_stat_activity', '', [[]])];
    const columns = ['pid', 'usename', 'backend_start', 'query_id', 'wait_event'];
    const { read, expected } = await both(activity, columns, ids);
    expect(read).toEqual(expected);
    expect(read.map(({ row }) => row)).toContainEqual({ ...rows[0], pid: '1', wait_event: null });
  });

  it('of facts', async () => {
    const setting = (name: string, value: string | null, pending_restart = false) => ({
      ...{ name, setting: value, unit: null, pending_restart },
    });
    const id = await history('pg_settings', '', [
      [setting('fsync', 'on'), setting('work_mem', '4096')],
      [setting('fsync', 'off', true), setting('work_mem', '4096'), setting('port', null)],
    ]);
    const columns = ['name', 'setting', 'unit', 'pending_restart'];
    const { read, expected } = await both(settings, columns, [id]);
    expect(read).toEqual(expected);
    expect(read).toHaveLength(3);
    const named = async (keys: readonly string[], prefix: string) => {
      const items = { keys, prefix, flag: 'pending_restart' };
      const found = await newestReadings(store.db, {
        ...{ probe: settings, columns: ['name'], connection_ids: [id], items },
      });
      return found.found.flatMap(({ rows }) => rows()).flat();
    };
    expect(await named(['work_mem'], 'none_')).toEqual(['fsync', 'work_mem']);
    expect(await named([], 'po')).toEqual(['fsync', 'port']);
  });

  it('of objects', async () => {
    const table = (relid: number, seq_scan: number | string, last_analyze: string | null) => ({
      ...{
        relid,
        schemaname: 'public',
        relname: `t${relid}`,
        relkind: 'r',
        n_live_tup: relid,
        seq_scan,
        last_analyze,
      },
    });
    const at = '2026-01-02T03:04:05.678901Z';
    const id = await history('pg_stat_all_tables', 'shop', [
      [table(1, 10, null), table(2, '9007199254740993', at), table(3, 1, at)],
      [table(1, 15, at), table(2, '9007199254740995', at)],
    ]);
    const columns = ['relid', 'schemaname', 'relname', 'n_live_tup', 'seq_scan', 'last_analyze'];
    const { read, expected } = await both(tables, columns, [id]);
    expect(read).toEqual(expected);
    expect(read.map(({ row }) => [row.relname, row.seq_scan, row.last_analyze])).toEqual([
      ['t1', '15', '2026-01-02T03:04:05.678Z'],
      ['t2', '9007199254740995', '2026-01-02T03:04:05.678Z'],
    ]);
  });
});

it('says of objects when a reading had them first', async () => {
  const one = { schemaname: 'public', relname: 'a', n_tup_ins: 1 };
  const rows = [{ ...one, relid: '1' }];
  const id = await history('pg_stat_all_tables', 'shop', [rows, [...rows, { ...one, relid: '2' }]]);
  const query = { probe: tables, columns: ['relid', 'first_seen'], connection_ids: [id] };
  const { names, found } = await newestReadings(store.db, query);
  const seen = found.flatMap((all) => all.rows().map((cells) => names.map((_name, place) => cells[place])));
  expect(seen.map(([, relid, at]) => [String(relid), at]).toSorted()).toEqual([
    ['1', now - 2 * MINUTE_MS],
    ['2', now - MINUTE_MS],
  ]);
});
