// What storing costs: rows a second through our writer, making the lines included, beside a bare COPY of lines made before
// into the same kind of table (P5, the fastest of some rounds: others only ever slow one down), and bytes a sample of both
// layouts beside wide rows of the same data (P6). Everything in one run.

import type pg from 'pg';
import { systemClock } from '../kernel/clock.ts';
import { copyAll, copyValue } from '../kernel/copy.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { identifier, sql } from '../kernel/sql.ts';
import { DAY_MS } from '../kernel/units.ts';
import type { Probe } from '../probes/types.ts';
import { engineOf } from '../store/layout/engine/open.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import type { Row } from '../store/layout/types.ts';
import { writeBatch } from '../store/write/samples/batch.ts';
import { sampleLines } from '../store/write/samples/encode.ts';
import type { Entry } from '../store/write/samples/sample-queue.ts';
import { copyLines } from '../store/write/samples/sample-writer.queries.ts';
import { MetricsWriter } from '../store/write/writer.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { keptRun } from '../testing/store/kept-probes.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { print } from './print.ts';
import { ownMs } from './server-cpu.ts';
import {
  CHANGING,
  COUNTERS,
  INTERVAL_MS,
  OBJECT_PROBE,
  OBJECTS,
  ROWS_A_RUN,
  SAMPLES,
  SERVERS,
  serverRows,
  TICKS,
  tableTicks,
  WATCHED,
} from './store-rows.ts';

async function prepare(db: Database): Promise<number> {
  await db.run(sql`insert into matriarch.users (id, username) values (1, 'owner')`);
  await db.run(sql`
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    select n, 'bench', 1, now() + interval '1 hour' from generate_series(1, ${SERVERS}) n`);
  const { today } = await db.one<{ today: number }>(sql`
    select (extract(epoch from date_trunc('day', now(), 'UTC')) * 1000)::bigint as today`);
  return today - DAY_MS;
}

const writerOf = (db: Database, probe: Probe) =>
  new MetricsWriter({
    db,
    log: silentLog,
    clock: systemClock,
    probes: [probe],
    flushMs: 60_000,
    limits: {
      maxRuns: 1_000_000,
      maxBytes: 2 ** 31,
    },
  });

/** CPU time does not depend on what else the machine does; seconds do. */
interface Cost {
  seconds: number;
  client_ms: number;
  datastore_ms: number;
}

async function sessionsMs(db: Database): Promise<number> {
  const sessions = await db.rows<{ pid: number }>(sql`
    select pid from pg_stat_activity where application_name = 'bench'`);
  return sessions.reduce((sum, { pid }) => sum + ownMs(pid), 0);
}

async function timed(db: Database, work: () => Promise<unknown>): Promise<Cost> {
  const datastore = await sessionsMs(db);
  const [cpu, began] = [process.cpuUsage(), systemClock.monotonic()];
  await work();
  const seconds = (systemClock.monotonic() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds,
    client_ms: (user + system) / 1000,
    datastore_ms: (await sessionsMs(db)) - datastore,
  };
}

const ROUNDS = 11;
const ROWS = SERVERS * ROWS_A_RUN;
const rate = (seconds: number) => `${Math.round(ROWS / seconds / 1000)} k rows/s`;

async function bareCopy(db: Database, at: number, runs: readonly Row[][]): Promise<Cost> {
  const layout = layoutOf(SAMPLES);
  if (!layout) throw new Error('no layout');
  const lines = runs.flatMap((rows, n) =>
    sampleLines(layout, { connection_id: n + 1, database_name: '', at, server_instance: undefined }, rows),
  );
  return timed(db, () =>
    db.withClient(async (client: pg.PoolClient) =>
      copyAll(client, [{ statement: copyLines(layout.table), lines }]),
    ),
  );
}

