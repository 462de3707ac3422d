// Settings that change while a probe is collected: retention, interval, and columns. Nothing else than what a setting
// says is lost, and nothing is kept longer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { defineProbe, type Probe } from '../../probes/types.ts';
import { buckets } from '../../testing/store/buckets.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { runCompaction } from '../compact/compact.ts';
import { readRows } from '../format/stored-rows.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import { ensureTables } from '../layout/tables.ts';
import type { MetricsWriter } from '../write/writer.ts';
import { runMaintenance } from './maintenance.ts';
import { purgeDeleted } from './purge.ts';

let store: Storing;
let now: number;
const probes: Probe[] = [SERVER, TABLES];
const layoutsOf = (all: readonly Probe[]) =>
  all.map(layoutOf).filter((one): one is TableLayout => one !== undefined);

beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
  for (const { name, intervalSeconds, retentionDays } of probes)
    await store.db.run(sql`
      insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
      values (${name}, ${intervalSeconds}, ${retentionDays})`);
});
afterAll(() => store.close());

const setTo = (id: number, { interval = 60, retention = 7 }) =>
  store.db.run(sql`
    insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
    select 'server', ${id}, p.probe_name, true, ${interval}, ${retention} from matriarch.probe_configs p
    on conflict (scope, scope_id, probe_name) do update
    set interval_seconds = excluded.interval_seconds, retention_days = excluded.retention_days`);

const maintain = () => runMaintenance({ db: store.db, probes, now });
const compact = (at = now) => runCompaction({ db: store.db, layouts: layoutsOf(probes), now: at });
const serverRun = (connection_id: number, at: number, reads = 1) =>
  keptRun(SERVER, { connection_id, at, rows: [{ kind: 'a', reads, load: 2 }] });

/** Days ago of which there is something, raw or packed. */
async function daysOf(id: number, probe: Probe = SERVER): Promise<number[]> {
  const [layout] = layoutsOf([probe]);
  if (!layout) throw new Error('no layout');
  const slice = { connection_id: id, from: now - 40 * DAY_MS, to: now + DAY_MS };
  const found = await readRows(store.db, layout, {
    ...slice,
    database_name: layout.byDatabase ? 'shop' : '',
  });
  const moments = [...found.samples, ...found.ticks].map(({ at }) => Math.round((now - at / 1000) / DAY_MS));
  return [...new Set(moments)].sort((a, b) => a - b);
}

/** Collects into these connections until told to stop; answers how many runs there were. */
function collect(writer: MetricsWriter, ids: readonly number[]) {
  let isOver = false;
  const loop = async () => {
    let n = 0;
    for (; !isOver; n += 1) {
      for (const id of ids) writer.add(serverRun(id, now + n * 1000, n));
      await writer.flush();
    }
    return n;
  };
  const done = loop();
  return () => {
    isOver = true;
    return done;
  };
}

