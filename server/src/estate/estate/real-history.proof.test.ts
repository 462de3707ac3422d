// The tiles of the estate on a real server under a load that the test makes, read by the real collector: sessions that
// sleep, and transactions that end between two samples. Guards: each number is the one that is known from outside.

import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { probe as activeSessions } from '../../probes/pg-active-sessions.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import type { Collecting } from '../../testing/collecting.ts';
import { newHouse, SOON } from '../../testing/collecting-tests.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { stopAtEnd } from '../../testing/servers/server-sets.ts';
import { estateRoutes } from './estate.routes.ts';
import type { EstateHistoryResponse, EstateTilesSchema } from './history.contract.ts';

const SLEEPERS = 3;
const TRANSACTIONS = 400;

async function client({ host, port, superuser, password }: TestCluster): Promise<pg.Client> {
  const made = new pg.Client({ host, port, user: superuser, password, database: 'postgres' });
  made.on('error', () => undefined);
  await made.connect();
  onTestFinished(() => made.end().catch(() => undefined));
  return made;
}

/** When a probe was read; the server is read again at once. */
async function readAnew(house: Collecting, id: number, of: readonly [probe: string, database?: string][]) {
  const after = systemClock.now();
  await house.db.run(sql`/* test.edit */
    update matriarch.connections set revision = revision + 1 where id = ${id}`);
  const times = async () =>
    (await Promise.all(of.map((one) => house.snapshot(id, ...one)))).map((run) =>
      Date.parse(run?.collected_at ?? ''),
    );
  await expect.poll(async () => (await times()).every((at) => at > after), SOON).toBe(true);
  return times();
}

it('sessions, transactions and limits are those of the server', { timeout: 240_000 }, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [estateRoutes], db: house.db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const server = await stopAtEnd(startCluster({ settings: { max_connections: 57 } }));
  const id = await house.connect(server);
  house.start();
  const ofDatabase = ['pg_stat_database', 'postgres'] as const;
  const worker = await client(server);
  const [began = 0] = await readAnew(house, id, [[...ofDatabase], ['pg_stat_activity']]);
  for (let n = 0; n < SLEEPERS; n += 1) {
    const sleeper = await client(server);
    sleeper.query('select pg_sleep(600)').catch(() => undefined);
  }
  for (let n = 0; n < TRANSACTIONS; n += 1) await worker.query('select 1');
  // Statistics of a session reach the view within a second.
  await worker.query('select pg_sleep(1.5)');
  const [ended = 0] = await readAnew(house, id, [
    [...ofDatabase],
    ['pg_stat_activity'],
    ['pg_stat_replication'],
  ]);
  const layouts = [activeSessions].flatMap((probe) => layoutOf(probe) ?? []);
  const rolledUp = async () => {
    await runCompaction({ db: house.db, layouts, now: systemClock.now() + 1_800_000 });
    return tiles();
  };
  const tiles = async (): Promise<Static<typeof EstateTilesSchema>> => {
    const { text } = await api.call('GET /api/v1/estate/history', { token });
    const { servers }: Static<typeof EstateHistoryResponse> = JSON.parse(text);
    const own = servers.find(({ connection_id }) => connection_id === id);
    if (!own) throw new Error('the server is not there');
    return own;
  };
  const found = await rolledUp();
  // Those that sleep, and the one that worked.
  expect(found.connections).toMatchObject({ used: SLEEPERS + 1, active: SLEEPERS, max: 57, reason: null });
  expect(found.lag).toMatchObject({
    seconds: null,
    reason: 'The server is no standby, and no standby is connected to it.',
  });
  expect(found.disk).toMatchObject({ used_percent: null, at: null });
  // Besides ours there is what the collector itself and autovacuum did.
  const counted = ((found.transactions.per_second ?? 0) * (ended - began)) / 1000;
  expect(counted).toBeGreaterThanOrEqual(TRANSACTIONS);
  expect(counted).toBeLessThan(TRANSACTIONS + 200);
  expect(found.load.sessions).toBeGreaterThan(0);
  expect(found.load.sessions).toBeLessThanOrEqual(SLEEPERS + 1);
});
