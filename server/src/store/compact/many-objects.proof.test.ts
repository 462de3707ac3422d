// As many objects in one database as the probes read at most of tables, and more statements than most servers have:
// what is stored of them is packed, rolled up, read back and verified like everything else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { probe as TABLES } from '../../probes/pg-stat-all-tables.ts';
import { probe as STATEMENTS } from '../../probes/pg-stat-statements.ts';
import type { Probe } from '../../probes/types.ts';
import { buckets } from '../../testing/store/buckets.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import type { Row, Value } from '../layout/types.ts';
import { newest } from '../read/newest.ts';
import { verifyStore } from '../upkeep/verify.ts';
import { runCompaction } from './compact.ts';

/** Three readings, and one an hour later, which has all objects again: without it those before stay raw. */
const MINUTES = [0, 5, 10, 62];
const probes: readonly Probe[] = [STATEMENTS, TABLES];
const layouts = probes.map(layoutOf).filter((layout): layout is TableLayout => layout !== undefined);
const COUNT = new Map<Probe, number>([
  [STATEMENTS, 5000],
  [TABLES, 10_000],
]);

let store: Storing;
let id: number;
let T: number;
beforeAll(async () => {
  store = await storing();
  id = await store.leased();
  const { now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from date_trunc('hour', now(), 'UTC')) * 1000)::bigint as now`,
  );
  T = now - 12 * HOUR_MS;
});
afterAll(() => store.close());

/** The object's values at a tick: all counters of a statement grow by a number of its own, those of some tables. */
function rowOf({ name, columns }: Probe, { n, tick }: { n: number; tick: number }): Row {
  const isBusy = name === STATEMENTS.name || n % 10 === 0;
  const row: Record<string, Value> = {};
  for (const column of columns) {
    if (column.kind === 'counter') row[column.name] = isBusy ? n * tick : n;
    else if (column.kind === 'gauge') row[column.name] = n + (isBusy ? tick / 2 : 0);
    else if (column.kind === 'time') row[column.name] = null;
    else row[column.name] = column.type === 'boolean' ? true : column.type === 'bigint' ? n : `${n}`;
    if (column.type === 'bigint' && column.kind === 'gauge') row[column.name] = n + (isBusy ? tick : 0);
  }
  return row;
}

it('hours of 5,000 statements and 10,000 tables are packed, read back and verified', {
  timeout: 600_000,
}, async () => {
  const writer = store.writer({ probes });
  for (const [tick, minute] of MINUTES.entries())
    for (const [probe, count] of COUNT) {
      const rows = Array.from({ length: count }, (_, n) => rowOf(probe, { n: n + 1, tick }));
      const at = T + minute * MINUTE_MS;
      writer.add(keptRun(probe, { connection_id: id, at, rows, database_name: 'shop' }));
      await writer.flush();
    }
  expect(writer.stats).toMatchObject({ waiting_runs: 0, dropped_runs: 0 });
  await writer.flush();
  await writer.stop();

  const report = await runCompaction({ db: store.db, layouts, now: T + 8 * HOUR_MS });
  expect(report).toMatchObject({ problems: [], hours: 2 });
  expect(report.rows).toBe(6);
  const checks = await verifyStore(store.db, { layouts, now: T + 8 * HOUR_MS });
  const own = checks.filter(({ what }) => /: (contents|rollups|names)$/.test(what));
  expect(own.length).toBe(6);
  expect(own.filter(({ problem }) => problem !== null)).toEqual([]);

  const hour = { connection_ids: [id], from: T, to: T + HOUR_MS, buckets: 1, aggregate: 'sum' } as const;
  const sum = (count: number) => (count * (count + 1)) / 2;
  const calls = { ...hour, probe: STATEMENTS, column: 'calls' };
  expect(await buckets(store.db, calls)).toMatchObject([{ values: [2 * sum(5000)], tier: 'h1' }]);
  expect(await buckets(store.db, { ...calls, where: { queryid: '4711' } })).toMatchObject([
    { values: [2 * 4711], tier: 'h1' },
  ]);
  expect(await buckets(store.db, { ...calls, buckets: 12 })).toMatchObject([
    { values: [sum(5000), sum(5000), ...Array.from({ length: 10 }, () => null)], tier: 'raw' },
  ]);
  const inserted = { ...hour, probe: TABLES, column: 'n_tup_ins' };
  expect(await buckets(store.db, inserted)).toMatchObject([{ values: [2 * 10 * sum(1000)], tier: 'h1' }]);
  // The whole of it, and one of its rows as the server said it.
  const rows = await newest(store.db, { probe: TABLES, connection_ids: [id] });
  expect(rows).toHaveLength(10_000);
  expect(rows.find(({ row }) => row.relid === 9000)?.row).toEqual(
    rowOf(TABLES, { n: 9000, tick: MINUTES.length - 1 }),
  );
});
