// Samples are rarer while nothing goes on, and replication that waits for work is no active session; the rest of the sampling is in
// active-sessions.kit.test.ts.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { activeSessions as activeSeries } from '../history/performance/active-sessions.ts';
import { systemClock } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { probe } from '../probes/pg-active-sessions.ts';
import type { Row } from '../store/layout/types.ts';
import { type Collecting, collecting } from '../testing/collecting.ts';
import { doing, ofApplication, sample, until } from '../testing/servers/active-scene.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { startCluster } from '../testing/servers/postgres.ts';

describe.each([14, 18] as const)('replication on PostgreSQL %i', (major) => {
  it('is no active session while it waits for work; those on the standby are seen', async () => {
    const primary = await startCluster({ major });
    onTestFinished(() => primary.stop());
    const standby = await startCluster({ major, standbyOf: primary });
    onTestFinished(() => standby.stop());
    await until(async () => {
      const [row] = await primary.query(`select state from pg_stat_replication`);
      return row?.state === 'streaming' ? true : undefined;
    });
    const client = await doing(standby, 'select pg_sleep(600)', { application_name: 'reader' });
    onTestFinished(() => client.end().catch(() => undefined));
    // What is at work for a moment, such as the start of a statement, is over at some sample.
    const isIdle = (rows: readonly Row[]) =>
      rows.every(({ backend_type }) => !/walsender|walreceiver|startup/.test(String(backend_type)));
    await until(async () => (isIdle((await sample(primary)).rows) ? true : undefined));
    const found = await until(async () => {
      const { rows } = await sample(standby);
      return isIdle(rows) && ofApplication(rows, 'reader')[0]?.wait_event === 'PgSleep' ? rows : undefined;
    });
    expect(ofApplication(found, 'reader')).toMatchObject([{ state: 'active', sessions: 1 }]);
  });
});

describe('sampling', () => {
  let house: Collecting;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const datastore = await testDatabase();
    house = await collecting(datastore.url);
    stop = async () => {
      await house.stop();
      await datastore.close();
    };
  });
  afterAll(() => stop());

  const gaps = (id: number) =>
    house.db.rows<{ gap: number; active: boolean }>(sql`
      select
        extract(epoch from t.at - lag(t.at) over (order by t.at))::float8 as gap,
        t.active
      from (
        select
          k.collected_at as at,
          exists (
            select from metrics.pg_active_sessions v
            where v.connection_id = ${id} and v.collected_at = k.collected_at and v.application_name = 'sleeper'
          ) as active
        from metrics.pg_active_sessions__ticks k
        where k.connection_id = ${id}
        group by 1
      ) t
      order by t.at`);

  it('is rarer while nothing goes on, and comes back with the first active session', async () => {
    const server = await startCluster({ major: 18 });
    onTestFinished(() => server.stop());
    const id = await house.connect(server);
    const from = systemClock.now();
    house.start({ probes: [probe] });
    await until(async () => {
      const rows = await gaps(id).catch(() => []);
      return rows.some(({ gap }) => gap >= 1.9) ? true : undefined;
    });
    const client = await doing(server, 'select pg_sleep(600)', { application_name: 'sleeper' });
    onTestFinished(() => client.end().catch(() => undefined));
    await until(async () => {
      const rows = await gaps(id);
      const first = rows.findIndex(({ active }) => active);
      return first !== -1 && rows.slice(first + 1).some(({ gap }) => gap < 1.5) ? true : undefined;
    });
    const to = systemClock.now();
    const series = await activeSeries(house.db, { connection_id: id, from, to, buckets: 1 });
    expect(series.members.map(({ name }) => name)).toContain('Timeout');
    expect(series.windows[0]?.coverage).toBeGreaterThan(0.5);
  });
});
