// A server of many databases is an ordinary server: reading it slows down nothing that guards against disaster, takes hardly any
// entry of its pg_stat_statements, and calls nothing missing that we made rarer ourselves.
import { expect, it, onTestFinished } from 'vitest';
import { staleness } from '../history/newest/kinds.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import { type Metric, metricOf } from '../probes/metrics.ts';
import { isSqlProbe } from '../probes/types.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { startCluster } from '../testing/servers/postgres.ts';

const DATABASES = 30;
const LIMIT = 250;

type Server = Awaited<ReturnType<typeof startCluster>>;

async function manyDatabases(): Promise<Server> {
  const server = await startCluster({
    major: 18,
    settings: { 'pg_stat_statements.track': 'top', 'pg_stat_statements.max': 5000 },
  });
  onTestFinished(() => server.stop());
  await server.query('create extension pg_stat_statements');
  for (let n = 0; n < DATABASES; n += 1)
    await server.query(`create database many_${n} template template0 strategy file_copy`);
  await server.query("create role watcher login password 'watcher' in role pg_monitor");
  return server;
}

const config = (budget_percent: number) => ({
  connect_timeout_seconds: 5,
  connects_per_second: 1000,
  concurrency: 8,
  budget_percent,
  masked_parameters: [],
});

type House = Awaited<ReturnType<typeof newHouse>>;

/** Databases of which tables were read, and of which they were not, with the reason. */
async function visits(house: House, id: number) {
  const runs = (await house.snapshots(id)).filter(({ probe }) => probe === 'pg_stat_all_tables');
  return {
    read: runs.filter(({ outcome }) => outcome === 'ran').length,
    held: runs.filter(({ reason }) => /pg_stat_statements/.test(reason ?? '')),
  };
}

function metric(): Metric {
  const one = probes.flatMap((probe) => metricOf(probe, 'probe_staleness_ratio') ?? []).at(0);
  if (!one) throw new Error('there is no such metric');
  return one;
}

/** Entries of our role there. */
async function entries(server: Server, role: string): Promise<number> {
  const [row] = await server.query(
    `select count(*)::int as count from pg_stat_statements s join pg_roles r on r.oid = s.userid where r.rolname = '${role}'`,
  );
  return Number(row?.count);
}

const ownEntries = (house: House, id: number) =>
  house.db.maybe(sql`/* test.entries */
    select statement_entries as count, statement_entries_limit as most
    from matriarch.probe_costs where connection_id = ${id} and probe = 'collector'`);

it('makes only what is dear rarer, keeps what guards, and misses nothing', async () => {
  const house = await newHouse();
  const server = await manyDatabases();
  const id = await house.connect(server);
  house.start({ config: config(0.01), writeDownMs: 200 });
  await pollMoved(house, async () => (await visits(house, id)).read, 0.2).toBe(DATABASES + 1);
  const slowed = () =>
    house.db.rows<{ probe: string; interval_seconds: number }>(sql`/* test.slowed */
      select probe, interval_seconds from matriarch.probe_costs where connection_id = ${id} and note is not null`);
  await pollMoved(house, async () => (await slowed()).length).toBeGreaterThan(0);
  const guards = new Map(
    probes.filter(isSqlProbe).map((probe) => [probe.name as string, probe.guardSeconds]),
  );
  for (const { probe, interval_seconds } of await slowed())
    expect(interval_seconds, probe).toBeLessThanOrEqual(guards.get(probe) ?? Number.POSITIVE_INFINITY);
  // Nothing that was made rarer is called missing.
  const missing = async () => {
    const values = await staleness(house.db, {
      metric: metric(),
      connection_ids: [id],
      now: house.clock.now(),
    });
    return values.filter(({ value }) => (value ?? 0) > 3).map(({ object }) => object.probe);
  };
  for (let minute = 0; minute < 12; minute += 1) {
    await pollMoved(house, missing, 0).toEqual([]);
    for (let step = 0; step < 12; step += 1) {
      house.clock.advance(5000);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
  // A superuser's sessions leave no trace at all.
  expect(await ownEntries(house, id)).toEqual({ count: 0, most: LIMIT });
});

it('takes no more than a twentieth of pg_stat_statements, says so, and nothing at all once the role is set so', async () => {
  const house = await newHouse();
  const server = await manyDatabases();
  const id = await house.connect(server, { username: 'watcher', password: 'watcher' });
  house.start({ config: config(100), writeDownMs: 200 });
  const seen = async () => {
    const { read, held } = await visits(house, id);
    return read + held.length;
  };
  await pollMoved(house, seen).toBe(DATABASES + 1);
  const { read, held } = await visits(house, id);
  expect(read).toBeGreaterThan(5);
  expect(held.length).toBeGreaterThan(DATABASES / 2);
  const counted = await entries(server, 'watcher');
  expect(counted).toBeLessThanOrEqual(LIMIT);
  await pollMoved(house, () => ownEntries(house, id)).toMatchObject({ most: LIMIT });
  const mend = held[0]?.mend ?? '';
  expect(mend).toBe("alter role watcher set pg_stat_statements.track = 'none';");
  await server.query(mend);
  await house.db.run(
    sql`update matriarch.connections set retest_requested_at = now() + interval '1 day' where id = ${id}`,
  );
  await pollMoved(house, async () => (await visits(house, id)).read).toBe(DATABASES + 1);
  expect(await entries(server, 'watcher')).toBeLessThanOrEqual(LIMIT);
  await pollMoved(house, () => ownEntries(house, id)).toEqual({ count: 0, most: LIMIT });
});
