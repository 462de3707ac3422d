// Stores that a version before has written have rollups of minutes that are no longer made: they go by their retention, and what is
// still registered of them misleads nobody.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { defineProbe } from '../../probes/types.ts';
import { buckets } from '../../testing/store/buckets.ts';
import { keptRun, SERVER } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { runCompaction } from '../compact/compact.ts';
import { plain } from '../layout/engine/plain.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { registerTier } from '../layout/tier-tables.queries.ts';
import { rollupName, rollupTable, TIERS } from '../layout/tiers.ts';
import { storeForecast } from '../upkeep/forecast.ts';
import { storeStatus } from '../upkeep/status.ts';

/** Of which a minute holds two samples. */
const PROBE = defineProbe({ ...SERVER, name: 'half_minutes', intervalSeconds: 30 });
const layouts = [layoutOf(PROBE)].flatMap((layout) => layout ?? []);

let store: Storing;
let id: number;
let T: number;
let now: number;
beforeAll(async () => {
  store = await storing();
  ({ now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  ));
  T = Math.floor(now / HOUR_MS) * HOUR_MS - 8 * HOUR_MS;
  id = await store.leased();
  const writer = store.writer({ probes: [PROBE] });
  for (let n = 0; n < 5 * 120; n += 1)
    writer.add(
      keptRun(PROBE, {
        connection_id: id,
        at: T + n * 30_000 + 5000,
        rows: [{ kind: 'a', reads: n, load: 1 }],
      }),
    );
  await writer.flush();
  await writer.stop();
  expect((await runCompaction({ db: store.db, layouts, now })).problems).toEqual([]);
});
afterAll(() => store.close());

it('reads samples instead, whatever is registered of minutes', async () => {
  const tiers = await store.db.rows<{ tier: string }>(
    sql`select tier from matriarch.tier_tables order by tier`,
  );
  expect(tiers.map(({ tier }) => tier)).toEqual(['h1', 'h1p', 'm15', 'm15p', 'packed']);
  const [layout] = layouts;
  const minutes = TIERS.find(({ name }) => name === 'm1');
  if (!layout || !minutes) throw new Error('minutes are a tier');
  const table_name = rollupName(layout, minutes);
  await plain.createTable(store.db, rollupTable(layout, minutes));
  await plain.makePartition(store.db, table_name, T);
  await store.db.run(
    registerTier({ table_name, probe: PROBE.name, tier: 'm1', retention_days: 7, names_objects: true }),
  );
  const until = new Date(T + 2 * HOUR_MS).toISOString();
  await store.db.run(sql`
    update matriarch.tier_tables set filled_until = ${until}::timestamptz where tier = 'm1'`);

  const window = { from: T + 10 * 60_000, to: T + 4 * HOUR_MS + 10 * 60_000, buckets: 240 };
  const [found] = await buckets(store.db, {
    probe: PROBE,
    column: 'reads',
    aggregate: 'sum',
    connection_ids: [id],
    ...window,
  });
  expect(found).toMatchObject({ tier: 'raw', coverage: 1 });
  expect(new Set(found?.values)).toEqual(new Set([2]));

  // It is counted with the others, and goes when its time has come.
  const status = await storeStatus(store.db, { now });
  expect(status.tiers.find((tier) => tier.table_name === table_name)).toMatchObject({
    partitions: 1,
    filled_until: until,
  });
  expect((await storeForecast(store.db, { now })).map(({ probe }) => probe)).toEqual([PROBE.name]);
  expect((await runCompaction({ db: store.db, layouts, now: now + 9 * 24 * HOUR_MS })).problems).toEqual([]);
  const later = await storeStatus(store.db, { now });
  expect(later.tiers.find((tier) => tier.table_name === table_name)).toMatchObject({
    partitions: 0,
    filled_until: until,
  });
});
