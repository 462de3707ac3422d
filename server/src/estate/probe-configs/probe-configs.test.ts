// What probes are set to, through HTTP: which setting wins, who may change one, and that nothing outlives what it is for.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { clustersRoutes } from '../clusters/clusters.routes.ts';
import { syncProbeConfigs } from './effective.service.ts';
import { probeConfigsRoutes } from './probe-configs.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [probeConfigsRoutes, clustersRoutes, connectionsRoom] });
});
afterAll(() => test.close());

interface Config {
  id: number;
  connection_id: number | null;
  name: string;
  is_enabled: boolean;
  collection_interval_seconds: number;
  retention_days: number;
  created_at: string;
  updated_at: string;
}
const isConfig = (one: unknown): one is Config => typeof one === 'object' && one !== null && 'name' in one;
const configsIn = (body: unknown): Config[] => (Array.isArray(body) ? body.filter(isConfig) : []);

const asSuperuser = () => ({ token: test.actors.superuser.session });
const get = (path: string) => test.call(`GET /api/v1/${path}`, asSuperuser());
const put = (path: string, body: object) => test.call(`PUT /api/v1/${path}`, { ...asSuperuser(), body });
const drop = (path: string) => test.call(`DELETE /api/v1/${path}`, asSuperuser());

async function configOf(name: string, connection_id?: number): Promise<Config> {
  const query = connection_id === undefined ? '' : `?connection_id=${connection_id}`;
  const found = configsIn((await get(`probe-configs${query}`)).body).find((one) => one.name === name);
  return found ?? expect.fail(`no probe ${name}`);
}

const valuesOf = ({ is_enabled, collection_interval_seconds, retention_days }: Config) => [
  is_enabled,
  collection_interval_seconds,
  retention_days,
];

