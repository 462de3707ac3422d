// A server that was added a short while ago, read from rollups: a first level stands for its interval before, which begins before the
// server was added, and is not drawn there.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { defineProbe } from '../../probes/types.ts';
import { buckets } from '../../testing/store/buckets.ts';
import { keptRun, SERVER } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { runCompaction } from '../compact/compact.ts';
import { layoutOf } from '../layout/table-layout.ts';

const PROBE = defineProbe({ ...SERVER, name: 'slow_levels', intervalSeconds: 1200 });

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

it('is told of from rollups only since it was added', async () => {
  const { now } = await store.db.one<{ now: number }>(
    sql`select (extract(epoch from now()) * 1000)::bigint as now`,
  );
  // Of the day before: of today's hours the readings themselves may still be there.
  const T = Math.floor(now / DAY_MS) * DAY_MS - 20 * HOUR_MS;
  const id = await store.leased();
  await store.db.run(sql`/* test.added */
    update matriarch.connections set created_at = ${new Date(T + 245 * MINUTE_MS).toISOString()}::timestamptz
    where id = ${id}`);
  const writer = store.writer({ probes: [PROBE] });
  for (let minute = 250; minute <= 450; minute += 20)
    writer.add(
      keptRun(PROBE, {
        connection_id: id,
        at: T + minute * MINUTE_MS,
        rows: [{ kind: 'a', reads: minute, load: minute }],
      }),
    );
  await writer.flush();
  await writer.stop();
  const layouts = [layoutOf(PROBE)].flatMap((layout) => layout ?? []);
  expect((await runCompaction({ db: store.db, layouts, now })).problems).toEqual([]);
  const [found] = await buckets(store.db, {
    ...{ probe: PROBE, column: 'load', aggregate: 'avg', connection_ids: [id] },
    ...{ from: T, to: T + 8 * HOUR_MS, buckets: 4 },
  });
  expect(found?.tier).not.toBe('raw');
  // Its first reading, at 4:10, stands for the twenty minutes before, of which it knows five.
  expect(found?.values).toEqual([null, null, expect.closeTo(311.304, 3), expect.closeTo(414.444, 3)]);
});
