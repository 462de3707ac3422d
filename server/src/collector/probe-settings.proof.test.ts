// What probes are set to takes effect in real seconds, and survives a storm of edits (F25). So does a server's coming to another place. One edit
// after the other, with a clock that is moved on, is in probe-settings.test.ts.
import { describe, expect, it } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { SOON } from '../testing/collecting-tests.ts';
import {
  COLLECTED,
  clusterOf,
  defaultGroup,
  entryOf,
  further,
  movedOutcome,
  probes,
  samplesOf,
  settingHouse,
  WATCHED,
} from '../testing/probe-settings-scene.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

describe('an edit while collecting', () => {
  it('changes how often a probe is read, at once and without double samples', {
    timeout: 300_000,
  }, async () => {
    const house = await settingHouse();
    const id = await house.connect(await sharedServer(18));
    house.start({ probes });
    await expect.poll(() => samplesOf(house, id), SOON).toHaveLength(1);
    expect((await house.put(`server/${id}/pg_stat_wal`, 5)).status).toBe(200);
    await further(house, id, { count: 2, seconds: 0 });
    expect(await entryOf(house, id, 'pg_stat_wal')).toMatchObject({ status: COLLECTED, interval_seconds: 5 });
    expect((await house.put(`server/${id}/pg_stat_wal`, 6)).status).toBe(200);
    await further(house, id, { count: 2, seconds: 0 });
    const gaps = (await samplesOf(house, id)).slice(1).map((at, index, all) => at - (all[index - 1] ?? 0));
    for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThan(2000);
  });
});

describe('a server that comes to another place', () => {
  it('is read as that place says at the next look: moved in, moved out, its cluster dismissed', async () => {
    const house = await settingHouse();
    const id = await house.connect(await sharedServer(18));
    const { cluster } = await house.db.one<{ cluster: number }>(sql`/* test.detected */
      insert into matriarch.clusters (name, auto_cluster_key) values ('ledger', 'spock:ledger')
      returning id as cluster`);
    await house.put(`group/${await defaultGroup(house)}/pg_stat_wal`, 5);
    await house.put(`cluster/${cluster}/pg_stat_wal`, 0);
    house.start({ probes });
    await movedOutcome(house, id, 'pg_stat_wal').toBe('ran');
    const moveTo = async (cluster_id: number | null) =>
      (
        await house.call(`PUT /api/v1/connections/${id}/cluster`, {
          cluster_id,
          membership_source: 'manual',
        })
      ).status;
    expect(await moveTo(cluster)).toBe(200);
    await movedOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    expect(await moveTo(null)).toBe(200);
    await movedOutcome(house, id, 'pg_stat_wal').toBe('ran');
    expect(await moveTo(cluster)).toBe(200);
    await movedOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    expect((await house.call(`DELETE /api/v1/clusters/${cluster}`)).status).toBe(204);
    await movedOutcome(house, id, 'pg_stat_wal').toBe('ran');
    expect((await house.call(`PUT /api/v1/clusters/${cluster}`, { dismissed: false })).status).toBe(200);
    await movedOutcome(house, id, 'pg_stat_wal').toBe('skipped');
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
    await movedOutcome(house, id, 'pg_stat_wal').toBe('ran');
    await house.call(`PUT /api/v1/clusters/${cluster}`, { group_id: group });
    await movedOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    await house.call(`DELETE /api/v1/cluster-groups/group-${group}`);
    await movedOutcome(house, id, 'pg_stat_wal').toBe('ran');
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
    await further(house, kept, { count: 2, seconds: 0 });
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
