// Replication within a cluster over HTTP: detected and stored clusters by each of their names, lag and slots of the
// newest samples, and nothing of servers that the caller cannot see.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { detected, joinCluster, makeCluster, relate } from '../../testing/store/clusters.ts';
import { collected, collectedHistory } from '../../testing/store/collected.ts';
import { clustersRoutes } from './clusters.routes.ts';

let test: TestApi;
let boss: string;
beforeAll(async () => {
  test = await startTestApi({ rooms: [clustersRoutes] });
  boss = test.actors.superuser.session;
});
afterAll(() => test.close());

const call = (request: string, token = boss) => test.call(request, { token });

const sender = {
  role: 'primary',
  pid: 71,
  application_name: 'walreceiver',
  client_addr: '127.0.0.1',
  state: 'streaming',
  sync_state: 'async',
  write_lag: 0.25,
  flush_lag: 0.5,
  replay_lag: 1.5,
  lag_bytes: 5_000_000_000,
};
const slot = {
  slot_name: 'b',
  slot_type: 'physical',
  active: true,
  active_pid: 71,
  wal_status: 'reserved',
  retained_bytes: 16_777_216,
};

/** A primary `a` with a standby `b`, of two owners. */
async function pair() {
  const [owner, other] = [await makeUser(test.db), await makeUser(test.db)];
  const a = await makeConnection(test.db, { owner_id: owner.user_id, name: 'a', is_monitored: true });
  const b = await makeConnection(test.db, { owner_id: other.user_id, name: 'b', is_monitored: true });
  await detected(test.db, {
    key: `binary:${a}`,
    name: 'pair',
    type: 'binary',
    servers: [{ connection_id: a }, { connection_id: b, parent: a }],
  });
  await relate(test.db, { source: b, target: a });
  await collected(
    test.db,
    { connection_id: a, probe: 'pg_stat_replication', rows: [sender] },
    { connection_id: a, probe: 'pg_replication_slots', rows: [slot] },
    {
      connection_id: b,
      probe: 'pg_node_role',
      rows: [{ is_in_recovery: true, role_details: { receiver_slot_name: 'b' } }],
    },
  );
  return { a, b, owner };
}

const seen = (a: number, b: number) => ({
  links: [
    {
      source_connection_id: b,
      target_connection_id: a,
      relationship_type: 'streams_from',
      is_auto_detected: true,
      is_manual: false,
      readings: [
        {
          measured_at: 'sender',
          slot_name: 'b',
          write_lag_seconds: 0.25,
          flush_lag_seconds: 0.5,
          replay_lag_seconds: 1.5,
          lag_bytes: 5_000_000_000,
        },
      ],
      reason: null,
    },
  ],
  slots: [{ connection_id: a, slot_name: 'b', is_active: true, retained_bytes: 16_777_216 }],
  unread: [{ connection_id: b, reason: 'Replication of b was not read yet.' }],
});

describe('replication within a cluster', () => {
  it('is told of one that is only detected, and of its stored row', async () => {
    const { a, b } = await pair();
    const before = await call(`GET /api/v1/clusters/server-${a}/topology`);
    expect(before.status, before.text).toBe(200);
    expect(before.body).toMatchObject(seen(a, b));
    const id = await makeCluster(test.db, { key: `binary:${a}` });
    for (const connection of [a, b]) await joinCluster(test.db, connection, { id });
    for (const name of [id, `cluster-${id}`, `server-${a}`])
      expect((await call(`GET /api/v1/clusters/${name}/topology`)).body).toMatchObject(seen(a, b));
  });

  it('says since when replay of a standby is seen to be paused', async () => {
    const { a, b } = await pair();
    const now = systemClock.now();
    const at = (seconds: number) => now - seconds * 1000;
    const run = (seconds: number, replay_pause_state: string) => ({
      connection_id: b,
      probe: 'pg_stat_replication',
      at: at(seconds),
      rows: [{ role: 'standby', pid: 5, receiver_status: 'streaming', lag_bytes: 9, replay_pause_state }],
    });
    const detail = async () => (await call(`GET /api/v1/clusters/server-${a}/topology`)).body;
    const receiver = (of: object) => ({
      links: [{ readings: [{ measured_at: 'sender' }, { measured_at: 'receiver', ...of }] }],
    });
    // Paused, not read for a while, and read again in time three times.
    await collectedHistory(test.db, [run(600, 'paused'), run(120, 'not paused')]);
    expect(await detail()).toMatchObject(receiver({ replay_pause_state: null, reason: expect.any(String) }));
    await collectedHistory(test.db, [run(90, 'pause requested'), run(60, 'paused'), run(30, 'paused')]);
    const since = new Date(at(90)).toISOString();
    expect(await detail()).toMatchObject(
      receiver({ replay_pause_state: 'paused', replay_paused_since: since }),
    );
    await collectedHistory(test.db, [run(0, 'not paused')]);
    expect(await detail()).toMatchObject(
      receiver({ replay_pause_state: 'not paused', replay_paused_since: null }),
    );
  });

  it('leaves out what the caller cannot see', async () => {
    const { a, owner } = await pair();
    const { body } = await call(`GET /api/v1/clusters/server-${a}/topology`, owner.session);
    expect(body).toMatchObject({ links: [], slots: [{ connection_id: a }], unread: [] });
    const stranger = await makeUser(test.db);
    expect((await call(`GET /api/v1/clusters/server-${a}/topology`, stranger.session)).status).toBe(404);
    expect((await call('GET /api/v1/clusters/999999/topology')).status).toBe(404);
    expect((await call('GET /api/v1/clusters/nonsense/topology')).status).toBe(400);
  });
});