async function ourWriter(db: Database, at: number, runs: readonly Row[][]): Promise<Cost> {
  const writer = writerOf(db, SAMPLES);
  const cost = await timed(db, async () => {
    for (const [n, rows] of runs.entries()) writer.add(keptRun(SAMPLES, { connection_id: n + 1, at, rows }));
    await writer.flush();
  });
  await writer.stop();
  return cost;
}

/** Lines are made when a run comes in; how long that took is told beside the whole. */
async function ourBatch(
  db: Database,
  { at, runs, skipExisting, seq }: { at: number; runs: readonly Row[][]; skipExisting: boolean; seq: number },
) {
  const layout = layoutOf(SAMPLES);
  if (!layout) throw new Error('no layout');
  let entries: Entry[] = [];
  const makeLines = async () => {
    entries = runs.map((rows, n): Entry => {
      const head = { connection_id: n + 1, epoch: 1, database_name: '', layout, at };
      const lines = sampleLines(layout, { ...head, server_instance: undefined }, rows);
      return { ...head, bytes: 0, ticks: [], lines };
    });
  };
  const encode = await timed(db, makeLines);
  const all = await timed(db, async () => {
    await makeLines();
    const batch = { collector: 'bench', epoch: 1, seq };
    await db.withClient((client) => writeBatch(client, { groups: [{ batch, entries }], skipExisting }));
  });
  return { encode, all };
}

async function ingest(db: Database, first: number): Promise<void> {
  const runsOf = (round: number) =>
    Array.from({ length: SERVERS }, (_, n) => serverRows(round * SERVERS + n + 1));
  await ourWriter(db, first, runsOf(0));
  print(
    `P5  ${ROWS} rows of ${COUNTERS.length} counters of ${SERVERS} servers, into a partition with its key:`,
  );
  const times: Record<'bare' | 'encode' | 'batch' | 'skipExisting' | 'whole' | 'same', Cost[]> = {
    bare: [],
    encode: [],
    batch: [],
    skipExisting: [],
    whole: [],
    same: [],
  };
  for (let round = 1; round <= ROUNDS; round += 1) {
    const at = first + round * 10_000;
    const runs = runsOf(round);
    times.bare.push(await bareCopy(db, at, runs));
    const seq = round * 2;
    const batch = await ourBatch(db, { at: at + 1000, runs, skipExisting: false, seq });
    times.encode.push(batch.encode);
    times.batch.push(batch.all);
    times.skipExisting.push(
      (await ourBatch(db, { at: at + 2000, runs, skipExisting: true, seq: seq + 1 })).all,
    );
    times.whole.push(await ourWriter(db, at + 3000, runs));
    times.same.push(await ourWriter(db, at + 4000, runs));
  }
  const best = (all: Cost[], read: (cost: Cost) => number) => Math.min(...all.map(read));
  const bare = best(times.bare, ({ seconds }) => seconds);
  const line = (what: string, all: Cost[]) => {
    const seconds = best(all, (cost) => cost.seconds);
    const client = best(all, ({ client_ms }) => client_ms).toFixed(0);
    const datastore = best(all, ({ datastore_ms }) => datastore_ms).toFixed(0);
    const share = `${Math.round((100 * bare) / seconds)} %`;
    print(
      `  ${what.padEnd(48)} ${rate(seconds)}  ${share}; CPU: here ${client} ms, datastore ${datastore} ms`,
    );
  };
  line('bare COPY of lines made before', times.bare);
  line('our batch: lines, leases, batch ledger, COPY, commit', times.batch);
  line('our batch, skipping what is there', times.skipExisting);
  line('making the lines alone', times.encode);
  line('the writer in all, newest rows as jsonb too', times.whole);
  line('the writer in all, rows as they were', times.same);
}

const sumOf = (sizes: readonly { size_bytes: number }[]): number =>
  sizes.reduce((sum, { size_bytes }) => sum + size_bytes, 0);

/** As the engine measures it: the rows of a table of metrics may be on other nodes, or in chunks. */
async function bytesOfMetrics(db: Database, table: string): Promise<number> {
  return sumOf(await engineOf(db).sizes(db, [table]));
}

