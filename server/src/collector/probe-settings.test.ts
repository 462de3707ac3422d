// What probes are set to, through HTTP, and what collectors do about it on a real server: at the next look, without a
// restart, in all of them, and whatever is edited or deleted meanwhile.

import { describe, expect, it, onTestFinished } from 'vitest';
import { clustersRoutes } from '../areas/clusters/clusters.routes.ts';
import { estateRoutes } from '../areas/estate/estate.routes.ts';
import { syncProbeConfigs } from '../areas/probe-configs/effective.service.ts';
import { probeConfigsRoutes } from '../areas/probe-configs/probe-configs.routes.ts';
import { sql } from '../kernel/sql.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { makeSession } from '../testing/access/actors.ts';
import { type Answer, startTestApi } from '../testing/api.ts';
import type { Collecting } from '../testing/collecting.ts';
import { newHouse, SOON } from '../testing/collecting-tests.ts';
import { connectionsRoom } from '../testing/rooms/connections.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

const WATCHED = ['pg_connectivity', 'pg_stat_wal', 'pg_stat_database', 'pg_stat_user_functions'];
const probes = catalog.filter(({ name }) => WATCHED.includes(name));

/** Incomplete where the server does not measure the times of WAL. */
const COLLECTED = expect.stringMatching(/^(ok|incomplete)$/);

interface House extends Collecting {
  /** `put('server/1/pg_stat_wal', 5)` sets 5 seconds; 0 switches it off. */
  put(path: string, seconds: number): Promise<Answer>;
  call(request: string, body?: object): Promise<Answer>;
}

async function settingHouse(): Promise<House> {
  const house = await newHouse();
  await syncProbeConfigs(house.db, catalog);
  const test = await startTestApi({
    rooms: [clustersRoutes, connectionsRoom, estateRoutes, probeConfigsRoutes],
    db: house.db,
  });
  onTestFinished(() => test.close());
  await house.db.run(sql`/* test.promote */ update matriarch.users set is_superuser = true where id = 1`);
  const session = await makeSession(house.db, 1);
  const call = (request: string, body?: object) =>
    test.call(request, { token: session, ...(body && { body }) });
  const put = (path: string, seconds: number) =>
    call(`PUT /api/v1/probe-overrides/${path}`, {
      is_enabled: seconds > 0,
      collection_interval_seconds: Math.max(5, seconds),
      retention_days: 7,
    });
  return { ...house, call, put };
}

/** When the probe was read, in milliseconds since the epoch, ascending. */
async function samplesOf(house: House, id: number, table = 'pg_stat_wal'): Promise<number[]> {
  const name = { pg_stat_wal: sql`metrics.pg_stat_wal`, pg_connectivity: sql`metrics.pg_connectivity` }[
    table
  ];
  if (!name) expect.fail(`no table ${table}`);
  // It is made with the first sample, which a probe that is switched off at once has none of.
  const { is_there } = await house.db.one<{ is_there: boolean }>(sql`/* test.table */
    select to_regclass(${`metrics.${table}`}) is not null as is_there`);
  if (!is_there) return [];
  const rows = await house.db.rows<{ at: number }>(sql`/* test.samples */
    select (extract(epoch from collected_at) * 1000)::bigint as at
    from ${name} where connection_id = ${id} order by collected_at`);
  return rows.map(({ at }) => at);
}

const further = async (house: House, id: number, more: { count: number; table?: string }) => {
  const before = (await samplesOf(house, id, more.table)).length;
  await expect
    .poll(async () => (await samplesOf(house, id, more.table)).length, { timeout: 90_000, interval: 100 })
    .toBeGreaterThanOrEqual(before + more.count);
};

const entryOf = async (house: House, id: number, name: string) => {
  const { body } = await house.call(`GET /api/v1/connections/${id}/coverage`);
  return Object(body).probes.find(({ probe }: { probe: string }) => probe === name);
};

const defaultGroup = async ({ db }: House) =>
  (
    await db.one<{ id: number }>(
      sql`/* test.group */ select id from matriarch.cluster_groups where is_default`,
    )
  ).id;

