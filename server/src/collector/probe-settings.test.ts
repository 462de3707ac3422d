// What probes are set to, through HTTP, and what collectors do about it on a real server: at the next look, without a
// restart, in all of them. The interval in real seconds, servers that
// come to another place and the storm of edits (F25) are in probe-settings.proof.test.ts.
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { probes as catalog } from '../probes/catalog.gen.ts';
import { pollMoved, SOON } from '../testing/collecting-tests.ts';
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
} from '../testing/probe-settings-scene.ts';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';

describe('an edit while collecting', () => {
  it('switches a probe off and on, by group, cluster and server', async () => {
    const house = await settingHouse();
    const id = await house.connect(await sharedServer(18));
    house.start({ probes });
    await expect.poll(() => samplesOf(house, id), SOON).toHaveLength(1);
    const group = await defaultGroup(house);
    await house.put(`server/${id}/pg_connectivity`, 5);
    await house.put(`group/${group}/pg_stat_wal`, 0);
    await movedOutcome(house, id, 'pg_stat_wal').toBe('skipped');
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
    await movedOutcome(house, id, 'pg_stat_wal').toBe('skipped');
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
    for (const id of ids) await movedOutcome(house, id, 'pg_stat_wal').toBe('skipped');
    await house.call(`DELETE /api/v1/probe-overrides/group/${await defaultGroup(house)}/pg_stat_wal`);
    await house.put(`cluster/${await clusterOf(house, ...ids)}/pg_stat_wal`, 5);
    for (const id of ids) await further(house, id, { count: 1 });
  });
});

describe('statements that a page shows', () => {
  it('are read every ten seconds, and as before when no page does any more', async () => {
    const house = await settingHouse();
    const server = await startCluster({ settings: { shared_preload_libraries: 'pg_stat_statements' } });
    onTestFinished(() => server.stop());
    await server.query('create extension pg_stat_statements');
    const id = await house.connect(server);
    house.start({ probes: catalog.filter(({ name }) => name === 'pg_stat_statements') });
    const seen = new Set<string>();
    const count = async () => {
      const { collected_at = null } = (await house.snapshot(id, 'pg_stat_statements', 'postgres')) ?? {};
      if (collected_at) seen.add(collected_at);
      return seen.size;
    };
    await pollMoved(house, count, 0).toBe(1);
    expect((await house.call(`POST /api/v1/connections/${id}/statements/watch`)).status).toBe(204);
    const before = house.clock.monotonic();
    await pollMoved(house, count, 1).toBeGreaterThanOrEqual(4);
    expect(house.clock.monotonic() - before).toBeLessThan(120_000);
    await house.db.run(sql`/* test.forget */
      update matriarch.connections set statements_watched_at = now() - interval '46 seconds' where id = ${id}`);
    // The collector has looked, and what was under way is over: none came for longer than ten seconds.
    let after = 0;
    let still = 0;
    const settled = async () => {
      const now = await count();
      still = now === after ? still + 1 : 0;
      after = now;
      return still;
    };
    await pollMoved(house, settled, 1).toBeGreaterThan(15);
    for (let n = 0; n < 50; n += 1) await pollMoved(house, count, 2).toBe(after);
  });
});
