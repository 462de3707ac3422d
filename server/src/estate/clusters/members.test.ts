// Servers of clusters and their relationships over HTTP: what people set is pinned, and nobody touches what they do not
// see.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { detected, joinCluster, makeCluster, relate } from '../../testing/store/clusters.ts';
import { collected, reported } from '../../testing/store/collected.ts';
import { clustersRoutes } from './clusters.routes.ts';

let test: TestApi;
let boss: string;
beforeAll(async () => {
  test = await startTestApi({ rooms: [clustersRoutes] });
  boss = test.actors.superuser.session;
});
afterAll(() => test.close());

const call = (request: string, body?: unknown, token = boss) =>
  test.call(request, { token, ...(body !== undefined && { body }) });

let number = 0;
/** Somebody with connections of their own, in alphabetical order. */
async function person(count = 0) {
  const { user_id, session } = await makeUser(test.db);
  const add = (is_monitored = false) => {
    number += 1;
    const name = `srv-${String(number).padStart(4, '0')}`;
    return makeConnection(test.db, { owner_id: user_id, name, is_monitored });
  };
  const ids: number[] = [];
  while (ids.length < count) ids.push(await add());
  return { session, add, ids };
}

/** A token that manages connections and sees only these. */
const manager = (...ids: number[]) =>
  makeToken(test.db, test.actors.superuser.user_id, {
    scope: {
      admin: ['manage_connections'],
      connections: ids.map((connection_id) => ({ connection_id, level: 'read' as const })),
    },
  });

async function three() {
  const { ids, session } = await person(3);
  const [a, b, c] = [ids[0] ?? 0, ids[1] ?? 0, ids[2] ?? 0];
  const id = await makeCluster(test.db, { name: `of ${a}`, named_by_hand: true });
  for (const server of [a, b]) await joinCluster(test.db, server, { id, membership: 'manual' });
  return { id, a, b, c, session };
}

const info = async (connection: number) =>
  Object((await call(`GET /api/v1/connections/${connection}/cluster`)).body).info;