async function clusterOf({ db }: House, ...servers: number[]): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (name) values ('orders') returning id`);
  await db.run(sql`/* test.join */
    update matriarch.connections set cluster_id = ${id} where id = any (${servers}::int[])`);
  return id;
}

const waitForOutcome = (house: House, id: number, probe: string) =>
  expect.poll(async () => (await house.snapshot(id, probe))?.outcome, SOON);

describe('an edit while collecting', () => {
  it('changes how often a probe is read, at once and without double samples', {
    timeout: 300_000,
  }, async () => {
    const house = await settingHouse();
    const id = await house.connect(await sharedServer(18));
    house.start({ probes });
    await expect.poll(() => samplesOf(house, id), SOON).toHaveLength(1);
    expect((await house.put(`server/${id}/pg_stat_wal`, 5)).status).toBe(200);
    await further(house, id, { count: 2 });
    expect(await entryOf(house, id, 'pg_stat_wal')).toMatchObject({ status: COLLECTED, interval_seconds: 5 });
    expect((await house.put(`server/${id}/pg_stat_wal`, 6)).status).toBe(200);
    await further(house, id, { count: 2 });
    const gaps = (await samplesOf(house, id)).slice(1).map((at, index, all) => at - (all[index - 1] ?? 0));
    for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThan(2000);
  });

  it('switches a probe off and on, by group, cluster and server', { timeout: 300_000 }, async () => {
    const house = await settingHouse();
    const id = await house.connect(await sharedServer(18));
    house.start({ probes });
    await expect.poll(() => samplesOf(house, id), SOON).toHaveLength(1);
    const group = await defaultGroup(house);
    await house.put(`server/${id}/pg_connectivity`, 5);
    await house.put(`group/${group}/pg_stat_wal`, 0);
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    expect(await entryOf(house, id, 'pg_stat_wal')).toMatchObject({
      status: 'disabled',
      reason: expect.stringMatching(
        /^Switched off for the group Ungrouped\. Switch it on there, or override it/,
      ),
    });
    const before = await samplesOf(house, id);
    await further(house, id, { count: 2, table: 'pg_connectivity' });
    expect(await samplesOf(house, id)).toEqual(before);
    const cluster = await clusterOf(house, id);
    await house.put(`cluster/${cluster}/pg_stat_wal`, 5);
    await further(house, id, { count: 2 });
    await house.put(`server/${id}/pg_stat_wal`, 0);
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    expect((await house.snapshot(id, 'pg_stat_wal'))?.reason).toMatch(/^Switched off for this server/);
    await house.call(`DELETE /api/v1/probe-overrides/server/${id}/pg_stat_wal`);
    await further(house, id, { count: 1 });
    expect(await entryOf(house, id, 'pg_stat_wal')).toMatchObject({ status: COLLECTED, interval_seconds: 5 });
  });

  it('of the whole estate reaches every database, without a session for what is off', async () => {
    const house = await settingHouse();
    const server = await sharedServer(18);
    const { body } = await house.call('GET /api/v1/probe-configs');
    const named = (one: string) => Object(body).find(({ name }: { name: string }) => name === one).id;
    await house.call(`PUT /api/v1/probe-configs/${named('pg_stat_user_functions')}`, { is_enabled: false });
    const id = await house.connect(server);
    house.start({ probes: probes.filter(({ name }) => name !== 'pg_stat_database') });
    await expect
      .poll(async () => {
        const all = await house.snapshots(id);
        return all.filter(({ probe }) => probe === 'pg_stat_user_functions').map(({ reason }) => reason);
      }, SOON)
      .toContainEqual(expect.stringMatching(/^Switched off for the whole estate/));
    const ledger = await house.call(`GET /api/v1/connections/${id}/statements`);
    expect(JSON.stringify(ledger.body)).not.toContain('pg_stat_user_functions');
    await house.call(`POST /api/v1/probe-configs/${named('pg_stat_user_functions')}/reset`);
    await expect
      .poll(async () => (await house.snapshot(id, 'pg_stat_user_functions', 'postgres'))?.outcome, SOON)
      .toBe('ran');
  });

  it('holds in every collector', async () => {
    const house = await settingHouse();
    const server = await sharedServer(18);
    const ids = await Promise.all([1, 2, 3, 4].map(() => house.connect(server)));
    const two = [house.start({ probes }), house.start({ probes })];
    await expect.poll(() => two.map(({ holding }) => holding.length), SOON).toEqual([2, 2]);
    await house.put(`group/${await defaultGroup(house)}/pg_stat_wal`, 0);
    for (const id of ids) await waitForOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    await house.call(`DELETE /api/v1/probe-overrides/group/${await defaultGroup(house)}/pg_stat_wal`);
    await house.put(`cluster/${await clusterOf(house, ...ids)}/pg_stat_wal`, 5);
    for (const id of ids) await further(house, id, { count: 1 });
  });
});

describe('a server that comes to another place', () => {
  it('is read as that place says at the next look: moved in, moved out, its cluster dismissed', {
    timeout: 300_000,
  }, async () => {
    const house = await settingHouse();
    const id = await house.connect(await sharedServer(18));
    const { cluster } = await house.db.one<{ cluster: number }>(sql`/* test.detected */
      insert into matriarch.clusters (name, auto_cluster_key) values ('ledger', 'spock:ledger')
      returning id as cluster`);
    await house.put(`group/${await defaultGroup(house)}/pg_stat_wal`, 5);
    await house.put(`cluster/${cluster}/pg_stat_wal`, 0);
    house.start({ probes });
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('ran');
    const moveTo = async (cluster_id: number | null) =>
      (
        await house.call(`PUT /api/v1/connections/${id}/cluster`, {
          cluster_id,
          membership_source: 'manual',
        })
      ).status;
    expect(await moveTo(cluster)).toBe(200);
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    expect(await moveTo(null)).toBe(200);
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('ran');
    expect(await moveTo(cluster)).toBe(200);
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    expect((await house.call(`DELETE /api/v1/clusters/${cluster}`)).status).toBe(204);
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('ran');
    expect((await house.call(`PUT /api/v1/clusters/${cluster}`, { dismissed: false })).status).toBe(200);
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('skipped');
  });

  it('follows its cluster into another group', async () => {
    const house = await settingHouse();
    const id = await house.connect(await sharedServer(18));
    const cluster = await clusterOf(house, id);
    const made = await house.call('POST /api/v1/cluster-groups', { name: 'Quiet' });
    const { id: group } = Object(made.body);
    await house.put(`group/${await defaultGroup(house)}/pg_stat_wal`, 5);
    await house.put(`group/${group}/pg_stat_wal`, 0);
    house.start({ probes });
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('ran');
    await house.call(`PUT /api/v1/clusters/${cluster}`, { group_id: group });
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    await house.call(`DELETE /api/v1/cluster-groups/group-${group}`);
    await waitForOutcome(house, id, 'pg_stat_wal').toBe('ran');
  });
});

describe('F25 a storm of edits', () => {
  it('ends without a deadlock, a lost setting or an orphan', { timeout: 300_000 }, async () => {
    const house = await settingHouse();
    const server = await sharedServer(18);
    const ids = await Promise.all([1, 2, 3].map(() => house.connect(server)));
    const [kept = 0, , gone = 0] = ids;
    const cluster = await clusterOf(house, ...ids);
    const group = await defaultGroup(house);
    house.start({ probes });
    house.start({ probes });
    await expect.poll(() => samplesOf(house, kept), SOON).toHaveLength(1);
    const scopes = [`group/${group}`, `cluster/${cluster}`, ...ids.map((id) => `server/${id}`)];
    const statuses: number[] = [];
    const edit = async (n: number) => {
      const path = `${scopes[n % scopes.length]}/${WATCHED[n % WATCHED.length]}`;
      const answer =
        n % 7 === 0
          ? await house.call(`DELETE /api/v1/probe-overrides/${path}`)
          : await house.put(path, n % 5 === 0 ? 0 : 5 + (n % 3));
      statuses.push(answer.status);
    };
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 10 }, (_one, index) => edit(round * 10 + index)));
      if (round === 20) statuses.push((await house.call(`DELETE /api/v1/connections/${gone}`)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200, 204, 404]));
    for (const path of scopes.slice(0, 4)) await house.put(`${path}/pg_stat_wal`, 5);
    await further(house, kept, { count: 2 });
    const { orphans, deadlocks } = await house.db.one<{
      orphans: number;
      deadlocks: number;
    }>(sql`/* test.orphans */
      select
        (
          select count(*) from matriarch.probe_overrides o
          left join matriarch.connections c on o.scope = 'server' and c.id = o.scope_id and c.deleted_at is null
          where o.scope = 'server' and c.id is null
        ) as orphans,
        (select deadlocks from pg_catalog.pg_stat_database where datname = current_database()) as deadlocks`);
    expect({ orphans, deadlocks }).toEqual({ orphans: 0, deadlocks: 0 });
  });
});
