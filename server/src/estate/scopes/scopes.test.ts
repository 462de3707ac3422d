// Scopes: who can see them, and that nothing stays behind when they go.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx, Principal } from '../../identity/access/principal.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { demandScope, forgetScope, type ScopeKind } from './scopes.service.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

function ctxOf(user_id: number, rest: Partial<Principal> = {}): Ctx {
  const principal: Principal = {
    user_id,
    username: 'somebody',
    is_superuser: false,
    admin_permissions: [],
    via: { kind: 'session', id: 1 },
    scope: undefined,
    ...rest,
  };
  const { signal } = new AbortController();
  return { db: test.db, principal, clock: systemClock, log: silentLog, signal };
}

interface ClusterOptions {
  group_id?: number;
  key?: string;
  dismissed?: boolean;
}

let made = 0;
async function makeCluster({ group_id, key, dismissed = false }: ClusterOptions = {}): Promise<number> {
  made += 1;
  const { id } = await test.db.one<{ id: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (group_id, name, auto_cluster_key, dismissed)
    values (${group_id ?? null}::int, ${`cluster ${made}`}, ${key ?? null}::text, ${dismissed})
    returning id`);
  return id;
}

async function makeGroup(owner_id: number, is_shared = false): Promise<number> {
  made += 1;
  const { id } = await test.db.one<{ id: number }>(sql`/* test.group */
    insert into matriarch.cluster_groups (name, owner_id, is_shared)
    values (${`group ${made}`}, ${owner_id}, ${is_shared})
    returning id`);
  return id;
}

const join = (connection: number, cluster: number) =>
  test.db.run(sql`/* test.join */
    update matriarch.connections set cluster_id = ${cluster} where id = ${connection}`);

const sees = (ctx: Ctx, scope: ScopeKind, scope_id: number) =>
  demandScope(ctx, { scope, scope_id }).then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'not_found', message: `There is no such ${scope}.` });
      return false;
    },
  );

const manager = { admin_permissions: ['manage_connections'] };

describe('S12 a scope is seen', () => {
  it('as a server by who can read it, until it is deleted', async () => {
    const { user_id } = await makeUser(test.db);
    const stranger = await makeUser(test.db);
    const own = await makeConnection(test.db, { owner_id: user_id });
    const gone = await makeConnection(test.db, { owner_id: user_id, deleted: true });
    expect(await sees(ctxOf(user_id), 'server', own)).toBe(true);
    expect(await sees(ctxOf(user_id), 'server', gone)).toBe(false);
    expect(await sees(ctxOf(stranger.user_id), 'server', own)).toBe(false);
    expect(await sees(ctxOf(stranger.user_id, manager), 'server', own)).toBe(false);
    expect(await sees(ctxOf(user_id, { scope: { connections: [] } }), 'server', own)).toBe(false);
  });

  it('as a cluster by who sees one of its servers; an empty one by who manages connections', async () => {
    const { user_id } = await makeUser(test.db);
    const stranger = await makeUser(test.db);
    const held = await makeCluster();
    const empty = await makeCluster();
    const own = await makeConnection(test.db, { owner_id: user_id });
    const gone = await makeConnection(test.db, { owner_id: user_id, deleted: true });
    await join(own, held);
    await join(gone, empty);
    expect(await sees(ctxOf(user_id), 'cluster', held)).toBe(true);
    expect(await sees(ctxOf(stranger.user_id), 'cluster', held)).toBe(false);
    expect(await sees(ctxOf(stranger.user_id, manager), 'cluster', held)).toBe(false);
    expect(await sees(ctxOf(user_id), 'cluster', empty)).toBe(false);
    expect(await sees(ctxOf(user_id, manager), 'cluster', empty)).toBe(true);
    expect(await sees(ctxOf(user_id, manager), 'cluster', 2_000_000_000)).toBe(false);
  });

  it('as the cluster that stands for one server by who sees that server', async () => {
    const { user_id } = await makeUser(test.db);
    const stranger = await makeUser(test.db);
    const own = await makeConnection(test.db, { owner_id: user_id });
    const lone = await makeCluster({ key: `standalone:${own}` });
    expect(await sees(ctxOf(user_id), 'cluster', lone)).toBe(true);
    expect(await sees(ctxOf(stranger.user_id, manager), 'cluster', lone)).toBe(false);
  });

  it('as a group by its owner, by all when shared or default, and by who sees a cluster in it', async () => {
    const { user_id } = await makeUser(test.db);
    const stranger = await makeUser(test.db);
    const [own, shared, holding, hiding] = [
      await makeGroup(user_id),
      await makeGroup(user_id, true),
      await makeGroup(user_id),
      await makeGroup(user_id),
    ];
    const server = await makeConnection(test.db, { owner_id: stranger.user_id });
    await join(server, await makeCluster({ group_id: holding }));
    const hidden = await makeConnection(test.db, { owner_id: stranger.user_id });
    await join(hidden, await makeCluster({ group_id: hiding, key: 'spock:hidden', dismissed: true }));
    const { id: standard } = await test.db.one<{ id: number }>(sql`/* test.default_group */
      select id from matriarch.cluster_groups where is_default`);
    const seen = async (ctx: Ctx) =>
      Promise.all([standard, own, shared, holding, hiding].map((id) => sees(ctx, 'group', id)));
    expect(await seen(ctxOf(user_id))).toEqual([true, true, true, true, true]);
    expect(await seen(ctxOf(stranger.user_id))).toEqual([true, false, true, true, false]);
    expect(await seen(ctxOf(stranger.user_id, manager))).toEqual([true, true, true, true, true]);
  });
});

describe('a scope that is forgotten', () => {
  const override = (scope: ScopeKind, id: number) =>
    test.db.run(sql`/* test.override */
      insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
      values (${scope}, ${id}, 'pg_connectivity', true, 30, 7)`);
  const overrides = () =>
    test.db.rows<{ scope: ScopeKind; scope_id: number }>(sql`/* test.overrides */
      select scope, scope_id from matriarch.probe_overrides order by scope, scope_id`);

  it('takes its overrides along, and no others', async () => {
    await test.db.run(sql`/* test.probe */
      insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
      values ('pg_connectivity', 30, 7)
      on conflict do nothing`);
    const { user_id } = await makeUser(test.db);
    const [first, second] = [
      await makeConnection(test.db, { owner_id: user_id }),
      await makeConnection(test.db, { owner_id: user_id }),
    ];
    const lone = await makeCluster({ key: `standalone:${first}` });
    const joined = await makeCluster({ key: `standalone:${second}` });
    await join(first, lone);
    await join(second, lone);
    await join(await makeConnection(test.db, { owner_id: user_id }), joined);
    for (const id of [first, second]) await override('server', id);
    for (const id of [lone, joined]) await override('cluster', id);
    await override('group', 1);
    await test.db.run(sql`/* test.relationships */
      insert into matriarch.cluster_relationships
        (source_connection_id, target_connection_id, relationship_type, is_auto_detected)
      values (${first}, ${second}, 'streams_from', true), (${second}, ${first}, 'replicates_with', false)`);

    await forgetScope(test.db, 'server', [first]);
    expect(await overrides()).toEqual([
      { scope: 'cluster', scope_id: lone },
      { scope: 'cluster', scope_id: joined },
      { scope: 'group', scope_id: 1 },
      { scope: 'server', scope_id: second },
    ]);
    const left = await test.db.rows(sql`/* test.left */ select from matriarch.cluster_relationships`);
    expect(left).toEqual([]);

    await test.db.run(sql`/* test.delete */
      update matriarch.connections set deleted_at = now() where id = ${first}`);
    await forgetScope(test.db, 'server', [second]);
    await forgetScope(test.db, 'group', [1]);
    await forgetScope(test.db, 'cluster', []);
    expect(await overrides()).toEqual([{ scope: 'cluster', scope_id: joined }]);
    const rows = await test.db.rows<{ id: number }>(sql`/* test.lone */
      select id from matriarch.clusters where id in (${lone}, ${joined})`);
    expect(rows).toEqual([{ id: joined }]);
  });
});