describe('retention of one connection', () => {
  const AGES = [1, 4, 9, 20];

  async function filled(id: number): Promise<void> {
    const writer = store.writer({ probes });
    for (const age of AGES) {
      const at = now - age * DAY_MS;
      writer.add(serverRun(id, at));
      writer.add(keptRun(TABLES, { connection_id: id, at, rows: [tableRow(1)], database_name: 'shop' }));
    }
    await writer.flush();
    await writer.stop();
  }

  it('holds for it alone, longer or shorter than declared, and follows a change', async () => {
    const [short, usual, long] = [await store.leased(), await store.leased(), await store.leased()];
    await setTo(short, { retention: 2 });
    await setTo(long, { retention: 30 });
    expect((await maintain()).problems).toEqual([]);
    for (const id of [short, usual, long]) await filled(id);
    const writer = store.writer({ probes });
    const stop = collect(writer, [short, usual, long]);
    expect((await maintain()).problems).toEqual([]);
    expect((await compact()).problems).toEqual([]);
    for (const probe of [SERVER, TABLES]) {
      const today = probe === SERVER ? [0] : [];
      expect(await daysOf(short, probe)).toEqual([...today, 1]);
      expect(await daysOf(usual, probe)).toEqual([...today, 1, 4]);
      expect(await daysOf(long, probe)).toEqual([...today, 1, 4, 9, 20]);
    }
    await setTo(long, { retention: 5 });
    await setTo(usual, { retention: 2 });
    expect((await maintain()).problems).toEqual([]);
    expect((await compact()).problems).toEqual([]);
    const runs = await stop();
    await writer.flush();
    await writer.stop();
    expect(await daysOf(usual)).toEqual([0, 1]);
    expect(await daysOf(long)).toEqual([0, 1, 4]);
    const overdue = await store.db.rows(sql`select * from matriarch.overdue_partitions`);
    expect(overdue).toEqual([]);
    for (const id of [short, usual, long]) {
      const { n } = await store.db.one<{ n: number }>(sql`
        select count(*) as n from metrics.test_server t
        where t.connection_id = ${id} and t.collected_at >= ${new Date(now).toISOString()}::timestamptz`);
      expect(n).toBe(runs);
    }
  });

  it('is what is read by: rollups where its own samples are gone, and samples of who keeps them', async () => {
    const [short, long] = [await store.leased(), await store.leased()];
    await setTo(short, { retention: 2 });
    await setTo(long, { retention: 30 });
    expect((await maintain()).problems).toEqual([]);
    const begin = Math.floor(now / HOUR_MS) * HOUR_MS - 9 * DAY_MS;
    const writer = store.writer({ probes });
    for (let minute = 0; minute <= 120; minute += 1)
      for (const id of [short, long]) writer.add(serverRun(id, begin + minute * MINUTE_MS, 60 * minute));
    await writer.flush();
    await writer.stop();
    expect((await compact()).problems).toEqual([]);
    expect((await maintain()).problems).toEqual([]);
    expect([await daysOf(short), await daysOf(long)]).toEqual([[], [9]]);
    const query = { probe: SERVER, column: 'reads', from: begin, to: begin + 2 * HOUR_MS, buckets: 12 };
    const ask = async (...connection_ids: number[]) =>
      (await buckets(store.db, { ...query, aggregate: 'rate', connection_ids })).map(
        ({ connection_id, values }) => [connection_id, values.map((value) => value && Math.round(value))],
      );
    const whole = Array.from({ length: 12 }, () => 1);
    expect(await ask(short, long)).toEqual([
      [short, whole],
      [long, whole],
    ]);
    expect(await ask(short)).toEqual([[short, whole]]);
    // What is known from before holds as well.
    expect(await ask(short)).toEqual([[short, whole]]);
  });

  it('says which partitions outlive it', async () => {
    await store.db.run(sql`
      create table metrics.test_server_d20200101 partition of metrics.test_server
      for values from ('2020-01-01 00:00+00') to ('2020-01-02 00:00+00')`);
    const overdue = () =>
      store.db.rows<{ partition_name: string; overdue_days: string }>(
        sql`select partition_name, overdue_days from matriarch.overdue_partitions`,
      );
    expect(await overdue()).toMatchObject([{ partition_name: 'test_server_d20200101' }]);
    expect((await maintain()).dropped).toBe(1);
    expect(await overdue()).toEqual([]);
  });
});

describe('the interval of one connection', () => {
  it('makes no holes of what was collected before it changed, nor of what is collected since', async () => {
    const id = await store.leased();
    const other = await store.leased();
    const begin = Math.floor(now / HOUR_MS) * HOUR_MS - 12 * HOUR_MS;
    const writer = store.writer({ probes });
    const every = (minutes: number, { from, to }: { from: number; to: number }) => {
      for (let minute = from; minute < to; minute += minutes)
        for (const one of [id, other]) writer.add(serverRun(one, begin + (minute + 0.5) * MINUTE_MS, minute));
    };
    // Hours 0 to 3 by the minute, then every ten minutes; one server is set to that at hour 3.
    every(1, { from: 0, to: 180 });
    await writer.flush();
    expect((await compact(begin + 3 * HOUR_MS)).problems).toEqual([]);
    await setTo(id, { interval: 600 });
    expect((await compact(begin + 3 * HOUR_MS + MINUTE_MS)).problems).toEqual([]);
    every(10, { from: 180, to: 480 });
    await writer.flush();
    await writer.stop();
    expect((await compact(begin + 11 * HOUR_MS)).problems).toEqual([]);
    const query = {
      probe: SERVER,
      column: 'reads',
      from: begin,
      to: begin + 8 * HOUR_MS,
      buckets: 8,
    } as const;
    const ask = async (of: number) =>
      (
        await buckets(store.db, {
          ...query,
          aggregate: 'sum',
          connection_ids: [of],
          ...(of === id && { interval_seconds: 600 }),
        })
      )[0];
    const found = await ask(id);
    expect(found).toMatchObject({ tier: 'h1' });
    // From the first sample to the last one.
    expect(found?.coverage).toBeCloseTo(1 - 10 / 480, 2);
    expect(found?.values.every((value) => value !== null)).toBe(true);
    // Nobody said so of the other one: there every value after the third hour is a hole.
    expect((await ask(other))?.values.slice(4)).toEqual([null, null, null, null]);
  });
});

