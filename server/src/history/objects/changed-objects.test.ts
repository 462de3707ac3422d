// What came and went between two times, against sets of objects that the test wrote: raw and packed, over a collector that
// was away, and what was there at the first look.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { keptRun, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { objectsGoneBetween, objectsMadeBetween } from './changed-objects.ts';

const layout = layoutOf(TABLES) ?? expect.fail();
let store: Storing;
let T: number;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
  T = Math.floor(now / HOUR_MS) * HOUR_MS - 12 * HOUR_MS;
});
afterAll(() => store.close());

/** Minutes after T and the tables there from then on. */
type Sets = readonly (readonly [at: number, relids: readonly number[]])[];

async function write(id: number, sets: Sets, [from, to]: readonly [number, number]): Promise<void> {
  const writer = store.writer({ probes: [TABLES] });
  for (let minute = from; minute < to; minute += 1) {
    const relids = sets.findLast(([since]) => since <= minute)?.[1] ?? [];
    const rows = relids.map((relid) => tableRow(relid, { ins: minute }));
    writer.add(
      keptRun(TABLES, { connection_id: id, at: T + minute * MINUTE_MS, rows, database_name: 'shop' }),
    );
  }
  await writer.flush();
  await writer.stop();
}

/** `12 -t3`: at minute 12 t3 went. */
async function changed(id: number, [from, to]: readonly [number, number]): Promise<string[]> {
  const of = {
    connection_ids: [id],
    from: T + from * MINUTE_MS,
    to: T + to * MINUTE_MS,
    without: [],
    limit: 100,
    most: 100,
  };
  const made = await objectsMadeBetween(store.db, { ...of, probes: [TABLES.name], without_statements: '^$' });
  const db = countedDb(store.db);
  const gone = await objectsGoneBetween(db, { ...of, probes: [TABLES] });
  expect(db.sent.length).toBeLessThanOrEqual(4);
  const said = (sign: string, { events }: typeof made) =>
    events.flatMap(({ at, change_count, objects }) => {
      expect(objects).toHaveLength(change_count);
      return objects.map(
        ({ object }) => `${Math.round((Date.parse(at) - T) / MINUTE_MS)} ${sign}${object.relname}`,
      );
    });
  return [...said('+', made), ...said('-', gone)].sort();
}

it('what came and went is told of raw and of packed readings alike', async () => {
  const id = await store.leased();
  const sets: Sets = [
    [0, [1, 2, 3]],
    [20, [1, 2, 3, 4]],
    [70, [1, 4]],
    [130, [1, 4, 5]],
    [200, [4, 5]],
  ];
  await write(id, sets, [0, 240]);
  const all = ['130 +t5', '20 +t4', '200 -t1', '70 -t2', '70 -t3'];
  expect(await changed(id, [0, 240])).toEqual(all);
  expect(await changed(id, [70, 130])).toEqual(['130 +t5', '70 -t2', '70 -t3']);
  expect(await changed(id, [71, 129])).toEqual([]);
  const { problems } = await runCompaction({ db: store.db, layouts: [layout], now });
  expect(problems).toEqual([]);
  // The last hour stays raw, with its keyframe: both kinds are read together.
  const { n } = await store.db.one<{ n: number }>(
    sql`/* test.raw */ select count(*)::int as n from metrics.test_tables__ticks`,
  );
  expect(n).toBe(61);
  expect(await changed(id, [0, 240])).toEqual(all);
  expect(await changed(id, [70, 130])).toEqual(['130 +t5', '70 -t2', '70 -t3']);
});

it('what went while nobody looked has gone when it is looked at again', async () => {
  const id = await store.leased();
  const sets: Sets = [
    [0, [1, 2]],
    [30, [1]],
  ];
  await write(id, sets, [0, 20]);
  await write(id, sets, [45, 60]);
  expect(await changed(id, [0, 60])).toEqual(['45 -t2']);
});

it('what is back at the end has not gone, and of whom nothing is kept nothing is told', async () => {
  const id = await store.leased();
  await write(
    id,
    [
      [0, [1, 2]],
      [10, [1]],
      [20, [1, 2]],
    ],
    [0, 30],
  );
  expect(await changed(id, [0, 30])).toEqual([]);
  expect(await changed(id, [5, 15])).toEqual(['10 -t2']);
  expect(await changed(await store.leased(), [0, 30])).toEqual([]);
});

it('partitions by the day of our own datastore are left out, and those of others named alike are not', async () => {
  const id = await store.leased();
  const sets: Sets = [
    [0, [1]],
    [10, [1, 2, 3]],
    [20, [1]],
  ];
  await write(id, sets, [0, 30]);
  const names = [
    ['2', 'metrics', 'pg_stat_all_tables__ticks_d20261130'],
    ['3', 'metrics', 'visits_d20261130'],
  ];
  for (const [relid, schemaname, relname] of names)
    await store.db.run(sql`/* test.names */
      update metrics.objects set labels = labels || ${{ schemaname, relname }}::jsonb
      where connection_id = ${id} and key ->> 'relid' = ${relid}`);
  expect(await changed(id, [0, 30])).toEqual(['10 +visits_d20261130', '20 -visits_d20261130']);
});
