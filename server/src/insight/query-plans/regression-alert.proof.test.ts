// The alert on a slower plan, on real servers: an index is dropped, a collector reads the plans in the log, the alert names what changed,
// and goes with the slower plan. Few runs, a restart and a plan that was slow from its birth raise nothing.
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import type { Ctx } from '../../identity/identity.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { type Collecting, collecting } from '../../testing/collecting.ts';
import { pollMoved } from '../../testing/collecting-tests.ts';
import { loggingServer, MON, READING, started } from '../../testing/logs/logging-server.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { testDatabase } from '../../testing/servers/database.ts';
import type { Major, TestCluster } from '../../testing/servers/postgres.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { looked } from '../../testing/store/logged.ts';
import { endMajors } from '../../testing/tier.ts';
import { keepDueRegressions } from './regressions.service.ts';

const PLANS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_format': 'json',
  log_line_prefix: '%m [%p] %q%u@%d %Q ',
  compute_query_id: 'on',
  max_parallel_workers_per_gather: 0,
};

/** Each row that is read takes two milliseconds, and no processor. */
const TABLE = [
  `create function pause() returns boolean language plpgsql volatile cost 0.0001
    as $$ begin perform pg_sleep(0.002); return true; end $$`,
  'create table orders as select g as id, g % 500 as customer from generate_series(1, 1000) g',
  'create index orders_customer on orders (customer)',
  'vacuum analyze orders',
  // Of many plans in a piece of the log a sample is read: the collector's own would make it one.
  `alter role ${MON.username} set auto_explain.log_min_duration = -1`,
];
const STATEMENT = 'select count(*) from orders where pause() and customer = 7';
const SESSIONS = 10;

/** So many times by each of ten sessions at once. */
async function runs(server: TestCluster, times: number, statement = STATEMENT): Promise<void> {
  const session = async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (let n = 0; n < times; n += 1) await client.query(statement);
    await client.end();
  };
  await Promise.all(Array.from({ length: SESSIONS }, session));
}

interface Watching {
  server: TestCluster;
  house: Alerting;
  herd: Collecting;
  id: number;
}

const ctxOf = ({ house }: Watching, now: number): Ctx => ({
  db: house.db,
  clock: manualClock(now),
  log: silentLog,
  signal: new AbortController().signal,
  principal: systemPrincipal('server'),
});

/** Plans are compared anew, as after a minute, and judged. */
async function judged(at: Watching, ahead = 0) {
  const now = Date.now() + ahead;
  await at.house.db.run(sql`/* test.due */
    update matriarch.plan_regressions set made_at = made_at - interval '2 minutes'`);
  await keepDueRegressions(ctxOf(at, now));
  await at.house.round({ now: Date.now() + 1000 });
  const all = await at.house.alerts();
  return all.filter((one) => one.connection_id === at.id && one.raised_by === 'rule:log_plan_regression');
}

async function watching(major: Major): Promise<Watching> {
  const server = await loggingServer(PLANS, major);
  for (const statement of TABLE) await server.query(statement);
  const database = await testDatabase();
  const house = await alerting({ hasTables: true, database });
  const herd = await collecting(database.url);
  onTestFinished(async () => {
    await herd.stop();
    await house.close();
  });
  const id = await herd.connect(server, MON);
  herd.start(READING);
  await started(herd, id);
  return { server, house, herd, id };
}

const loggedRuns = async ({ house, id }: Watching) => {
  const row = await house.db.one<{ runs: number }>(sql`
    select coalesce(sum(p.logged), 0)::int as runs from matriarch.query_plans p
    where p.connection_id = ${id} and p.outline like '%Aggregate%orders%'`);
  return row.runs;
};

async function indexesRead({ herd, id }: Watching): Promise<void> {
  const newest = async () =>
    (await herd.snapshots(id)).find(({ probe }) => probe === 'pg_stat_all_indexes')?.collected_at;
  const before = await newest();
  await pollMoved(herd, async () => (await newest()) !== before, 30).toBe(true);
}

describe.each(endMajors)('a slower plan of PostgreSQL %i', (major) => {
  it('raises an alert that names what changed, and clears when it has gone', async () => {
    const at = await watching(major);
    const { server, herd, house, id } = at;
    // Slow from its birth, and never another.
    await runs(server, 1, 'select count(*) from orders where pause()');
    await runs(server, 2);
    await pollMoved(herd, () => loggedRuns(at)).toBe(30);
    await indexesRead(at);
    expect(await judged(at)).toEqual([]);
    await server.query('drop index orders_customer');
    const few = new pg.Client({ connectionString: server.url });
    await few.connect();
    for (let n = 0; n < 4; n += 1) await few.query(STATEMENT);
    await few.end();
    await pollMoved(herd, () => loggedRuns(at)).toBe(34);
    expect(await judged(at)).toEqual([]);
    await server.shutdown();
    await server.start();
    await runs(server, 3);
    await pollMoved(herd, () => loggedRuns(at)).toBe(64);
    // That the index is gone is known when indexes were read again; the alert says so then.
    await pollMoved(herd, async () => (await judged(at))[0]?.description ?? '', 30).toContain('was dropped');
    const [alert, ...others] = await judged(at);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      status: 'active',
      database_name: 'postgres',
      object_name: expect.stringMatching(/^statement -?\d+$/),
      title: expect.stringMatching(/^Slower plan of statement -?\d+ in database "postgres"$/),
      description: expect.stringMatching(
        /^A run takes \d+ times as long as with the previous plan \([\d.]+ ms before, [\d.]+ s in \d+ runs since .* UTC;.* Index "orders_customer" on "orders" was dropped;.* threshold 3\)\./,
      ),
    });
    expect(alert?.metric_value).toBeGreaterThan(10);
    await judged(at);
    // It was not logged for an hour, and the log was read.
    for (const n of [1, 2]) {
      await looked(house.db, { connection_id: id, at: Date.now() });
      await judged(at, HOUR_MS + n * 60_000);
    }
    expect(await judged(at, HOUR_MS + 180_000)).toMatchObject([{ status: 'cleared' }]);
  }, 170_000);
});
