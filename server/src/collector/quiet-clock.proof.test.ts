// A collector that is alone asks its datastore seldom while nothing changes: counted over real seconds. What it hears of at once:
// quiet-clock.test.ts.
import { expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { furtherSamples, houseOnCluster, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';

it('looks around less than twice a second, and is told when a server is to be left alone', async () => {
  const { datastore, house } = await houseOnCluster();
  await datastore.query('create extension pg_stat_statements');
  const looks = async () => {
    const [row] = await datastore.query(
      `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
       where query ~ 'store.others|collector.view|collector.beat'`,
    );
    return Number(row?.calls);
  };
  const id = await house.connect(datastore);
  const collector = house.start({ probes: [EVERY_SECOND] });
  await furtherSamples(house, id, 3);
  const [from, began] = [await looks(), systemClock.monotonic()];
  await furtherSamples(house, id, 10);
  const seconds = (systemClock.monotonic() - began) / 1000;
  expect(((await looks()) - from) / seconds).toBeLessThan(2);
  await house.db.run(sql`update matriarch.connections set is_monitored = false where id = ${id}`);
  await expect.poll(() => collector.holding, SOON).toEqual([]);
});