describe('servers of a cluster', () => {
  it('are listed with their state, as far as the caller can read them', async () => {
    const { session, add } = await person();
    const [fresh, failing, silent] = [await add(true), await add(true), await add()];
    const hidden = (await person(1)).ids[0] ?? 0;
    const id = await makeCluster(test.db);
    for (const server of [fresh, failing, silent, hidden]) await joinCluster(test.db, server, { id });
    const probe = 'pg_connectivity';
    await collected(test.db, { connection_id: fresh, probe, rows: [{ response_time_ms: 1 }] });
    const at = systemClock.now() - 100_000;
    await collected(test.db, { connection_id: failing, probe, at, rows: [{ response_time_ms: 1 }] });
    await reported(test.db, failing, 'Nothing listens there.');
    await reported(test.db, silent, 'Never shown, for nobody monitors it.');
    const servers = [{ connection_id: fresh, primary_role: 'binary_primary' }];
    await detected(test.db, { key: 'binary:1', name: 'x', type: 'binary', servers });
    const { body } = await call(`GET /api/v1/clusters/${id}/servers`, undefined, session);
    const common = {
      name: expect.stringMatching(/^srv-/),
      host: '127.0.0.1',
      port: 9,
      database_name: 'postgres',
      membership_source: 'auto',
    };
    expect(body).toEqual([
      { ...common, id: fresh, status: 'online', role: 'binary_primary' },
      { ...common, id: failing, status: 'warning', connection_error: 'Nothing listens there.' },
      { ...common, id: silent, status: 'unknown' },
    ]);
    const all = Object((await call(`GET /api/v1/clusters/${id}/servers`)).body);
    expect(all.map((server: { id: number }) => server.id)).toEqual([fresh, failing, silent, hidden]);
  });

  it('follow the interval that is set for their connectivity', async () => {
    const { add } = await person();
    const server = await add(true);
    const id = await makeCluster(test.db);
    await joinCluster(test.db, server, { id });
    const at = systemClock.now() - 200_000;
    await collected(test.db, {
      connection_id: server,
      probe: 'pg_connectivity',
      at,
      rows: [{ response_time_ms: 1 }],
    });
    const status = async () => Object((await call(`GET /api/v1/clusters/${id}/servers`)).body)[0].status;
    expect(await status()).toBe('offline');
    await test.db.run(sql`/* test.interval */
      insert into matriarch.probe_configs
        (probe_name, default_interval_seconds, default_retention_days, interval_seconds)
      values ('pg_connectivity', 30, 7, 300)
      on conflict (probe_name) do update set interval_seconds = 300`);
    expect(await status()).toBe('online');
    await test.db.run(sql`/* test.interval_back */
      update matriarch.probe_configs set interval_seconds = null where probe_name = 'pg_connectivity'`);
  });

  it('are added and pinned, from wherever they were, as often as one likes', async () => {
    const { id, a, c } = await three();
    const other = await makeCluster(test.db);
    const add = (cluster: number, body: object) => call(`POST /api/v1/clusters/${cluster}/servers`, body);
    const first = await add(other, { connection_id: a, role: 'reporting' });
    expect([first.status, first.body]).toEqual([
      200,
      { cluster_id: other, connection_id: a, role: 'reporting' },
    ]);
    expect((await add(other, { connection_id: a })).body).toEqual(first.body);
    expect((await add(id, { connection_id: a })).body).toEqual({
      cluster_id: id,
      connection_id: a,
      role: null,
    });
    expect((await add(id, { connection_id: c, role: '' })).body).toMatchObject({ role: null });
    expect(await info(c)).toMatchObject({ cluster_id: id, membership_source: 'manual' });
  });

  it('bring a dismissed cluster back', async () => {
    const { a } = await three();
    const id = await makeCluster(test.db, { key: `spock:back${a}`, dismissed: true });
    expect((await call(`POST /api/v1/clusters/${id}/servers`, { connection_id: a })).status).toBe(200);
    expect((await call(`GET /api/v1/clusters/${id}`)).body).toMatchObject({ dismissed: false });
    expect(await info(a)).toMatchObject({ cluster_id: id });
  });

  it('are taken out and stay out', async () => {
    const { id, a, c } = await three();
    const path = `DELETE /api/v1/clusters/${id}/servers/${a}`;
    expect((await call(path)).status).toBe(204);
    expect(await info(a)).toMatchObject({ cluster_id: null, membership_source: 'manual', role: null });
    const again = await call(path);
    expect([again.status, again.error]).toEqual([404, 'The server does not belong to this cluster.']);
    expect((await call(`DELETE /api/v1/clusters/${id}/servers/${c}`)).status).toBe(404);
  });

  it('S12 are moved only by who sees them and the cluster', async () => {
    const { id, a, b, c } = await three();
    const token = await manager(a, c);
    const add = (cluster: number, connection_id: number) =>
      call(`POST /api/v1/clusters/${cluster}/servers`, { connection_id }, token);
    expect((await add(id, b)).status).toBe(403);
    expect((await add(id, 2_000_000_000)).status).toBe(404);
    const hidden = await makeCluster(test.db);
    await joinCluster(test.db, b, { id: hidden });
    expect((await add(hidden, c)).status).toBe(404);
    expect((await add(2_000_000_000, c)).status).toBe(404);
    await joinCluster(test.db, b, { id });
    const remove = (connection: number, by: string) =>
      call(`DELETE /api/v1/clusters/${id}/servers/${connection}`, undefined, by);
    expect((await remove(b, token)).status).toBe(403);
    expect((await remove(2_000_000_000, token)).status).toBe(404);
    expect((await remove(a, await manager(c))).status).toBe(404);
    expect((await remove(a, token)).status).toBe(204);
  });
});

