// A datastore whose now() is what the test's clock says, for a day that passes in a minute. Its sessions find a function of
// that name before PostgreSQL's own.
import type { Clock } from '../../kernel/clock.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { openEngine } from '../../store/layout/engine/open.ts';
import { manualClock } from '../manual-clock.ts';
import { type TestDatabase, testDatabase } from '../servers/database.ts';

export interface SimulatedTime {
  database: TestDatabase;
  clock: Clock;
  advance(ms: number): Promise<void>;
}

const SEARCH_PATH = 'simulated,pg_catalog,matriarch,metrics,public';

/** A fresh database, on which it is `start` (milliseconds since the epoch). */
export async function simulatedTime(start: number): Promise<SimulatedTime> {
  const made = await testDatabase();
  await made.db.run(sql`/* test.schema */ create schema simulated`);
  await made.db.run(sql`/* test.instant */ create table simulated.instant (at timestamptz not null)`);
  await made.db.run(sql`/* test.now */
    create function simulated.now() returns timestamptz language sql stable parallel safe
    return (select at from simulated.instant)`);
  await made.db.run(sql`/* test.start */
    insert into simulated.instant (at) values (to_timestamp(${start / 1000}::float8))`);
  const db = new Database({
    url: made.url,
    log: silentLog,
    applicationName: 'matriarch test',
    max: 8,
    searchPath: SEARCH_PATH,
  });
  await openEngine(db);
  const clock = manualClock(start);
  const close = async () => {
    await db.stop();
    await made.close();
  };
  return {
    database: { ...made, db, close },
    clock,
    async advance(ms) {
      clock.advance(ms);
      await db.run(sql`/* test.advance */
        update simulated.instant set at = to_timestamp(${clock.now() / 1000}::float8)`);
    },
  };
}
