// What collecting costs is written down as it changes, and all of it once the datastore takes it again.
import { expect, it } from 'vitest';
import { StatementLedger } from '../areas/connections/statement-ledger.ts';
import { systemClock } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { newHouse } from '../testing/collecting-tests.ts';
import { sharedServer } from '../testing/servers/postgres.ts';
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
