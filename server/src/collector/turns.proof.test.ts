// Connections that are due at the same moment are read one after the other, so that no response time holds the reading of
// another server's answers; and one that takes long keeps the others waiting no longer than its turn.
import { expect, it, onTestFinished } from 'vitest';
import { greatest } from '../kernel/lists.ts';
import { sql } from '../kernel/sql.ts';
import { defineProbe } from '../probes/types.ts';
import { movedSamples, newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { sqlProbe } from '../testing/servers/database-probes.ts';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';

const { roundTripColumn: _, ...pulse } = EVERY_SECOND;

/** Takes a tenth of a second, and counts the sessions that run it at the same time. */
const TOGETHER = defineProbe({
  ...pulse,
  name: 'together',
  columns: [{ name: 'others', type: 'bigint', kind: 'gauge', description: 'Sessions beside this one.' }],
  sql: () => `select (
    select count(*)
    from pg_catalog.pg_stat_get_activity(null) a
    where a.state = 'active' and a.pid <> pg_catalog.pg_backend_pid() and a.query ~ 'probe[.]together'
  ) as others
  from pg_catalog.pg_sleep(0.1)`,
});

/** What so many samples of each of three connections counted; a turn lasts at most so long. */
async function others(turnMs: number, samples: number): Promise<number[]> {
  const house = await newHouse();
  const server = await sharedServer(18);
  const ids = [await house.connect(server), await house.connect(server), await house.connect(server)];
  house.start({ probes: [EVERY_SECOND, TOGETHER], turnMs });
  for (const id of ids) await movedSamples(house, id, 2);
  const counted = new Map<string, number>();
  const look = async () => {
    for (const id of ids) {
      const snapshot = await house.snapshot(id, 'together');
      for (const { others: count } of snapshot?.rows ?? [])
        counted.set(`${id} ${snapshot?.collected_at}`, Number(count));
    }
    return counted.size;
  };
  await pollMoved(house, look).toBeGreaterThanOrEqual(samples * ids.length);
  return [...counted.values()];
}

it('reads one after the other', async () => {
  expect(greatest(await others(60_000, 5), 0)).toBe(0);
});

it('waits no longer than a turn for one that takes long', async () => {
  expect(greatest(await others(1, 5), 0)).toBeGreaterThan(0);
});

it('is over before the datastore is asked for texts of statements', async () => {
  const house = await newHouse();
  const other = await house.connect(await sharedServer(18));
  const server = await startCluster({ major: 18 });
  onTestFinished(() => server.stop());
  await server.query('create extension pg_stat_statements');
  const statements = { ...sqlProbe('pg_stat_statements'), intervalSeconds: 5 };
  house.start({ probes: [EVERY_SECOND, statements], turnMs: 600_000, textsMs: 600_000 });
  // A wait ends after some seconds and the next begins minutes later, so the other one is to be read all the time before.
  await movedSamples(house, other, 2);
  /** Whether the other one was read since somebody has begun to wait for the table of texts, and still does. */
  const isReadMeanwhile = async () => {
    const found = await house.db.maybe(sql`/* test.waiting */
      select 1
      from pg_locks l
      join metrics.current_snapshots s on s.connection_id = ${other} and s.probe = 'pulse'
      where not l.granted and l.relation = 'metrics.queries'::regclass and s.collected_at > l.waitstart`);
    return found !== undefined;
  };
  await house.db.transaction(async (db) => {
    await db.run(sql`set local idle_in_transaction_session_timeout = 0`);
    await db.run(sql`lock table metrics.queries`);
    await house.connect(server);
    await pollMoved(house, isReadMeanwhile).toBe(true);
  });
});
