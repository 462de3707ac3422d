// Each engine end to end on a real datastore: rows come in, days are kept, packed, trimmed, dropped and purged, and what
// is read is the same on all of them. Citus and TimescaleDB are stand-ins here (see testing/store/store-extensions.ts). Everyday on two of
// them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../kernel/sql.ts';
import { DAY_MS, HOUR_MS } from '../../../kernel/units.ts';
import { testDatabase } from '../../../testing/servers/database.ts';
import { buckets } from '../../../testing/store/buckets.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../../testing/store/kept-probes.ts';
import { installStandIn } from '../../../testing/store/store-extensions.ts';
import { type Storing, storing } from '../../../testing/store/storing.ts';
import { isProof } from '../../../testing/tier.ts';
import { runCompaction } from '../../compact/compact.ts';
import { databaseSize } from '../../read/doors/runs.ts';
import { runMaintenance } from '../../upkeep/maintenance.ts';
import { purgeDeleted } from '../../upkeep/purge.ts';
import { storeStatus } from '../../upkeep/status.ts';
import { verifyStore } from '../../upkeep/verify.ts';
import { layoutOf, type TableLayout } from '../table-layout.ts';
import { openEngine } from './open.ts';
import type { Engine, EngineName } from './types.ts';

const probes = [SERVER, TABLES];
const layouts = probes.map(layoutOf).filter((layout): layout is TableLayout => layout !== undefined);
/** Everyday without the one that differs least from plain tables. */
const ENGINES: EngineName[] = isProof() ? ['plain', 'citus', 'timescaledb'] : ['plain', 'citus'];

/** What was read of the same rows, by engine. */
const read = new Map<EngineName, unknown>();

