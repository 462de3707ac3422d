// Housekeeping of the store on a real datastore: partitions ahead and gone, once for all processes, and what the
// command line says of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { testDatabase } from '../../testing/servers/database.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { openEngine } from '../layout/engine/open.ts';
import { plain } from '../layout/engine/plain.ts';
import { dayOf, type Engine } from '../layout/engine/types.ts';
import { storeForecast } from './forecast.ts';
import { maintainIfDue, runMaintenance } from './maintenance.ts';
import { purgeDeleted } from './purge.ts';
import { storeStatus } from './status.ts';
import { verifyStore } from './verify.ts';

const probes = [SERVER, { ...TABLES, retentionDays: 30 }];
let store: Storing;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
});
afterAll(() => store.close());

const daysOf = async (table: string) =>
  (await plain.partitions(store.db, [table])).map(({ day }) => (day - dayOf(now)) / DAY_MS);

describe('maintenance', () => {
  it('is due once an hour, for one process, whatever starts anew', async () => {
    const options = { db: store.db, log: silentLog, probes };
    const runs = await Promise.all([maintainIfDue(options), maintainIfDue(options), maintainIfDue(options)]);
    expect(runs.filter((run) => run !== undefined)).toEqual([
      {
        made: 8,
        dropped: 0,
        trimmed: 0,
        retention_mark: expect.any(String),
        overdue: [],
        problems: [],
      },
    ]);
    expect(await maintainIfDue(options)).toBeUndefined();
    await store.db.run(sql`update matriarch.jobs set last_run_at = now() - interval '61 minutes'`);
    expect(await maintainIfDue(options)).toMatchObject({ made: 0 });
    expect(await daysOf('test_server')).toEqual([0, 1, 2, 3]);
  });

  it('ends between two tables when the process stops, and the next process goes on at once', async () => {
    const other = await testDatabase();
    await openEngine(other.db);
    const names = ['test_server', 'test_tables__ticks'];
    const stopping = new AbortController();
    // As it happens when a process is stopped right after its start: in the middle of a partition.
    const interrupted: Engine = {
      ...plain,
      makePartition: async (db, table, day) => {
        await plain.makePartition(db, table, day);
        stopping.abort();
      },
    };
    const options = { db: other.db, log: silentLog, probes };
    await expect(maintainIfDue({ ...options, engine: interrupted, signal: stopping.signal })).rejects.toThrow(
      /aborted/,
    );
    expect(await plain.partitions(other.db, names)).toHaveLength(4);
    expect(await maintainIfDue(options)).toMatchObject({ made: 4, problems: [] });
    await other.close();
  });

  it('makes days ahead and drops each table’s by its own retention', async () => {
    const id = await store.leased();
    const writer = store.writer({ probes });
    writer.add(keptRun(SERVER, { connection_id: id, at: now, rows: [{ reads: 1 }] }));
    writer.add(keptRun(TABLES, { connection_id: id, at: now, rows: [tableRow(1)], database_name: 'd' }));
    await writer.flush();
    await writer.stop();
    const later = (days: number) => runMaintenance({ db: store.db, probes, now: now + days * DAY_MS });
    await later(7);
    expect((await daysOf('test_server'))[0]).toBe(0);
    const report = await later(8);
    expect(report).toMatchObject({ dropped: 1, overdue: [], problems: [] });
    expect((await daysOf('test_server'))[0]).toBe(1);
    expect((await daysOf('test_tables__ticks'))[0]).toBe(0);
    expect(await store.db.rows(sql`select from metrics.test_tables`)).toHaveLength(1);
  });

  it('goes on after what fails, and says which partition outlives its policy', async () => {
    const stuck: Engine = {
      ...plain,
      dropPartition: (db, partition) =>
        partition.table === 'test_server'
          ? Promise.reject(new Error('locked'))
          : plain.dropPartition(db, partition),
    };
    const at = now + 60 * DAY_MS;
    const report = await runMaintenance({ db: store.db, probes, engine: stuck, now: at });
    expect(report.overdue.length).toBeGreaterThan(3);
    expect(report.dropped).toBeGreaterThan(3);
    const problems = (await verifyStore(store.db, { now: at })).filter(({ problem }) => problem);
    expect(problems).toEqual([{ what: 'test_server: retention', problem: expect.stringMatching(/outlive/) }]);
    const status = await storeStatus(store.db, { now: at });
    expect(status.tables.find(({ probe }) => probe === 'test_server')?.overdue).toEqual(report.overdue);
    await runMaintenance({ db: store.db, probes, now: at });
    expect((await verifyStore(store.db, { now: at })).filter(({ problem }) => problem)).toEqual([]);
  });
});

describe('the status', () => {
  it('tells size, growth and what goes next', async () => {
    const id = await store.leased();
    const writer = store.writer({ probes });
    for (const day of [-2, -1, 0])
      writer.add(keptRun(SERVER, { connection_id: id, at: now + day * DAY_MS, rows: [{ reads: 1 }] }));
    await writer.flush();
    await writer.stop();
    const { tables, forecast_bytes, last_maintained_at } = await storeStatus(store.db, { now });
    const server = tables.find(({ probe }) => probe === 'test_server');
    expect(server).toMatchObject({ layout: 'samples', retention_days: 7, overdue: [] });
    expect(server?.bytes_per_day).toBeGreaterThan(8000);
    expect(server?.next_drop_at).toBe(new Date(dayOf(now) + 6 * DAY_MS).toISOString());
    const all = await storeForecast(store.db, { now });
    expect(forecast_bytes).toBe(all.reduce((sum, one) => sum + (one.in_365_days_bytes ?? 0), 0));
    expect(forecast_bytes).toBeGreaterThanOrEqual((server?.bytes_per_day ?? 0) * 8);
    expect(last_maintained_at).not.toBeNull();
  });
});

describe('deleting a connection', () => {
  it('removes its samples, ticks and names, and nothing of others', async () => {
    const [gone, kept] = [await store.leased(), await store.leased()];
    const writer = store.writer({ probes });
    for (const connection_id of [gone, kept]) {
      writer.add(keptRun(SERVER, { connection_id, at: now - 1, rows: [{ reads: 1 }, { reads: 2 }] }));
      writer.add(keptRun(TABLES, { connection_id, at: now - 1, rows: [tableRow(1)], database_name: 'd' }));
    }
    await writer.flush();
    await writer.stop();
    await store.db.run(sql`
      update matriarch.connections set deleted_at = now() - interval '1 minute' where id = ${gone}`);
    await store.db.run(
      sql`update matriarch.connection_leases set expires_at = now() where connection_id = ${gone}`,
    );
    await purgeDeleted({ db: store.db, signal: new AbortController().signal });
    const left = (id: number) =>
      store.db.one(sql`
        select
          (select count(*) from metrics.test_server where connection_id = ${id}) as samples,
          (select count(*) from metrics.test_tables__ticks where connection_id = ${id}) as ticks,
          (select count(*) from metrics.objects where connection_id = ${id}) as objects`);
    expect(await left(gone)).toEqual({ samples: 0, ticks: 0, objects: 0 });
    expect(await left(kept)).toEqual({ samples: 2, ticks: 1, objects: 1 });
  });
});