let made = 0;
/** A server in a cluster in a group, and their ids. */
async function place(): Promise<{ server: number; cluster: number; group: number }> {
  made += 1;
  const { group } = await test.db.one<{ group: number }>(sql`/* test.group */
    insert into matriarch.cluster_groups (name, is_shared) values (${`group ${made}`}, true) returning id as group`);
  const { cluster } = await test.db.one<{ cluster: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (group_id, name) values (${group}, ${`cluster ${made}`}) returning id as cluster`);
  const server = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  await test.db.run(
    sql`/* test.join */ update matriarch.connections set cluster_id = ${cluster} where id = ${server}`,
  );
  return { server, cluster, group };
}

const override = (collection_interval_seconds: number, is_enabled = true) => ({
  is_enabled,
  collection_interval_seconds,
  retention_days: collection_interval_seconds,
});

describe('the global rows', () => {
  it('are one for each probe, by name, as built', async () => {
    const { status, body } = await get('probe-configs');
    expect(status).toBe(200);
    const configs = configsIn(body);
    expect(configs.map(({ name }) => name)).toEqual(probes.map(({ name }) => name).toSorted());
    expect(configs.every(({ connection_id }) => connection_id === null)).toBe(true);
    for (const { name, intervalSeconds, retentionDays } of probes)
      expect(valuesOf(configs.find((one) => one.name === name) ?? expect.fail(name))).toEqual([
        true,
        intervalSeconds,
        retentionDays,
      ]);
  });

  it('change member by member, and go back to how they are built', async () => {
    const before = await configOf('pg_stat_wal');
    const path = `probe-configs/${before.id}`;
    const slower = await put(path, { collection_interval_seconds: 900 });
    expect(slower).toMatchObject({
      status: 200,
      body: { collection_interval_seconds: 900, is_enabled: true },
    });
    expect(await put(path, { is_enabled: false })).toMatchObject({ status: 200 });
    expect(valuesOf(await configOf('pg_stat_wal'))).toEqual([false, 900, before.retention_days]);
    expect((await get(path)).body).toMatchObject({ name: 'pg_stat_wal', is_enabled: false });
    const reset = await test.call(`POST /api/v1/${path}/reset`, asSuperuser());
    expect(reset.body).toMatchObject({ is_enabled: true, collection_interval_seconds: 600 });
  });

  it('keep what people set when the program is built with other values, and follow it elsewhere', async () => {
    const { id } = await configOf('pg_stat_io');
    await put(`probe-configs/${id}`, { retention_days: 30 });
    const built = probes.map((probe) => ({
      ...probe,
      intervalSeconds: probe.intervalSeconds * 2,
      retentionDays: 9,
    }));
    await syncProbeConfigs(test.db, built);
    expect(valuesOf(await configOf('pg_stat_io'))).toEqual([true, 1800, 30]);
    await syncProbeConfigs(test.db, probes);
    expect(valuesOf(await configOf('pg_stat_io'))).toEqual([true, 900, 30]);
    expect((await configOf('pg_stat_io')).id).toBe(id);
    await test.call(`POST /api/v1/probe-configs/${id}/reset`, asSuperuser());
  });

  it.each([
    [{}, /at least one/],
    [{ collection_interval_seconds: 4 }, /collection_interval_seconds/],
    [{ collection_interval_seconds: 86_401 }, /collection_interval_seconds/],
    [{ collection_interval_seconds: 5.5 }, /collection_interval_seconds/],
    [{ retention_days: 0 }, /retention_days/],
    [{ retention_days: 3651 }, /retention_days/],
    [{ is_enabled: 'yes' }, /is_enabled/],
  ])('refuse %j', async (body, words) => {
    const { id } = await configOf('pg_settings');
    const answer = await put(`probe-configs/${id}`, body);
    expect(answer.status).toBe(400);
    expect(answer.error).toMatch(words);
  });

  it('may be as frequent as every second for a probe that is built to run so often, and for no other', async () => {
    const [often, settings] = [await configOf('pg_active_sessions'), await configOf('pg_settings')];
    const { server } = await place();
    for (const seconds of [1, 4]) {
      const body = { collection_interval_seconds: seconds };
      expect((await put(`probe-configs/${often.id}`, body)).status).toBe(200);
      expect((await put(`probe-configs/${settings.id}`, body)).status).toBe(400);
      const values = { ...body, is_enabled: true, retention_days: 7 };
      expect((await put(`probe-overrides/server/${server}/pg_active_sessions`, values)).status).toBe(200);
      const refused = await put(`probe-overrides/server/${server}/pg_settings`, values);
      expect([refused.status, refused.error]).toEqual([
        400,
        'collection_interval_seconds must be an integer from 5 to 86400.',
      ]);
    }
    expect(valuesOf(await configOf('pg_active_sessions', server))).toEqual([true, 4, 7]);
    expect(valuesOf(await configOf('pg_settings'))).toEqual([true, 3600, 365]);
    await test.call(`DELETE /api/v1/probe-overrides/server/${server}/pg_active_sessions`, asSuperuser());
    await test.call(`POST /api/v1/probe-configs/${often.id}/reset`, asSuperuser());
  });

  it('every probe can be given back what it says that it is set to', async () => {
    for (const { id, collection_interval_seconds, retention_days } of configsIn(
      (await get('probe-configs')).body,
    )) {
      const body = { is_enabled: true, collection_interval_seconds, retention_days };
      expect(await put(`probe-configs/${id}`, body)).toMatchObject({ status: 200 });
      await test.call(`POST /api/v1/probe-configs/${id}/reset`, asSuperuser());
    }
  });

  it('are not found under other ids, nor when the program has no such probe', async () => {
    expect((await get('probe-configs/999999')).status).toBe(404);
    expect((await put('probe-configs/999999', { is_enabled: true })).status).toBe(404);
    await syncProbeConfigs(test.db, [{ name: 'pg_gone', intervalSeconds: 60, retentionDays: 7 }]);
    const row = await test.db.one<{ id: number }>(
      sql`/* test.gone */ select id from matriarch.probe_configs where probe_name = 'pg_gone'`,
    );
    expect((await get(`probe-configs/${row.id}`)).status).toBe(404);
    expect((await put(`probe-configs/${row.id}`, { is_enabled: false })).status).toBe(404);
    expect(configsIn((await get('probe-configs')).body).some(({ name }) => name === 'pg_gone')).toBe(false);
  });
});

describe('overrides', () => {
  it('win by server, cluster, group, and fall back one by one when deleted', async () => {
    const { server, cluster, group } = await place();
    const paths = [`group/${group}`, `cluster/${cluster}`, `server/${server}`];
    const built = valuesOf(await configOf('pg_stat_wal', server));
    for (const [index, path] of paths.entries()) {
      const answer = await put(`probe-overrides/${path}/pg_stat_wal`, override(60 + index));
      expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
      expect(valuesOf(await configOf('pg_stat_wal', server))).toEqual([true, 60 + index, 60 + index]);
    }
    const { body } = await get(`connections/${server}/probe-settings`);
    expect(body).toMatchObject({
      scopes: [
        { scope: 'group', scope_id: group },
        { scope: 'cluster', scope_id: cluster },
        { scope: 'server', scope_id: server },
      ],
    });
    const settings = Object(body).probes.find(({ name }: Config) => name === 'pg_stat_wal');
    expect(settings).toMatchObject({ level: 'server', collection_interval_seconds: 62, reason: null });
    expect(settings.levels.map(({ level }: { level: string }) => level)).toEqual([
      'built_in',
      'group',
      'cluster',
      'server',
    ]);
    for (const [index, path] of paths.entries().toArray().reverse()) {
      expect(await drop(`probe-overrides/${path}/pg_stat_wal`)).toMatchObject({
        status: 200,
        body: { status: 'ok' },
      });
      const left = index === 0 ? built : [true, 59 + index, 59 + index];
      expect(valuesOf(await configOf('pg_stat_wal', server))).toEqual(left);
    }
    expect((await drop(`probe-overrides/${paths[0]}/pg_stat_wal`)).status).toBe(200);
  });

  it('of the default group hold for servers in no cluster, and for clusters in no group', async () => {
    const { id } = await test.db.one<{ id: number }>(
      sql`/* test.default */ select id from matriarch.cluster_groups where is_default`,
    );
    const { server, cluster, group } = await place();
    await put(`probe-overrides/group/${id}/pg_stat_io`, override(77));
    expect((await configOf('pg_stat_io', test.actors.own_connection)).collection_interval_seconds).toBe(77);
    expect((await configOf('pg_stat_io', server)).collection_interval_seconds).toBe(900);
    await test.db.run(
      sql`/* test.move */ update matriarch.clusters set group_id = null where id = ${cluster}`,
    );
    expect((await configOf('pg_stat_io', server)).collection_interval_seconds).toBe(77);
    await drop(`probe-overrides/group/${id}/pg_stat_io`);
    expect((await get(`probe-overrides/group/${group}`)).status).toBe(200);
  });

  it('of a cluster that is dismissed hold for nobody, and hold again when it is back', async () => {
    const { server, cluster, group } = await place();
    await test.db.run(sql`/* test.detected */
      update matriarch.clusters set auto_cluster_key = ${`spock:gone${cluster}`} where id = ${cluster}`);
    await put(`probe-overrides/cluster/${cluster}/pg_stat_wal`, override(88));
    await put(`probe-overrides/group/${group}/pg_stat_wal`, override(99));
    const interval = async () => (await configOf('pg_stat_wal', server)).collection_interval_seconds;
    const listed = async () =>
      Object((await get('connections')).body).find(({ id }: Config) => id === server).cluster_id;
    expect([await interval(), await listed()]).toEqual([88, cluster]);
    expect((await drop(`clusters/${cluster}`)).status).toBe(204);
    expect([await interval(), await listed()]).toEqual([600, null]);
    const { body } = await get(`connections/${server}/probe-settings`);
    expect(Object(body).scopes).toMatchObject([{ scope: 'group', name: 'Ungrouped' }, { scope: 'server' }]);
    expect((await put(`clusters/${cluster}`, { dismissed: false })).status).toBe(200);
    expect([await interval(), await listed()]).toEqual([88, cluster]);
  });

  it('are listed beside the defaults, one row for each probe', async () => {
    const { cluster } = await place();
    await put(`probe-overrides/cluster/${cluster}/pg_stat_wal`, override(61, false));
    const { body } = await get(`probe-overrides/cluster/${cluster}`);
    expect(body).toHaveLength(probes.length);
    expect(body).toContainEqual(
      expect.objectContaining({
        name: 'pg_stat_wal',
        default_enabled: true,
        default_interval_seconds: 600,
        default_retention_days: 7,
        has_override: true,
        override_enabled: false,
        override_interval_seconds: 61,
        override_retention_days: 61,
      }),
    );
    expect(body).toContainEqual(
      expect.objectContaining({
        name: 'pg_stat_io',
        has_override: false,
        override_enabled: null,
        override_interval_seconds: null,
        override_retention_days: null,
      }),
    );
  });

  it('say why a probe is off, and where to switch it on', async () => {
    const { server, cluster } = await place();
    await put(`probe-overrides/cluster/${cluster}/pg_stat_wal`, override(60, false));
    const { body } = await get(`connections/${server}/probe-settings`);
    const { reason } = Object(body).probes.find(({ name }: Config) => name === 'pg_stat_wal');
    expect(reason).toMatch(/^Switched off for the cluster cluster \d+\. Switch it on there, or override it/);
  });

  it('need all three values within their bounds, a known scope and a known probe', async () => {
    const { server } = await place();
    const refused = async (path: string, body: object) => (await put(`probe-overrides/${path}`, body)).status;
    const good = override(60);
    expect(await refused(`server/${server}/pg_stat_wal`, { is_enabled: true })).toBe(400);
    expect(await refused(`server/${server}/pg_stat_wal`, { ...good, collection_interval_seconds: 4 })).toBe(
      400,
    );
    expect(await refused(`server/${server}/pg_stat_wal`, { ...good, retention_days: 3651 })).toBe(400);
    expect(await refused('planet/1/pg_stat_wal', good)).toBe(400);
    expect(await refused('server/zero/pg_stat_wal', good)).toBe(400);
    expect(await refused('server/999999/pg_stat_wal', good)).toBe(404);
    expect(await refused('cluster/999999/pg_stat_wal', good)).toBe(404);
    expect(await refused('group/999999/pg_stat_wal', good)).toBe(404);
    const unknown = await put(`probe-overrides/server/${server}/pg_stat_wall`, good);
    expect(unknown).toMatchObject({
      status: 404,
      error: expect.stringMatching(/Did you mean pg_stat_wal\?/),
    });
    expect((await drop(`probe-overrides/server/${server}/no_such_probe`)).status).toBe(404);
  });

  it('are changed with manage_probes only, and only where the scope is seen', async () => {
    const { server, cluster, group } = await place();
    const stranger = await makeUser(test.db);
    const asStranger = { token: stranger.session };
    const path = `/api/v1/probe-overrides/server/${server}`;
    expect((await test.call(`GET ${path}`, asStranger)).status).toBe(404);
    expect((await test.call(`GET ${path}`, { token: test.actors.owner.session })).status).toBe(200);
    const write = { token: test.actors.owner.session, body: override(60) };
    expect((await test.call(`PUT ${path}/pg_stat_wal`, write)).status).toBe(403);
    expect((await test.call(`DELETE ${path}/pg_stat_wal`, write)).status).toBe(403);
    expect((await test.call(`GET /api/v1/probe-overrides/cluster/${cluster}`, asStranger)).status).toBe(404);
    expect((await test.call(`GET /api/v1/probe-overrides/group/${group}`, asStranger)).status).toBe(200);
    const named = await test.call(`GET /api/v1/probe-configs?connection_id=${server}`, asStranger);
    expect(named.status).toBe(403);
  });

  it('go with their server, and are written into the audit log', async () => {
    const { server } = await place();
    await put(`probe-overrides/server/${server}/pg_stat_wal`, override(60));
    const rows = await test.db.rows<{ details: object }>(sql`/* test.audit */
      select details from matriarch.audit_events
      where action = 'settings.change' and target_name = 'pg_stat_wal' and details ->> 'scope_id' = ${String(server)}`);
    expect(rows).toEqual([
      { details: expect.objectContaining({ scope: 'server', collection_interval_seconds: 60 }) },
    ]);
    expect((await drop(`connections/${server}`)).status).toBe(204);
    const left = await test.db.rows(sql`/* test.left */
      select from matriarch.probe_overrides where scope = 'server' and scope_id = ${server}`);
    expect(left).toEqual([]);
  });
});

describe('F25 what is deleted while overrides are set for it', () => {
  it('leaves none behind', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { server, cluster, group } = await place();
      const writes = [`server/${server}`, `cluster/${cluster}`, `group/${group}`].flatMap((path) =>
        ['pg_stat_wal', 'pg_stat_io', 'pg_database'].map((name) =>
          put(`probe-overrides/${path}/${name}`, override(60)),
        ),
      );
      const gone = [
        drop(`connections/${server}`),
        drop(`clusters/${cluster}`),
        drop(`cluster-groups/${group}`),
      ];
      const statuses = (await Promise.all([...writes, ...gone])).map(({ status }) => status);
      expect(statuses.filter((status) => ![200, 204, 404].includes(status))).toEqual([]);
      const left = await test.db.rows(sql`/* test.left */
        select o.scope from matriarch.probe_overrides o
        where (o.scope, o.scope_id) in (('server', ${server}), ('cluster', ${cluster}), ('group', ${group}))`);
      expect(left).toEqual([]);
    }
  });
});

describe('the overview', () => {
  it('counts what is overridden and what it costs, of the servers the caller sees', async () => {
    const { server } = await place();
    const { user_id, session } = await makeUser(test.db);
    const own = await makeConnection(test.db, { owner_id: user_id });
    await put(`probe-overrides/server/${own}/pg_wraparound`, override(60, false));
    await put(`probe-overrides/server/${server}/pg_wraparound`, override(60));
    await test.db.run(sql`/* test.costs */
      insert into matriarch.probe_costs (connection_id, probe, since, runs, total_ms, max_ms, rows, cost_percent, interval_seconds)
      select id, 'pg_wraparound', now(), 1, 1, 1, 1, id, 60 from unnest(${[own, server]}::int[]) id`);
    test.statements.reset();
    const { body } = await test.call('GET /api/v1/probes', { token: session });
    expect(test.statements.sent).toHaveLength(2);
    const shared = configsIn(body).find(({ name }) => name === 'pg_wraparound');
    expect(shared).toMatchObject({
      connections: 2,
      overridden_connections: 1,
      disabled_connections: 1,
      cost_percent_mean: own,
      measured_connections: 1,
      built_in: { is_enabled: true },
    });
  });
});
