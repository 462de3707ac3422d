// Lag within a cluster over HTTP, of samples that the test wrote: whose it is, in which bucket, and what nobody can know.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { detected, relate } from '../../testing/store/clusters.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import type { ClusterLag } from './cluster-lag.contract.ts';
import { clustersRoutes } from './clusters.routes.ts';

type Lag = Static<typeof ClusterLag>;

let test: TestApi;
let boss: string;
/** On a whole hour, three to four hours ago. */
let T: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [clustersRoutes] });
  boss = test.actors.superuser.session;
  T = Math.floor(systemClock.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS;
});
afterAll(() => test.close());
const between = (from: number, to: number) => `start_time=${iso(from)}&end_time=${iso(to)}`;

async function lagOf(id: number, query: string, token = boss): Promise<Lag> {
  test.statements.reset();
  const { status, text } = await test.call(`GET /api/v1/clusters/server-${id}/lag?${query}`, { token });
  expect(status, text).toBe(200);
  expect(
    test.statements.sent.filter((one) => /\/\* (clusters|store)\./.test(one)).length,
  ).toBeLessThanOrEqual(7);
  return JSON.parse(text);
}

/** A primary and standbys of it with these addresses, each of an owner of its own. */
async function replicating(hosts: readonly string[]) {
  const owner = await makeUser(test.db);
  const primary = await makeConnection(test.db, { owner_id: owner.user_id, name: 'orders-a' });
  const standbys: number[] = [];
  for (const host of hosts) {
    const { user_id } = await makeUser(test.db);
    const id = await makeConnection(test.db, { owner_id: user_id, name: `of ${primary} at ${host}` });
    await test.db.run(sql`/* test.host */ update matriarch.connections set host = ${host} where id = ${id}`);
    standbys.push(id);
  }
  await detected(test.db, {
    key: `binary:${primary}`,
    name: 'orders',
    type: 'binary',
    servers: [
      { connection_id: primary },
      ...standbys.map((connection_id) => ({ connection_id, parent: primary })),
    ],
  });
  for (const source of standbys) await relate(test.db, { source, target: primary });
  return { owner, primary, standbys };
}

const sender = (client_addr: string, more: Row): Row => ({
  role: 'primary',
  pid: 71,
  application_name: 'walreceiver',
  client_addr,
  state: 'streaming',
  ...more,
});

const samples = (connection_id: number, rows: Readonly<Record<number, readonly Row[]>>) =>
  collectedHistory(
    test.db,
    Object.entries(rows).map(([minute, own]) => ({
      connection_id,
      probe: 'pg_stat_replication',
      at: T + Number(minute) * MINUTE_MS,
      rows: own,
    })),
  );

describe('lag within a cluster', () => {
  it('is that of each standby, the largest in each bucket; where nothing was measured it is null', async () => {
    const { primary, standbys } = await replicating(['10.1.0.2', '10.1.0.3']);
    const [b, c] = standbys;
    await samples(primary, {
      0: [
        sender('10.1.0.2', { pid: 71, lag_bytes: 100, replay_lag: 0.5 }),
        sender('10.1.0.3', { pid: 72, lag_bytes: 7, replay_lag: null }),
      ],
      // It has connected again, and is the same standby.
      1: [
        sender('10.1.0.2', { pid: 88, lag_bytes: 900, replay_lag: 4 }),
        sender('10.1.0.3', { pid: 72, lag_bytes: 8, replay_lag: null }),
      ],
      25: [sender('10.1.0.3', { pid: 72, lag_bytes: 9, replay_lag: 1 })],
    });
    const found = await lagOf(primary, `${between(T, T + 30 * MINUTE_MS)}&buckets=3`);
    expect(found).toEqual({
      start_time: iso(T),
      end_time: iso(T + 30 * MINUTE_MS),
      bucket_seconds: 600,
      metrics: [
        {
          name: 'lag_bytes',
          unit: 'bytes',
          description: expect.stringContaining('to what is replayed, else flushed'),
        },
        { name: 'replay_lag_seconds', unit: 'seconds', description: expect.any(String) },
      ],
      streams: [
        {
          source_connection_id: b,
          target_connection_id: primary,
          application_name: null,
          lag_bytes: { values: [900, null, null] },
          replay_lag_seconds: { values: [4, null, null] },
          reason: null,
        },
        {
          source_connection_id: c,
          target_connection_id: primary,
          application_name: 'walreceiver',
          lag_bytes: { values: [8, null, 9] },
          replay_lag_seconds: { values: [null, null, 1] },
          reason: null,
        },
      ],
    });
    const earlier = await lagOf(
      primary,
      `${between(T + 10 * MINUTE_MS, T + 20 * MINUTE_MS)}&buckets=1&compare=previous`,
    );
    expect(earlier.compared_start_time).toBe(iso(T));
    expect(earlier.streams.map(({ lag_bytes }) => lag_bytes)).toEqual([
      { values: [null], compared: [900] },
      { values: [null], compared: [8] },
    ]);
  });

  it('is nobody’s where two standbys could have been served, and says what tells them apart', async () => {
    const { primary, standbys } = await replicating(['127.0.0.1', '127.0.0.1']);
    await samples(primary, {
      0: [sender('127.0.0.1', { pid: 71, lag_bytes: 100 }), sender('127.0.0.1', { pid: 72, lag_bytes: 7 })],
    });
    const { streams } = await lagOf(primary, `${between(T - MINUTE_MS, T + MINUTE_MS)}&buckets=1`);
    expect(streams).toMatchObject(
      standbys.map((source_connection_id) => ({
        source_connection_id,
        lag_bytes: { values: [null] },
        reason: expect.stringContaining('Give each standby a cluster_name of its own.'),
      })),
    );
  });

  it('says so where no sender served the standby, and refuses windows that are none', async () => {
    const { primary } = await replicating(['10.1.0.2']);
    await samples(primary, { 0: [sender('10.9.9.9', { lag_bytes: 1 })], 5: [] });
    const { streams } = await lagOf(primary, `${between(T + 5 * MINUTE_MS, T + 6 * MINUTE_MS)}&buckets=2`);
    expect(streams).toMatchObject([
      {
        lag_bytes: { values: [null, null] },
        reason: expect.stringMatching(
          /^orders-a had no sender in this time that is known to have served of /,
        ),
      },
    ]);
    const { status, error } = await test.call(`GET /api/v1/clusters/server-${primary}/lag?${between(T, T)}`, {
      token: boss,
    });
    expect([status, error]).toEqual([400, 'end_time must be later than start_time.']);
  });

  it('leaves out streams of which the caller sees one end only', async () => {
    const { owner, primary } = await replicating(['10.1.0.2']);
    await samples(primary, { 0: [sender('10.1.0.2', { lag_bytes: 100 })] });
    const query = `${between(T - MINUTE_MS, T + MINUTE_MS)}&buckets=1`;
    expect((await lagOf(primary, query)).streams).toHaveLength(1);
    expect((await lagOf(primary, query, owner.session)).streams).toEqual([]);
    const stranger = await makeUser(test.db);
    const path = `GET /api/v1/clusters/server-${primary}/lag`;
    expect((await test.call(path, { token: stranger.session })).status).toBe(404);
  });
});
