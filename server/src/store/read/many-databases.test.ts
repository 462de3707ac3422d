// What is asked of a few objects of a server of many databases reads little of the others: of a filter the databases that have such an
// object, of a page of rows the columns by which they are ordered, and all columns of those that are shown.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../kernel/db.ts';
import { until } from '../../kernel/leaving.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { metricOf } from '../../probes/metrics.ts';
import { keptRun, TABLES, tableRow } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { metricBuckets } from './metric.ts';
import { type NewestQuery, newestPage } from './newest.ts';

const DATABASES = 30;
const EACH = 40;
const RUNS = 4;
let store: Storing;
let id: number;
let T: number;
beforeAll(async () => {
  store = await storing();
  id = await store.leased();
  T = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;
  const writer = store.writer({ probes: [TABLES] });
  for (let run = 0; run < RUNS; run += 1)
    for (let database = 0; database < DATABASES; database += 1) {
      const rows = Array.from({ length: EACH }, (_none, n) => {
        const relid = 1000 * database + n;
        return tableRow(relid, {
          ins: relid + run * (n % 3),
          scans: run * n,
          size: 8192 * ((relid * 7919) % 1201),
        });
      });
      const at = T + run * MINUTE_MS;
      writer.add(keptRun(TABLES, { connection_id: id, at, rows, database_name: `d${database}` }));
    }
  await writer.flush();
  await writer.stop();
});
afterAll(() => store.close());

/** Counts what comes of statements of that name. */
function listening(name: string): { db: Db; rows: () => number; characters: () => number } {
  let [rows, characters] = [0, 0];
  const none = new AbortController();
  const db = until(store.db, () => none.signal);
  const own: Db = {
    ...db,
    base: store.db,
    rows: async <T extends object>(statement: Parameters<Db['rows']>[0]) => {
      const found = await store.db.rows<T>(statement);
      if (statement.text.includes(name)) {
        rows += found.length;
        characters += JSON.stringify(found).length;
      }
      return found;
    },
  };
  return { db: own, rows: () => rows, characters: () => characters };
}

it('a filter reads the databases that have what it names', async () => {
  const metrics = ['n_tup_ins', 'table_size'].flatMap((name) => metricOf(TABLES, name) ?? []);
  const ask = (db: Db, where: Record<string, string>) =>
    metricBuckets(db, {
      ...{ probe: TABLES, metrics, connection_ids: [id], aggregate: 'avg', where },
      ...{ from: T - MINUTE_MS, to: T + RUNS * MINUTE_MS, buckets: 5 },
    });
  const heard = listening('store.read_stored');
  const [grown] = await ask(heard.db, { relname: 't5011' });
  expect(grown?.whole).toBe(6);
  // A keyframe and what changed of the one database, and not of thirty.
  expect(heard.rows()).toBeLessThanOrEqual(2 * RUNS);
  const [none] = await ask(store.db, { relname: 'nowhere' });
  expect(none?.whole ?? null).toBeNull();
});

const QUERIES: readonly Partial<NewestQuery>[] = [
  {},
  { order: { column: 'table_size', descending: true } },
  { order: { column: 'n_tup_ins' } },
  { order: { column: 'relname' } },
  {
    keep: {
      columns: ['relname', 'seq_scan'],
      test: (row) => String(row.relname).endsWith('7') && row.seq_scan !== 0,
    },
  },
];

it.each(QUERIES)('a page of %o is a part of all rows', async (query) => {
  const common = { probe: TABLES, connection_ids: [id], ...query };
  const all = await newestPage(store.db, common);
  for (const offset of [0, 17, all.total - 3, all.total + 5]) {
    const page = await newestPage(store.db, { ...common, limit: 10, offset });
    expect(page.total).toBe(all.total);
    expect(page.rows).toEqual(all.rows.slice(offset, offset + 10));
  }
});

it('and little is read of the rows that are not shown', async () => {
  const ask = async (query: Partial<NewestQuery>) => {
    const heard = listening('store.newest_ticks');
    await newestPage(heard.db, { probe: TABLES, connection_ids: [id], ...query });
    return heard.characters();
  };
  const order = { column: 'table_size' };
  expect(await ask({ order, limit: 10 })).toBeLessThan((await ask({ order })) * 0.8);
});
