// What is read for newest values of which few are wanted: rows that can say nothing stay in the datastore, and the hours
// before are read only where something is above its limit now.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { type Metric, metricOf } from '../../probes/metrics.ts';
import { probe as indexHealth } from '../../probes/pg-index-health.ts';
import { probe as tables } from '../../probes/pg-stat-all-tables.ts';
import type { Probe } from '../../probes/types.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { newestMetrics } from './newest-metrics.ts';

let store: Storing;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from date_trunc('minute', now())) * 1000)::bigint as now`,
  ));
});
afterAll(() => store.close());

function metricIn(probe: Probe, name: string): Metric {
  const found = metricOf(probe, name);
  if (!found) throw new Error(`there is no metric ${name}`);
  return found;
}

it('rows that meet no condition are left out where they are stored, but for connections whose zeros are wanted', async () => {
  const ids = [await store.leased(), await store.leased()];
  const rows = ['invalid', 'unused', 'duplicate'].map((finding, n) => ({ object_oid: n + 1, finding }));
  for (const connection_id of ids)
    await collectedHistory(store.db, [
      { connection_id, probe: 'pg_index_health', database_name: 'shop', at: now - MINUTE_MS, rows },
    ]);
  const read = async (zerosOf: number | undefined) => {
    const [values = []] = await newestMetrics(store.db, {
      ...{ probe: indexHealth, metrics: [metricIn(indexHealth, 'invalid')], connection_ids: ids, now },
      isWanted: (_metric, id, value) => value === 1 || id === zerosOf,
    });
    return ids.map((id) =>
      values.filter(({ connection_id }) => connection_id === id).map(({ value }) => value),
    );
  };
  expect(await read(undefined)).toEqual([[1], [1]]);
  expect(await read(ids[1])).toEqual([[1], [1, 0, 0]]);
});

it('the hours before are not read where nothing is above its limit', async () => {
  const [calm, above] = [await store.leased(), await store.leased()];
  const table = { relid: 1, schemaname: 'public', relname: 't', n_live_tup: 1000, vacuum_threshold: 50 };
  for (const [connection_id, n_dead_tup] of [
    [calm, 50],
    [above, 51],
  ] as const)
    for (const minutes of [10, 5])
      await collectedHistory(store.db, [
        {
          ...{ connection_id, probe: 'pg_stat_all_tables', database_name: 'shop' },
          ...{ at: now - minutes * MINUTE_MS, rows: [{ ...table, n_dead_tup }] },
        },
      ]);
  const metrics = [metricIn(tables, 'table_bloat_ratio'), metricIn(tables, 'table_last_autovacuum_hours')];
  const read = async (connection_ids: number[], wantsZeros = false) => {
    const db = countedDb(store.db);
    const [, hours] = await newestMetrics(db, {
      ...{ probe: tables, metrics, connection_ids, now },
      isWanted: (metric, _id, value) => metric === metrics[1] && (wantsZeros || (value ?? 0) > 0),
    });
    return { hours: hours?.map((one) => [one.connection_id, one.value]), statements: db.sent.length };
  };
  expect(await read([calm])).toEqual({ hours: [], statements: 2 });
  expect((await read([calm, above])).hours).toEqual([[above, expect.closeTo(5 / 60, 6)]]);
  // Something stands there that a zero could end.
  expect((await read([calm], true)).hours).toEqual([[calm, 0]]);
});

it('databases of which nothing meets a limit stay in the datastore, and all others say what they did', async () => {
  const ids = [await store.leased(), await store.leased(), await store.leased()];
  const [calm = 0, above = 0, late = 0] = ids;
  const table = { schemaname: 'public', n_live_tup: 100_000, vacuum_threshold: 50 };
  const rowsOf = (dead: readonly (number | null)[]) =>
    dead.map((hundreds, n) => ({
      ...table,
      relid: n + 1,
      relname: `t${n + 1}`,
      n_dead_tup: hundreds === null ? null : 100 * hundreds,
    }));
  const told: [number, number, (number | null)[]][] = [
    [calm, 10, [0, 40, null]],
    [calm, 5, [0, 50, null]],
    [above, 10, [0, 900]],
    [above, 5, [0, 901]],
    // What was above and is not any more is sent, and not wanted.
    [late, 10, [0, 2000]],
    [late, 5, [0, 1]],
  ];
  for (const [connection_id, minutes, dead] of told)
    await collectedHistory(store.db, [
      {
        ...{ connection_id, probe: 'pg_stat_all_tables', database_name: 'shop' },
        ...{ at: now - minutes * MINUTE_MS, rows: rowsOf(dead) },
      },
    ]);
  const metric = metricIn(tables, 'table_bloat_ratio');
  const read = async (limit: number, allOf: readonly number[], isTold = true) => {
    let sent = 0;
    const db: Db = {
      ...store.db,
      transaction: (work) => store.db.transaction(work),
      rows: async <T extends object>(statement: Sql) => {
        const rows = await store.db.rows<T>(statement);
        if (statement.text.includes('store.newest_ticks')) sent = rows.length;
        return rows;
      },
    };
    const [values = []] = await newestMetrics(db, {
      ...{ probe: tables, metrics: [metric], connection_ids: ids, now },
      isWanted: (_metric, id, value) => allOf.includes(id) || (value !== null && value > limit),
      ...(isTold && { limitsOf: () => ({ allOf, limits: [{ operator: '>' as const, limit }] }) }),
    });
    const found = values.map(({ connection_id, object, value }) => [connection_id, object.relname, value]);
    return { found: found.toSorted(), sent };
  };
  const all = await read(50, [], false);
  const some = await read(50, []);
  expect(some.found).toEqual(all.found);
  expect(some.found).toEqual([[above, 't2', expect.closeTo(90.1, 6)]]);
  expect(some.sent).toBeLessThan(all.sent);
  const standing = await read(50, [calm]);
  expect(standing.found).toEqual((await read(50, [calm], false)).found);
  expect(standing.found.filter(([id]) => id === calm)).toHaveLength(3);
  // Exactly at the limit: judged by the same arithmetic here and there.
  expect((await read(5, [])).found).toEqual((await read(5, [], false)).found);
  expect((await read(1e9, [])).sent).toBe(0);
});