describe('the cluster of a connection', () => {
  it('is told with every cluster to choose from and every relationship', async () => {
    const { id, a, b, session } = await three();
    const manual = await relate(test.db, { source: b, target: a, type: 'subscribes_to', cluster_id: id });
    const found = await relate(test.db, { source: a, target: b });
    const answer = await call(`GET /api/v1/connections/${a}/cluster`, undefined, session);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      info: {
        cluster_id: id,
        role: null,
        membership_source: 'manual',
        cluster_name: `of ${a}`,
        replication_type: null,
        auto_cluster_key: null,
      },
      clusters: [{ id, name: `of ${a}` }],
      relationships: [
        { id: found, cluster_id: id, source_connection_id: a, is_auto_detected: true },
        { id: manual, cluster_id: id, source_connection_id: b, is_auto_detected: false },
      ],
    });
  });

  it('is known before it is stored, and none where it was dismissed or stands alone', async () => {
    const { c } = await three();
    const [d = 0] = (await person(1)).ids;
    expect(await info(c)).toEqual({
      cluster_id: null,
      role: null,
      membership_source: 'auto',
      cluster_name: null,
      replication_type: null,
      auto_cluster_key: null,
    });
    const key = `spock:known${c}`;
    const servers = [{ connection_id: c, primary_role: 'spock_node' }, { connection_id: d }];
    await detected(test.db, { key, name: 'known', type: 'spock', replication_type: 'spock', servers });
    const known = {
      role: 'spock_node',
      cluster_name: 'known',
      replication_type: 'spock',
      auto_cluster_key: key,
    };
    expect(await info(c)).toMatchObject({ ...known, cluster_id: null });
    await relate(test.db, { source: c, target: d });
    const { relationships } = Object((await call(`GET /api/v1/connections/${c}/cluster`)).body);
    expect(relationships).toMatchObject([
      { cluster_id: 0, source_connection_id: c, target_connection_id: d },
    ]);
    await call(`PUT /api/v1/clusters/cluster-spock-known${c}`, { dismissed: true });
    expect(await info(c)).toMatchObject({ cluster_id: null, cluster_name: null, auto_cluster_key: null });
  });

  it('is pinned to a cluster or to none, and given back', async () => {
    const { id, a, c } = await three();
    const key = `binary:${a}`;
    const found = await makeCluster(test.db, { key });
    const servers = [{ connection_id: c, primary_role: 'binary_standby' }];
    await detected(test.db, { key, name: 'found', type: 'binary', servers });
    const set = async (body: object) => {
      const answer = await call(`PUT /api/v1/connections/${c}/cluster`, body);
      expect(answer.status, answer.text).toBe(200);
      expect(await info(c)).toEqual(answer.body);
      return answer.body;
    };
    const manual = { membership_source: 'manual' };
    expect(await set({ cluster_id: id, role: 'hot spare', ...manual })).toMatchObject({
      cluster_id: id,
      role: 'hot spare',
      cluster_name: `of ${a}`,
    });
    expect(await set({ cluster_id: id, ...manual })).toMatchObject({ role: 'hot spare' });
    expect(await set({ cluster_id: id, role: null, ...manual })).toMatchObject({ role: 'binary_standby' });
    expect(await set({ cluster_id: null, ...manual })).toMatchObject({ cluster_id: null, ...manual });
    await call(`DELETE /api/v1/clusters/${found}`);
    expect(await set({ cluster_id: id, role: 'x', membership_source: 'auto' })).toMatchObject({
      cluster_id: found,
      role: 'binary_standby',
      membership_source: 'auto',
      cluster_name: 'found',
      auto_cluster_key: key,
    });
    expect((await call(`GET /api/v1/clusters/${found}`)).body).toMatchObject({ dismissed: false });
  });

  it('given back counts as said until detection looks', async () => {
    const { id, c } = await three();
    const body = { cluster_id: id, role: 'presumed', membership_source: 'auto' };
    const answer = await call(`PUT /api/v1/connections/${c}/cluster`, body);
    expect(answer.body).toMatchObject(body);
    await detected(test.db, {
      key: `standalone:${c}`,
      name: 'x',
      type: 'server',
      servers: [{ connection_id: c, primary_role: 'standalone' }],
    });
    expect(await info(c)).toMatchObject({ role: 'standalone' });
  });

  it.each([
    [{ membership_source: 'auto' }, 400],
    [{ cluster_id: null }, 400],
    [{ cluster_id: null, membership_source: 'mine' }, 400],
    [{ cluster_id: null, membership_source: 'manual', role: 'x'.repeat(256) }, 400],
    [{ cluster_id: 2_000_000_000, membership_source: 'manual' }, 404],
    [{ cluster_id: 2_000_000_000, membership_source: 'auto' }, 404],
  ])('is not set by %j', async (body, status) => {
    const { a } = await three();
    const answer = await call(`PUT /api/v1/connections/${a}/cluster`, body);
    expect(answer.status, answer.text).toBe(status);
  });
});

