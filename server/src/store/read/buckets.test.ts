// Series, newest rows and rankings over samples and objects on a real datastore: what is measured, and holes as holes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { type BucketsQuery, buckets } from '../../testing/store/buckets.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { ranking } from '../../testing/store/ranking.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import type { ProbeRun } from '../layout/types.ts';
import { newest } from './newest.ts';

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

async function write(...runs: ProbeRun[]): Promise<void> {
  const writer = store.writer({ probes: [SERVER, TABLES] });
  for (const run of runs) writer.add(run);
  await writer.flush();
  await writer.stop();
}

const server = (connection_id: number, minute: number, values: Record<string, unknown>) =>
  keptRun(SERVER, {
    connection_id,
    at: T + minute * MINUTE_MS,
    server_instance: 'a',
    rows: [{ kind: 'x', reads: null, load: null, stats_reset: null, ...values }],
  });

/** Ten buckets of one minute from T on. */
const ask = (id: number, more: Partial<BucketsQuery>): BucketsQuery => ({
  probe: SERVER,
  column: 'reads',
  connection_ids: [id],
  from: T,
  to: T + 10 * MINUTE_MS,
  buckets: 10,
  aggregate: 'sum',
  ...more,
});
const valuesOf = async (query: BucketsQuery) => (await buckets(store.db, query))[0]?.values;

describe('counters of samples', () => {
  it('are increases of each bucket; a hole, a reset and another life of the server are told apart', async () => {
    const id = await store.leased();
    const reads = [
      [0, 100],
      [1, 160],
      [2, 160],
      [3, 30],
      // A hole of four minutes, then a server that counts from elsewhere.
      [7, 90],
      [8, 150],
    ] as const;
    await write(
      ...reads.map(([minute, value]) => server(id, minute, { reads: value })),
      { ...server(id, 9, { reads: 1_000_000 }), server_instance: 'b' },
      { ...server(id, 10, { reads: 1_000_060 }), server_instance: 'b' },
    );
    const [one] = await buckets(store.db, ask(id, {}));
    expect(one?.values).toEqual([60, 0, 30, null, null, null, null, 60, null, 60]);
    expect(one).toMatchObject({ coverage: 0.5, tier: 'raw' });
    expect(await valuesOf(ask(id, { aggregate: 'rate' }))).toEqual([
      1,
      0,
      0.5,
      null,
      null,
      null,
      null,
      1,
      null,
      1,
    ]);
  });

  it('a changed reset time is a reset even when the counter is higher; entities add up', async () => {
    const id = await store.leased();
    const run = (minute: number, [a, b]: readonly [number, number], reset: number) =>
      keptRun(SERVER, {
        connection_id: id,
        at: T + minute * MINUTE_MS,
        rows: [
          { kind: 'a', reads: a, load: null, stats_reset: new Date(T + reset).toISOString() },
          { kind: null, reads: b, load: null, stats_reset: null },
        ],
      });
    await write(run(0, [10, 5], 0), run(1, [20, 6], 0), run(2, [50, 7], 1));
    const query = ask(id, { to: T + 2 * MINUTE_MS, buckets: 2 });
    expect(await valuesOf(query)).toEqual([11, 51]);
    expect(await valuesOf({ ...query, where: { kind: 'a' } })).toEqual([10, 50]);
    expect(await valuesOf({ ...query, where: { kind: null } })).toEqual([1, 1]);
  });

  it('are spread over buckets that are finer than the interval', async () => {
    const id = await store.leased();
    await write(server(id, 0, { reads: 0 }), server(id, 2, { reads: 120 }));
    const query = ask(id, { to: T + 2 * MINUTE_MS, buckets: 4, aggregate: 'rate' });
    expect(await valuesOf(query)).toEqual([1, 1, 1, 1]);
  });
});

describe('gauges of samples', () => {
  it('stand for the time before them, at most 2.5 intervals', async () => {
    const id = await store.leased();
    await write(
      server(id, 1, { load: 2 }),
      server(id, 2, { load: 4 }),
      server(id, 8, { load: 6 }),
      server(id, 9, { load: 8 }),
    );
    const query = ask(id, { column: 'load', aggregate: 'avg', buckets: 10 });
    expect(await valuesOf(query)).toEqual([2, 4, null, null, null, 6, 6, 6, 8, null]);
    const coarse = { ...query, buckets: 5 };
    expect(await valuesOf(coarse)).toEqual([3, null, 6, 6, 8]);
    expect(await valuesOf({ ...coarse, aggregate: 'max' })).toEqual([4, null, 6, 6, 8]);
    expect(await valuesOf({ ...coarse, aggregate: 'last' })).toEqual([4, null, 6, 6, 8]);
    expect(await valuesOf({ ...coarse, aggregate: 'sum' })).toEqual([6, null, null, 6, 8]);
  });
});