/** Of a table that no engine cuts. */
async function bytesOfTable(db: Database, table: string): Promise<number> {
  return sumOf(await engineOf(db).tableSizes(db, [table]));
}

/** As most tools keep them: a row an object and tick with its names, and a key with the time before the object. */
async function wideRows(db: Database, first: number): Promise<void> {
  const list = COUNTERS.map((counter) => `${counter} bigint`).join(', ');
  await db.withClient(async (client) => {
    await client.query(`create table metrics.bench_wide (
      connection_id integer not null, database_name text not null, collected_at timestamptz not null,
      relid bigint, relname text not null, ${list},
      primary key (connection_id, database_name, collected_at, relname))`);
    let tick = 0;
    for (const rows of tableTicks()) {
      const at = new Date(first + tick * INTERVAL_MS).toISOString();
      const lines = Array.from({ length: WATCHED }, (_, n) =>
        rows.map((row) =>
          [
            n + 1,
            'shop',
            at,
            ...Object.values(row).map((value) =>
              copyValue(typeof value === 'number' ? value : String(value)),
            ),
          ].join('\t'),
        ),
      ).flat();
      await copyAll(client, [{ statement: sql`copy metrics.${identifier('bench_wide')} from stdin`, lines }]);
      tick += 1;
    }
  });
}

async function objectRows(db: Database, first: number): Promise<void> {
  const writer = writerOf(db, OBJECT_PROBE);
  let tick = 0;
  for (const rows of tableTicks()) {
    const at = first + tick * INTERVAL_MS;
    for (let n = 1; n <= WATCHED; n += 1)
      writer.add(keptRun(OBJECT_PROBE, { connection_id: n, at, rows, database_name: 'shop' }));
    tick += 1;
    if (tick % 12 === 0) await writer.flush();
  }
  await writer.stop();
}

async function sizes(db: Database, first: number): Promise<void> {
  await db.run(sql`truncate metrics.bench_samples`);
  const writer = writerOf(db, SAMPLES);
  for (let tick = 0; tick < TICKS; tick += 1)
    for (let n = 1; n <= 50; n += 1)
      writer.add(
        keptRun(SAMPLES, {
          connection_id: n,
          at: first + tick * INTERVAL_MS,
          rows: serverRows(n).slice(0, 1),
        }),
      );
  await writer.stop();
  await wideRows(db, first);
  await objectRows(db, first);
  const objectSamples = OBJECTS * TICKS * WATCHED * COUNTERS.length;
  const serverSamples = 50 * TICKS * COUNTERS.length;
  const wide = await bytesOfTable(db, 'metrics.bench_wide');
  const packed =
    (await bytesOfMetrics(db, 'bench_objects__ticks')) + (await bytesOfTable(db, 'metrics.objects'));
  const rows = await bytesOfMetrics(db, 'bench_samples');
  const line = (what: string, bytes: number, samples: number) =>
    print(
      `  ${what.padEnd(44)} ${(bytes / samples).toFixed(2)} bytes a sample, ${(bytes / 1048576).toFixed(1)} MiB`,
    );
  print(
    `P6  ${OBJECTS} tables × ${TICKS} ticks × ${WATCHED} servers, ${CHANGING * 100} % of tables changing a tick:`,
  );
  line('wide rows with names in the key', wide, objectSamples);
  line('objects (changed, hourly keyframe, dictionary)', packed, objectSamples);
  print(`  objects: ${(packed / WATCHED / 1048576).toFixed(2)} MiB a database and day`);
  line('samples, one row a server and tick', rows, serverSamples);
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, { shared_buffers: '256MB', max_wal_size: '4GB' }, async (db) => {
    const first = await prepare(db);
    await ingest(db, first);
    await sizes(db, first);
  });
} finally {
  removeRunDirectory(directory);
}
