// Samples and objects on a real datastore: what was collected comes back, all of a batch or nothing, once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../kernel/sql.ts';
import { iso } from '../../../kernel/times.ts';
import { probes } from '../../../probes/catalog.gen.ts';
import type { Probe } from '../../../probes/types.ts';
import { countedDb } from '../../../testing/store/counted-db.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../../testing/store/storing.ts';
import { engineOf } from '../../layout/engine/open.ts';
import { plain } from '../../layout/engine/plain.ts';
import { dayOf } from '../../layout/engine/types.ts';
import { layoutOf } from '../../layout/table-layout.ts';
import { ensureTables } from '../../layout/tables.ts';
import type { ProbeRun } from '../../layout/types.ts';
import { writeBatch } from './batch.ts';
import { sampleLines } from './encode.ts';

let store: Storing;
let T: number;
beforeAll(async () => {
  store = await storing();
  const { now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from date_trunc('hour', now())) * 1000)::bigint as now`,
  );
  T = now;
});
afterAll(() => store.close());
const keeping = (probes: readonly Probe[] = [SERVER, TABLES]) => store.writer({ probes, flushMs: 5 });

async function write(...runs: ProbeRun[]): Promise<void> {
  const writer = keeping();
  for (const run of runs) writer.add(run);
  await writer.stop();
  expect(writer.stats.waiting_runs).toBe(0);
}

interface FlatRow {
  collected_at: string;
  keyframe: boolean;
  relid: number;
  relname: string;
  n_tup_ins: number | string | null;
  seq_scan: number | null;
  table_size: number | null;
}

const flat = (id: number) =>
  store.db.rows<FlatRow>(sql`
    select collected_at, keyframe, relid, relname, n_tup_ins, seq_scan, table_size
    from metrics.test_tables where connection_id = ${id}
    order by collected_at, keyframe, relid`);

describe('samples', () => {
  it('come back as they were collected, in order, with what is unknown', async () => {
    const id = await store.leased();
    const rows = [
      {
        kind: 'a\tb\\n',
        reads: '9223372036854775807',
        load: 0.25,
        stats_reset: iso(T),
        flags: ['a"b', '', 'c\\,{d}', 'NULL'],
        details: { a: ['\n', { b: null }] },
      },
      { kind: null, reads: null, load: null, stats_reset: null, flags: null, details: null },
    ];
    await write(keptRun(SERVER, { connection_id: id, at: T, rows, server_instance: 'x' }));
    expect(
      await store.db.rows(sql`
        select connection_id, collected_at, kind, reads, load, stats_reset, flags, details
        from metrics.test_server where connection_id = ${id} order by row_no`),
    ).toEqual(rows.map((row) => ({ connection_id: id, collected_at: iso(T), ...row })));
    const { rows: newest } = await store.db.one<{ rows: unknown }>(
      sql`select rows from metrics.current_snapshots where connection_id = ${id}`,
    );
    expect(newest).toHaveLength(2);
  });
});

describe('objects', () => {
  it('come back as keyframe and increases, with the names of the dictionary', async () => {
    const id = await store.leased();
    const run = (at: number, rows: ReturnType<typeof tableRow>[]) =>
      keptRun(TABLES, { connection_id: id, at, rows, database_name: 'shop' });
    const big = '9007199254740993';
    await write(
      run(T, [tableRow(1, { ins: 5 }), tableRow(2, { ins: big })]),
      run(T + 60_000, [tableRow(1, { ins: 5 }), tableRow(2, { ins: '9007199254740996', size: 16384 })]),
      run(T + 120_000, [tableRow(2, { ins: '9007199254740996', size: 16384 }), tableRow(3, { ins: 7 })]),
    );
    const rows = await flat(id);
    const short = rows.map((row) => [
      Date.parse(row.collected_at) - T,
      row.keyframe,
      row.relname,
      row.n_tup_ins,
      row.seq_scan,
      row.table_size,
    ]);
    expect(short).toEqual([
      [0, true, 't1', 5, 0, 8192],
      [0, true, 't2', big, 0, 8192],
      [60_000, false, 't2', 3, 0, 16384],
      // It was made since the reading before.
      [120_000, false, 't3', 7, 0, 8192],
      [120_000, true, 't3', 7, 0, 8192],
    ]);
    const gone = await store.db.rows(sql`
      select gone_ids, since from metrics.test_tables__ticks
      where connection_id = ${id} and not keyframe order by collected_at`);
    expect(gone).toEqual([
      { gone_ids: null, since: iso(T) },
      { gone_ids: [1], since: iso(T + 60_000) },
    ]);
    expect(
      await store.db.one(
        sql`select rows, row_count from metrics.current_snapshots where connection_id = ${id}`,
      ),
    ).toEqual({ rows: null, row_count: 2 });
  });

  it('a collector that starts anew begins with a keyframe and the same ids', async () => {
    const id = await store.leased();
    const run = (at: number, ins: number) =>
      keptRun(TABLES, { connection_id: id, at, rows: [tableRow(9, { ins })], database_name: 'd' });
    await write(run(T, 100), run(T + 60_000, 130));
    await write(run(T + 120_000, 1_000_000));
    expect((await flat(id)).map((row) => [row.keyframe, row.n_tup_ins])).toEqual([
      [true, 100],
      [false, 30],
      [true, 1_000_000],
    ]);
    expect(
      await store.db.rows(sql`select object_id, labels from metrics.objects where connection_id = ${id}`),
    ).toEqual([{ object_id: 1, labels: { relname: 't9' } }]);
  });
});

describe('a batch', () => {
  const count = async (id: number) =>
    (
      await store.db.one<{ n: number }>(
        sql`select count(*) as n from metrics.test_server where connection_id = ${id}`,
      )
    ).n;
  const sample = (id: number, at: number) =>
    keptRun(SERVER, { connection_id: id, at, rows: [{ kind: 'a', reads: 1, load: 1, stats_reset: null }] });

  it('of many servers is one COPY a table', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 30; n += 1) ids.push(await store.leased());
    await write(sample(ids[0] ?? 0, T));
    const writer = keeping();
    for (const id of ids) {
      writer.add(sample(id, T + 1000));
      writer.add(
        keptRun(TABLES, { connection_id: id, at: T + 1000, rows: [tableRow(1)], database_name: 'd' }),
      );
    }
    await writer.stop();
    // The snapshots, then begin, leases with batch ledger, dictionary, what first readings were like, two COPYs, commit.
    expect(writer.stats.statements).toBe(8);
  });

  it('F3: a backend killed between COPY and commit leaves all or nothing, and the rest follows once', async () => {
    const ids = [await store.leased(), await store.leased()];
    await write(sample(ids[0] ?? 0, T));
    const pids = () =>
      store.db.rows<{ pid: number }>(sql`
        select pid from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and wait_event = 'advisory'`);
    await store.db.run(sql`
      create function metrics.hold() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return null; end $$`);
    await store.db.run(sql`
      create constraint trigger hold after insert on matriarch.batch_ledger
      deferrable initially deferred for each row execute function metrics.hold()`);
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = store.db.transaction(async (db) => {
      await db.run(sql`select pg_advisory_xact_lock(4711)`);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const writer = keeping();
    for (const id of ids) writer.add(sample(id, T + 60_000));
    const flushing = writer.flush();
    await expect.poll(pids).toHaveLength(1);
    for (const { pid } of await pids()) await store.db.run(sql`select pg_terminate_backend(${pid})`);
    await flushing;
    release.resolve();
    await holding;
    await store.db.run(sql`drop trigger hold on matriarch.batch_ledger`);
    await expect.poll(() => writer.stats.waiting_runs, { timeout: 5000 }).toBe(0);
    await writer.stop();
    expect(await Promise.all(ids.map(count))).toEqual([2, 1]);
  });

  it('is written once under its number, whatever it holds when it comes again', async () => {
    const id = await store.leased();
    const layout = layoutOf(SERVER) ?? expect.fail();
    const again = (at: number) => {
      const head = { connection_id: id, epoch: 1, database_name: '', layout, at };
      const lines = sampleLines(layout, { ...head, server_instance: undefined }, [{ reads: at }]);
      const batch = { collector: 'me', epoch: 1, seq: 1 };
      const entries = [{ ...head, bytes: 0, ticks: [], lines }];
      return store.db.withClient((client) =>
        writeBatch(client, { groups: [{ batch, entries }], skipExisting: false }),
      );
    };
    await write(sample(id, T));
    await again(T + 1);
    await again(T + 1);
    await again(T + 2);
    expect(await count(id)).toBe(2);
  });

  it('whose rows are there already is written but for those', async () => {
    const id = await store.leased();
    await write(sample(id, T));
    await write(sample(id, T), sample(id, T + 1));
    expect(await count(id)).toBe(2);
  });

  it('under an epoch that has passed writes nothing', async () => {
    const [gone, mine] = [await store.leased(5), await store.leased()];
    await write(sample(gone, T), sample(mine, T));
    expect(await Promise.all([gone, mine].map(count))).toEqual([0, 1]);
  });

  it('with a value that the datastore refuses loses only that run', async () => {
    const id = await store.leased();
    const rows = [{ kind: 'a', reads: '99999999999999999999' }];
    const bad = keptRun(SERVER, { connection_id: id, at: T + 5, rows });
    await write(sample(id, T), bad, sample(id, T + 10));
    expect(await count(id)).toBe(2);
  });

  it('F12: makes the day that nobody made, and refuses days out of range', async () => {
    const id = await store.leased();
    await write(sample(id, T));
    for (const day of await plain.partitions(store.db, ['test_server']))
      await plain.dropPartition(store.db, day);
    const writer = keeping();
    writer.add(sample(id, T + 1));
    await writer.flush();
    for (const day of await plain.partitions(store.db, ['test_server']))
      await plain.dropPartition(store.db, day);
    writer.add(sample(id, T + 2));
    writer.add(sample(id, T - 86_400_000));
    writer.add(sample(id, T + 10 * 365 * 86_400_000));
    await writer.stop();
    expect(await count(id)).toBe(2);
    const days = (await plain.partitions(store.db, ['test_server'])).map(({ day }) => day);
    expect(days).toEqual([dayOf(T) - 86_400_000, dayOf(T)]);
  });
});

describe('a declaration', () => {
  it('that gains a column while collecting keeps what is there, as unknown', async () => {
    const id = await store.leased();
    const column = { name: 'idx_scan', type: 'bigint', kind: 'counter', description: 'New.' } as const;
    const wider = { ...TABLES, columns: [...TABLES.columns, column] };
    const run = (at: number, idx_scan: number) =>
      keptRun(TABLES, { connection_id: id, at, rows: [{ ...tableRow(1, { ins: at - T }), idx_scan }] });
    const old = keeping();
    old.add(run(T, 1));
    old.add(run(T + 1000, 2));
    await old.flush();
    const writer = keeping([wider]);
    writer.add(run(T + 2000, 3));
    writer.add(run(T + 3000, 10));
    await writer.stop();
    old.add(run(T + 4000, 12));
    await old.stop();
    expect(
      await store.db.rows(sql`
        select n_tup_ins, idx_scan from metrics.test_tables where connection_id = ${id} order by collected_at`),
    ).toEqual([
      { n_tup_ins: 0, idx_scan: null },
      { n_tup_ins: 1000, idx_scan: null },
      { n_tup_ins: 2000, idx_scan: 3 },
      { n_tup_ins: 1000, idx_scan: 7 },
      { n_tup_ins: 3000, idx_scan: null },
    ]);
  });

  it('that changes a type fails alone and by name', async () => {
    const id = await store.leased();
    await write(keptRun(SERVER, { connection_id: id, at: T, rows: [{ reads: 1 }] }));
    const columns = SERVER.columns.map((one) =>
      one.name === 'load' ? { ...one, type: 'text' as const } : one,
    );

    const { layouts, problems } = await ensureTables(store.db, [{ ...SERVER, columns }, TABLES]);
    expect([...layouts.keys()]).toEqual(['test_tables']);
    expect(problems.get('test_server')).toMatch(/load is stored as double precision and cannot become text/);
  });
});

describe('the catalog', () => {
  it('can be stored, every probe of it, and making it again does nothing', async () => {
    const first = await ensureTables(store.db, probes);
    expect([...first.problems]).toEqual([]);
    const log: string[] = [];
    const again = await ensureTables(countedDb(store.db, log), probes, engineOf(store.db));
    expect([...again.layouts.keys()]).toEqual([...first.layouts.keys()]);
    expect(log).toHaveLength(2);
  });
});
