// What collecting costs is written down as it changes, and all of it once the datastore takes it again.
import { expect, it } from 'vitest';
import { StatementLedger } from '../estate/connections/statement-ledger.ts';
import { syncConfigs } from '../estate/probe-configs/probe-configs.queries.ts';
import { systemClock } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { readIntervals } from '../store/layout/intervals.ts';
import { newHouse } from '../testing/collecting-tests.ts';
import { sharedServer } from '../testing/servers/postgres.ts';
import { probeNamed } from '../testing/servers/probing.ts';
import { collectedHistory } from '../testing/store/collected.ts';
import { flushCosts } from './flush-costs.ts';
import { OwnCost } from './own-cost.ts';

const CONNECTIONS = 40;
const PROBES = Array.from({ length: 60 }, (_, n) => `probe_${n}`);

it('writes of more servers than fit in one statement, and loses nothing that the datastore refused', async () => {
  const { db, connect } = await newHouse();
  const server = await sharedServer(18);
  const ids: number[] = [];
  for (let n = 0; n < CONNECTIONS; n += 1) ids.push(await connect(server));
  await db.run(sql`/* test.leases */
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    select id, 'test', 3, now() + interval '1 hour' from unnest(${ids}::integer[]) as id`);
  const ledger = new StatementLedger();
  const costs = ids.map(() => new OwnCost({ budgetPercent: 0.5 }));
  const ran = (took_ms: number) => {
    for (const own of costs)
      for (const probe of PROBES) own.note(probe, { took_ms, rows: 1 }, systemClock.monotonic());
  };
  const servers = ids.map((connection_id, n) => ({
    connection_id,
    epoch: 3,
    costs: () => costs[n]?.report([], systemClock.monotonic()) ?? [],
    costsLost: () => costs[n]?.reportAnew(),
  }));
  const flush = () => flushCosts({ db, clock: systemClock, ledger, servers });
  const stored = () =>
    db.one(sql`/* test.costs */
      select count(*)::int as count, sum(runs)::int as runs, max(max_ms) as most from matriarch.probe_costs`);
  ran(1);
  await db.run(sql`alter table matriarch.probe_costs rename to away`);
  await expect(flush()).rejects.toThrow('probe_costs');
  await db.run(sql`alter table matriarch.away rename to probe_costs`);
  await flush();
  const all = CONNECTIONS * (PROBES.length + 1);
  expect(await stored()).toEqual({ count: all, runs: CONNECTIONS * PROBES.length, most: 1 });
  costs[7]?.note('probe_9', { took_ms: 5, rows: 1 }, systemClock.monotonic());
  await flush();
  expect(await stored()).toEqual({ count: all, runs: CONNECTIONS * PROBES.length + 1, most: 5 });
});

it('notes at once how often a probe runs that was made rarer, so that nobody takes its samples for missing', async () => {
  const { db, connect } = await newHouse();
  const id = await connect(await sharedServer(18));
  const probe = probeNamed('pg_stat_all_tables');
  await syncConfigs(db, [probe]);
  await collectedHistory(db, [{ connection_id: id, probe: probe.name, database_name: 'shop', rows: [] }]);
  const own = new OwnCost({ budgetPercent: 0.5 });
  const planned = [{ probe, reads: 300 }];
  const servers = [
    {
      connection_id: id,
      epoch: 1,
      costs: () => own.report(planned, systemClock.monotonic()),
      costsLost: () => own.reportAnew(),
    },
  ];
  const flush = () => flushCosts({ db, clock: systemClock, ledger: new StatementLedger(), servers });
  const within = async () => {
    const layout = { probe: probe.name, intervalSeconds: 300, busyIntervalSeconds: 300 };
    const now = await db.one<{ now: number }>(sql`select (extract(epoch from now()) * 1000)::float8 as now`);
    return (await readIntervals(db)).within(layout, id, { from: now.now, to: now.now });
  };
  own.note(probe.name, { took_ms: 40, rows: 1 }, systemClock.monotonic());
  // 4 % of a core: an eighth of it is within the budget.
  expect(own.settle(planned, systemClock.monotonic())).toEqual(new Map([[probe.name, 8]]));
  await flush();
  expect(await within()).toBe(2400);
});