describe.each(ENGINES)('the store on %s', (name) => {
  let store: Storing;
  let engine: Engine;
  let now: number;
  let ids: number[];
  beforeAll(async () => {
    store = await storing(await testDatabase({ choosesEngine: true }));
    // Citus has its functions where everybody finds them; those of TimescaleDB are where somebody has put them.
    if (name === 'citus') await installStandIn(store.db, name, 'public');
    if (name === 'timescaledb') await installStandIn(store.db, name, 'elsewhere');
    engine = await openEngine(store.db);
    ({ now } = await store.db.one<{ now: number }>(
      sql`select (extract(epoch from now()) * 1000)::bigint as now`,
    ));
    for (const { name: probe, intervalSeconds, retentionDays } of probes)
      await store.db.run(sql`
        insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
        values (${probe}, ${intervalSeconds}, ${retentionDays})`);
    ids = [await store.leased(), await store.leased()];
  });
  afterAll(() => store.close());

  const write = async (from: number, minutes: number, connections = ids) => {
    const writer = store.writer({ probes });
    for (let n = 0; n < minutes; n += 1)
      for (const connection_id of connections) {
        const at = from + n * 60_000;
        writer.add(keptRun(SERVER, { connection_id, at, rows: [{ kind: 'a', reads: n * 7, load: n % 5 }] }));
        const rows = [tableRow(1, { ins: n * 3 }), tableRow(2, { size: 8192 * (1 + (n % 3)) })];
        writer.add(keptRun(TABLES, { connection_id, at, rows, database_name: 'shop' }));
      }
    await writer.flush();
    const { waiting_runs } = writer.stats;
    await writer.flush();
    await writer.stop();
    return waiting_runs;
  };
  const maintain = (at = now) => runMaintenance({ db: store.db, probes, now: at });
  const begin = () => Math.floor((now - 30 * HOUR_MS) / HOUR_MS) * HOUR_MS;
  const days = async (table: string) =>
    (await engine.partitions(store.db, [table])).map(({ day }) => Math.round((day - now) / DAY_MS));
  const wrong = async (at = now) =>
    (await verifyStore(store.db, { layouts, now: at })).filter(({ problem }) => problem !== null);

  it('makes its tables, and keeps what comes in', async () => {
    expect(engine.name).toBe(name);
    expect((await maintain()).problems).toEqual([]);
    expect(await write(begin(), 180)).toBe(0);
    expect(await write(begin() + DAY_MS, 5)).toBe(0);
    const kinds = await store.db.rows<{ kind: string }>(sql`
      select distinct c.relkind::text as kind
      from matriarch.metric_tables m
      join pg_class c on c.relname = m.table_name and c.relnamespace = 'metrics'::regnamespace`);
    expect(kinds).toEqual([{ kind: engine.relkind }]);
    expect((await days('test_server')).length).toBeGreaterThanOrEqual(2);
    expect(await wrong()).toEqual([]);
  });

  it('takes the same rows twice without a second copy', async () => {
    const count = sql`select count(*) as n from metrics.test_server`;
    const before = await store.db.one<{ n: number }>(count);
    expect(await write(begin(), 180)).toBe(0);
    expect(await store.db.one<{ n: number }>(count)).toEqual(before);
  });

  it('packs closed hours and drops days that are empty', async () => {
    const report = await runCompaction({ db: store.db, layouts, now: now + 48 * HOUR_MS });
    expect(report).toMatchObject({ problems: [], rows: expect.any(Number) });
    expect(report.rows).toBeGreaterThan(700);
    expect(report.dropped).toBeGreaterThanOrEqual(2);
    expect((await days('test_server__packed')).length).toBeGreaterThanOrEqual(1);
    await maintain();
    expect(await wrong()).toEqual([]);
    const query = { connection_ids: ids, from: begin(), to: begin() + 3 * HOUR_MS, buckets: 12 };
    const found = [
      ...(await buckets(store.db, { probe: SERVER, column: 'reads', aggregate: 'rate', ...query })),
      ...(await buckets(store.db, { probe: TABLES, column: 'table_size', aggregate: 'max', ...query })),
    ].map(({ values, coverage }) => ({ values, coverage }));
    expect(found.flatMap(({ values }) => values).filter((value) => value !== null).length).toBeGreaterThan(
      20,
    );
    // The hour may move on between two engines; the values in it are the same.
    read.set(name, found);
    expect(found).toEqual(read.get('plain'));
  });

  it('counts what lies on every server', async () => {
    const nodes =
      name === 'citus'
        ? sql`select n.result from run_command_on_all_nodes('select pg_database_size(current_database())') n`
        : sql`select pg_database_size(current_database())::text as result`;
    const sizes = (await store.db.rows<{ result: string }>(nodes)).map(({ result }) => Number(result));
    const whole = sizes.reduce((sum, size) => sum + size, 0);
    const counted = await databaseSize(store.db);
    expect(Math.abs(counted - whole)).toBeLessThan(whole / 10);
    if (name === 'citus') expect(counted).toBeGreaterThan(whole / 2);

    await store.db.run(sql`analyze matriarch.packed_layouts`);
    const { one, n } = await store.db.one<{ one: number; n: number }>(sql`
      select pg_total_relation_size('matriarch.packed_layouts') as one, count(*) as n from matriarch.packed_layouts`);
    const { dictionaries } = await storeStatus(store.db, { now });
    expect(dictionaries.find((table) => table.name === 'packed_layouts')).toEqual({
      name: 'packed_layouts',
      size_bytes: name === 'citus' ? 2 * one : one,
      rows: n,
    });
    expect(n).toBeGreaterThan(0);
  });

  it('analyzes what rows are looked for by, and none of their figures', async () => {
    await store.db.run(sql`analyze`);
    const columns = await store.db.rows<{ column: string; is_array: boolean; is_analyzed: boolean }>(sql`
      select distinct
        a.attname as column, t.typcategory = 'A' as is_array,
        exists (select from pg_statistic s where s.starelid = a.attrelid and s.staattnum = a.attnum) as is_analyzed
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid and c.relnamespace = 'metrics'::regnamespace and c.reltuples > 0
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid`);
    const analyzed = columns.filter(({ is_analyzed }) => is_analyzed);
    // Under Citus the rows, and what is known of them, lie in shards.
    if (name === 'plain')
      expect(analyzed.map(({ column }) => column)).toEqual(
        expect.arrayContaining(['connection_id', 'collected_at', 'object_ids']),
      );
    expect(analyzed.filter(({ column, is_array }) => is_array && column !== 'object_ids')).toEqual([]);
  });

  it('gains columns', async () => {
    const more = { name: 'more', type: 'bigint', kind: 'counter', description: 'More.' } as const;
    const wider = probes.map((probe) => ({ ...probe, columns: [...probe.columns, more] }));
    const report = await runMaintenance({ db: store.db, probes: wider, now });
    expect(report.problems).toEqual([]);
    const { n } = await store.db.one<{ n: number }>(sql`
      select count(*) as n from information_schema.columns
      where table_schema = 'metrics' and column_name = 'more' and table_name in ('test_server', 'test_tables__ticks')`);
    expect(n).toBe(2);
  });

  it('trims what one connection keeps for less, and drops what nobody keeps', async () => {
    const [first = 0, second = 0] = ids;
    await write(now - 4 * DAY_MS, 3);
    await store.db.run(sql`
      insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
      values ('server', ${first}, 'test_server', true, 60, 2)`);
    const { trimmed, problems } = await maintain();
    expect({ trimmed, problems }).toEqual({ trimmed: 3, problems: [] });
    const left = await store.db.rows(sql`
      select t.connection_id, count(*) as n from metrics.test_server t
      where t.collected_at < ${new Date(now - 3 * DAY_MS).toISOString()}::timestamptz group by 1`);
    expect(left).toEqual([{ connection_id: second, n: 3 }]);
    expect((await maintain(now + 30 * DAY_MS)).dropped).toBeGreaterThanOrEqual(2);
    expect((await days('test_server')).filter((day) => day <= 1)).toEqual([]);
    const { n } = await store.db.one<{ n: number }>(sql`
      select count(*) as n from metrics.test_server t
      where t.collected_at < ${new Date(now).toISOString()}::timestamptz`);
    expect(n).toBe(0);
  });

  it('purges a deleted connection, and says who keeps the metrics', async () => {
    const [first = 0] = ids;
    await write(now - 5 * 60_000, 3);
    await store.db.run(sql`
      update matriarch.connections set deleted_at = now() - interval '1 minute' where id = ${first}`);
    await store.db.run(sql`
      update matriarch.connection_leases set expires_at = now() - interval '1 minute' where connection_id = ${first}`);
    await purgeDeleted({ db: store.db, signal: new AbortController().signal });
    const left = await store.db.rows<{ connection_id: number }>(sql`
      select distinct connection_id from metrics.test_server
      union select connection_id from metrics.test_server__packed order by 1`);
    expect(left).toEqual([{ connection_id: ids[1] }]);
    const status = await storeStatus(store.db, { now });
    expect(status.engine).toBe(name);
    expect(status.tables.find(({ probe }) => probe === 'test_server')?.partitions).toBeGreaterThan(0);
  });
});