it('what was noted of a connection goes when it goes', async () => {
  const id = await store.leased();
  const changes = () =>
    store.db.rows(sql`select from matriarch.interval_changes x where x.connection_id = ${id}`);
  await setTo(id, { interval: 300 });
  await compact();
  expect(await changes()).toHaveLength(2);
  await store.db.run(sql`
    update matriarch.connections set deleted_at = now() - interval '1 minute' where id = ${id}`);
  await store.db.run(
    sql`update matriarch.connection_leases set expires_at = now() where connection_id = ${id}`,
  );
  await purgeDeleted({ db: store.db, signal: new AbortController().signal });
  expect(await changes()).toEqual([]);
});

describe('a column that is added', () => {
  const common = { intervalSeconds: 60, retentionDays: 7, sql: () => 'select', level: 'S' } as const;
  const column = (name: string) =>
    ({ name, type: 'bigint', kind: 'gauge', unit: 'count', description: 'Some.' }) as const;
  const grown = (...names: string[]) =>
    defineProbe({
      ...common,
      name: 'test_grown',
      description: 'Grows a column.',
      keeps: 'samples',
      columns: names.map(column),
    });

  it('is unknown before, known after, and collecting goes on under the old declaration', async () => {
    const [older, newer] = [grown('a'), grown('a', 'b')];
    const id = await store.leased();
    const begin = Math.floor(now / HOUR_MS) * HOUR_MS - 8 * HOUR_MS;
    const at = (minute: number) => begin + minute * MINUTE_MS;
    const writer = store.writer({ probes: [older] });
    const write = async (from: number, to: number) => {
      for (let minute = from; minute < to; minute += 1)
        writer.add(keptRun(older, { connection_id: id, at: at(minute), rows: [{ a: minute }] }));
      await writer.flush();
    };
    await write(0, 60);
    await runCompaction({ db: store.db, layouts: layoutsOf([older]), now: at(180) });
    expect([...(await ensureTables(store.db, [newer])).problems]).toEqual([]);
    await write(60, 90);
    const after = store.writer({ probes: [newer] });
    for (let minute = 90; minute < 180; minute += 1)
      after.add(keptRun(newer, { connection_id: id, at: at(minute), rows: [{ a: minute, b: 2 * minute }] }));
    await after.stop();
    await writer.flush();
    await writer.stop();
    const packed = await runCompaction({ db: store.db, layouts: layoutsOf([newer]), now });
    expect(packed.problems).toEqual([]);
    const ask = async (name: string, count: number) => {
      const of = { connection_ids: [id], from: at(0), to: at(180), buckets: count };
      return (await buckets(store.db, { ...of, probe: newer, column: name, aggregate: 'last' }))[0];
    };
    // A value stands for the minute before it.
    const minutes = Array.from({ length: 179 }, (_, n) => n + 1);
    expect((await ask('a', 180))?.values.slice(0, 179)).toEqual(minutes);
    expect((await ask('b', 180))?.values.slice(0, 179)).toEqual(
      minutes.map((minute) => (minute < 90 ? null : 2 * minute)),
    );
    expect(await ask('b', 3)).toMatchObject({
      tier: 'h1',
      values: [null, expect.any(Number), expect.any(Number)],
    });
  });
});