describe('relationships', () => {
  const set = (place: { id: number; from: number }, relationships: object[], token = boss) =>
    call(
      `PUT /api/v1/clusters/${place.id}/connections/${place.from}/relationships`,
      { relationships },
      token,
    );
  const list = async (id: number, token = boss) =>
    Object((await call(`GET /api/v1/clusters/${id}/relationships`, undefined, token)).body);

  it('are set by hand beside those that were detected, and cleared', async () => {
    const { id, a, b, session } = await three();
    const found = await relate(test.db, { source: a, target: b });
    const wanted = [
      { target_connection_id: b, relationship_type: 'subscribes_to' },
      { target_connection_id: b, relationship_type: 'streams_from' },
    ];
    const answer = await set({ id, from: a }, wanted);
    expect(answer.status, answer.text).toBe(200);
    const common = { cluster_id: id, source_connection_id: a, target_connection_id: b };
    expect(answer.body).toEqual(
      [
        { id: found, relationship_type: 'streams_from', is_auto_detected: true },
        { id: expect.any(Number), relationship_type: 'streams_from', is_auto_detected: false },
        { id: expect.any(Number), relationship_type: 'subscribes_to', is_auto_detected: false },
      ].map((one) => ({
        ...common,
        source_name: expect.any(String),
        target_name: expect.any(String),
        ...one,
      })),
    );
    expect(await list(id, session)).toEqual(answer.body);
    expect(Object((await set({ id, from: a }, wanted.slice(1))).body)).toHaveLength(2);
    for (const _twice of [1, 2])
      expect((await call(`DELETE /api/v1/clusters/${id}/connections/${a}/relationships`)).status).toBe(204);
    expect(await list(id)).toMatchObject([{ id: found }]);
  });

  it('are set by several at a time', async () => {
    const { id, a, b } = await three();
    const wanted = [{ target_connection_id: b, relationship_type: 'replicates_with' }];
    const answers = await Promise.all(Array.from({ length: 6 }, () => set({ id, from: a }, wanted)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await list(id)).toHaveLength(1);
  });

  it('are refused to itself, twice, to servers outside, and of servers outside', async () => {
    const { id, a, b, c } = await three();
    const to = (target_connection_id: number) => ({
      target_connection_id,
      relationship_type: 'streams_from',
    });
    for (const [from, wanted, status, error] of [
      [a, [to(a)], 400, /with itself/],
      [a, [to(b), to(b)], 400, /given twice/],
      [a, [to(c)], 400, /does not belong to this cluster/],
      [a, [to(2_000_000_000)], 400, /does not belong to this cluster/],
      [c, [to(a)], 404, /does not belong to this cluster/],
      [2_000_000_000, [to(a)], 404, /no such connection/],
      [a, [{ target_connection_id: b, relationship_type: 'likes' }], 400, /must be one of/],
    ] as const) {
      const answer = await set({ id, from }, [...wanted]);
      expect([answer.status, answer.error]).toEqual([status, expect.stringMatching(error)]);
    }
    expect(await list(id)).toEqual([]);
  });

  it('are deleted one by one, in their own cluster', async () => {
    const { id, a, b } = await three();
    const other = await makeCluster(test.db);
    const found = await relate(test.db, { source: a, target: b });
    const manual = await relate(test.db, { source: b, target: a, cluster_id: id });
    const remove = (cluster: number, one: number, token = boss) =>
      call(`DELETE /api/v1/clusters/${cluster}/relationships/${one}`, undefined, token);
    expect((await remove(other, manual)).status).toBe(404);
    expect((await remove(id, 2_000_000_000)).status).toBe(404);
    expect((await remove(id, manual, await manager(a))).status).toBe(404);
    for (const one of [manual, found]) expect((await remove(id, one)).status).toBe(204);
    expect((await remove(id, found)).status).toBe(404);
  });

  it('S12 show where both ends do, and are set by who sees both', async () => {
    const { id, a, b } = await three();
    await relate(test.db, { source: a, target: b });
    const half = await manager(a);
    expect(await list(id, half)).toEqual([]);
    expect(await list(id, await manager(a, b))).toHaveLength(1);
    const to = [{ target_connection_id: b, relationship_type: 'streams_from' }];
    expect((await set({ id, from: a }, to, half)).status).toBe(403);
    expect((await set({ id, from: b }, [], half)).status).toBe(403);
    const { relationships } = Object(
      (await call(`GET /api/v1/connections/${a}/cluster`, undefined, half)).body,
    );
    expect(relationships).toEqual([]);
    const stranger = (await person()).session;
    expect((await call(`GET /api/v1/clusters/${id}/relationships`, undefined, stranger)).status).toBe(404);
  });
});