describe('objects', () => {
  const run = (id: number, minute: number, rows: ReturnType<typeof tableRow>[]) =>
    keptRun(TABLES, { connection_id: id, at: T + minute * MINUTE_MS, rows, database_name: 'shop' });

  async function filled(): Promise<number> {
    const id = await store.leased();
    await write(
      run(id, 0, [tableRow(1, { ins: 100, size: 10 }), tableRow(2, { ins: 7, size: 20 })]),
      run(id, 1, [tableRow(1, { ins: 160, size: 10 }), tableRow(2, { ins: 7, size: 20 })]),
      run(id, 2, [tableRow(1, { ins: 160, size: 10 }), tableRow(2, { ins: 7, size: 50 })]),
      run(id, 3, [tableRow(2, { ins: 127, size: 50 }), tableRow(3, { ins: 9999, size: 1 })]),
      run(id, 4, [tableRow(2, { ins: 3, size: 50 }), tableRow(3, { ins: 10_000, size: 1 })]),
      { ...run(id, 3.5, [tableRow(8, { ins: 5, size: 1 })]), database_name: 'other' },
    );
    return id;
  }

  it('sum their increases, alone or together; what does not change is zero and not a hole', async () => {
    const id = await filled();
    const query = ask(id, { probe: TABLES, column: 'n_tup_ins', to: T + 5 * MINUTE_MS, buckets: 5 });
    // The reading before was complete and did not have t3, so its 9,999 rows are of that minute.
    expect(await valuesOf(query)).toEqual([60, 0, 10_119, 4, null]);
    expect(await valuesOf({ ...query, where: { relname: 't2' } })).toEqual([0, 0, 120, 3, null]);
    expect(await valuesOf({ ...query, aggregate: 'rate', where: { relid: 1 } })).toEqual([1, 0, 0, 0, null]);
  });

  it('gauges are of everything that is there at each tick', async () => {
    const id = await filled();
    const query = ask(id, {
      probe: TABLES,
      column: 'table_size',
      from: T + MINUTE_MS / 2,
      to: T + 4.5 * MINUTE_MS,
      buckets: 4,
      aggregate: 'last',
      database_name: 'shop',
    });
    expect(await valuesOf(query)).toEqual([60, 51, 51, 51]);
    expect(await valuesOf({ ...query, where: { relname: 't2' } })).toEqual([50, 50, 50, 50]);
  });

  it('the newest rows are as the server said them, without those that are gone', async () => {
    const id = await filled();
    const db = countedDb(store.db);
    const rows = await newest(db, { probe: TABLES, connection_ids: [id] });
    expect(db.sent).toHaveLength(3);
    expect(rows.map(({ database_name, row }) => [database_name, row])).toEqual([
      ['other', tableRow(8, { ins: 5, size: 1 })],
      ['shop', tableRow(2, { ins: 3, size: 50 })],
      ['shop', tableRow(3, { ins: 10_000, size: 1 })],
    ]);
    const writer = store.writer({ probes: [TABLES] });
    writer.roster({ connection_id: id, epoch: 1, at: T + 5 * MINUTE_MS, databases: ['shop'] });
    await writer.flush();
    await writer.stop();
    const left = await newest(store.db, { probe: TABLES, connection_ids: [id] });
    expect(left.map(({ database_name }) => database_name)).toEqual(['shop', 'shop']);
  });

  it('are ranked by what grew within the window', async () => {
    const id = await filled();
    const top = await ranking(store.db, {
      probe: TABLES,
      column: 'n_tup_ins',
      aggregate: 'sum',
      connection_ids: [id],
      from: T,
      to: T + 8 * MINUTE_MS,
      limit: 2,
    });
    expect(top.map(({ object, value, coverage }) => [object.relname, value, coverage])).toEqual([
      ['t3', 10_000, 0.5],
      ['t2', 123, 0.5],
    ]);
  });
});

it('refuses what makes no sense', async () => {
  const wrong = (query: Partial<BucketsQuery>) => buckets(store.db, ask(1, query));
  await expect(wrong({ column: 'kind' })).rejects.toThrow(/no numbers/);
  await expect(wrong({ aggregate: 'avg' })).rejects.toThrow(/sum or rate/);
  await expect(wrong({ where: { 'a"; drop': 1 } })).rejects.toThrow(/no dimension/);
  await expect(wrong({ database_name: 'x' })).rejects.toThrow(/tell databases apart/);
});
