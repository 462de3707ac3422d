// Stored clusters over HTTP: made by hand, made on demand for what detection sees, dismissed and brought back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { detected, joinCluster, makeCluster, makeGroup } from '../../testing/store/clusters.ts';
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

/** Somebody with connections of their own. */
async function person() {
  const { user_id, session } = await makeUser(test.db);
  const add = (name?: string) => makeConnection(test.db, { owner_id: user_id, ...(name && { name }) });
  return { user_id, session, add };
}

/** A token that manages connections and sees only these. */
const manager = (...ids: number[]) =>
  makeToken(test.db, test.actors.superuser.user_id, {
    scope: {
      admin: ['manage_connections'],
      connections: ids.map((connection_id) => ({ connection_id, level: 'read_write' as const })),
    },
  });

const clusterOf = (id: number) =>
  test.db.one<{ cluster_id: number | null; membership_source: string }>(sql`/* test.cluster_of */
    select cluster_id, membership_source from matriarch.connections where id = ${id}`);

const stored = (key: string) =>
  test.db.rows<{ id: number; name: string }>(sql`/* test.stored */
    select id, name from matriarch.clusters where auto_cluster_key = ${key}`);

describe('a cluster made by hand', () => {
  it('is answered whole and listed', async () => {
    const group_id = await makeGroup(test.db);
    const body = { name: '  Orders ', description: 'All of it', replication_type: 'binary', group_id };
    const made = await call('POST /api/v1/clusters', body);
    expect(made.status, made.text).toBe(201);
    const { id, created_at } = Object(made.body);
    const whole = {
      id,
      group_id,
      name: 'Orders',
      description: 'All of it',
      replication_type: 'binary',
      auto_cluster_key: null,
      created_at,
      updated_at: created_at,
      dismissed: false,
    };
    expect(made.body).toEqual(whole);
    expect((await call(`GET /api/v1/clusters/${id}`)).body).toEqual(whole);
    expect((await call(`GET /api/v1/clusters/cluster-${id}`)).body).toEqual(whole);
    expect((await call('GET /api/v1/clusters/list')).body).toContainEqual({
      id,
      name: 'Orders',
      replication_type: 'binary',
      auto_cluster_key: null,
      dismissed: false,
    });
  });

  it('goes to the default group where none is named, and has no replication until somebody says so', async () => {
    const made = await call('POST /api/v1/clusters', { name: 'Loose' });
    expect(made.body).toMatchObject({ group_id: null, description: '' });
    expect(made.body).not.toHaveProperty('replication_type');
    const groups = await call('GET /api/v1/cluster-groups/1/clusters');
    expect(groups.body).toContainEqual(made.body);
  });

  it.each([
    [{}, 'name is missing.'],
    [{ name: '' }, 'name must not be empty.'],
    [{ name: '   ' }, 'name must not be empty.'],
    [{ name: 'a\u202eb' }, 'name must not contain invisible, control or direction characters.'],
    [{ name: 'a\u0000b' }, 'name must not contain the character NUL.'],
    [{ name: 'x'.repeat(256) }, 'name must be a text of 1 to 255 characters.'],
    [{ name: 'x', description: 'x'.repeat(4001) }, 'description must be a text of at most 4000 characters.'],
    [
      { name: 'x', replication_type: 'magic' },
      'replication_type must be one of binary, spock, logical, other.',
    ],
    [{ name: 'x', group_id: 0 }, 'group_id must be an integer from 1 to 2147483647.'],
  ])('is refused: %j', async (body, error) => {
    const answer = await call('POST /api/v1/clusters', body);
    expect([answer.status, answer.error]).toEqual([400, error]);
  });

  it('keeps any other name as it is, and only once', async () => {
    for (const name of ['"; drop table x; --', "O'Hara $1 %s", '日本語 🐘', '$$', '../../etc']) {
      const made = await call('POST /api/v1/clusters', { name });
      expect([made.status, Object(made.body).name]).toEqual([201, name]);
      const again = await call('POST /api/v1/clusters', { name: name.toUpperCase() });
      expect(again.status).toBe(409);
      expect(again.error).toMatch(/^A cluster of that name exists already/);
    }
  });

  it('needs a group that exists', async () => {
    const answer = await call('POST /api/v1/clusters', { name: 'Nowhere', group_id: 2_000_000_000 });
    expect([answer.status, answer.error]).toEqual([404, 'There is no such group.']);
    expect((await call('POST /api/v1/cluster-groups/2000000000/clusters', { name: 'Nowhere' })).status).toBe(
      404,
    );
  });

  it('leaves its servers to detection when it is deleted, with its overrides and relationships', async () => {
    const { add } = await person();
    const [a, b] = [await add(), await add()];
    const id = await makeCluster(test.db);
    const other = await makeCluster(test.db, { key: `spock:back-${a}` });
    await detected(test.db, {
      key: `spock:back-${a}`,
      name: 'back',
      type: 'spock',
      servers: [{ connection_id: a }],
    });
    for (const server of [a, b]) await joinCluster(test.db, server, { id, membership: 'manual' });
    await call(`PUT /api/v1/clusters/${id}/connections/${a}/relationships`, {
      relationships: [{ target_connection_id: b, relationship_type: 'subscribes_to' }],
    });
    await test.db.run(sql`/* test.override */
      with probe as (
        insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
        values ('test_probe', 30, 7) returning probe_name
      )
      insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
      select 'cluster', ${id}, probe_name, true, 30, 7 from probe`);
    expect((await call(`DELETE /api/v1/clusters/${id}`)).status).toBe(204);
    expect((await call(`DELETE /api/v1/clusters/${id}`)).status).toBe(404);
    expect(await clusterOf(a)).toEqual({ cluster_id: other, membership_source: 'auto' });
    expect(await clusterOf(b)).toEqual({ cluster_id: null, membership_source: 'auto' });
    const left = await test.db.one(sql`/* test.left */
      select (select count(*)::int from matriarch.probe_overrides) as overrides,
        (select count(*)::int from matriarch.cluster_relationships where cluster_id = ${id}) as relationships`);
    expect(left).toEqual({ overrides: 0, relationships: 0 });
  });
});

describe('a change of a cluster', () => {
  it('leaves what it does not name, and pins the name', async () => {
    const key = 'binary:991';
    const id = await makeCluster(test.db, { key, name: 'seen first' });
    const change = async (body: object) => {
      const answer = await call(`PUT /api/v1/clusters/${id}`, body);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    await detected(test.db, {
      key,
      name: 'seen now',
      type: 'binary',
      replication_type: 'binary',
      servers: [],
    });
    expect(await change({ description: 'Two of them' })).toMatchObject({
      name: 'seen now',
      replication_type: 'binary',
    });
    expect(await change({ name: 'Ledger' })).toMatchObject({ name: 'Ledger', description: 'Two of them' });
    await detected(test.db, { key, name: 'seen later', type: 'binary', servers: [] });
    const group_id = await makeGroup(test.db);
    expect(await change({ group_id, replication_type: 'other', auto_cluster_key: key })).toMatchObject({
      name: 'Ledger',
      description: 'Two of them',
      group_id,
      replication_type: 'other',
    });
    expect(await change({ name: 'Ledger 2' })).toMatchObject({ group_id, description: 'Two of them' });
    expect(await change({ description: '' })).toMatchObject({ name: 'Ledger 2', description: '' });
    expect(await change({ group_id: null })).toMatchObject({ group_id: null, name: 'Ledger 2' });
  });

  it.each([
    [{}, 400, /^Say what to change/],
    [{ unknown: 1 }, 400, /^Say what to change/],
    [{ name: '' }, 400, /^Say what to change/],
    [{ name: '  ' }, 400, /^name must not be empty/],
    [{ name: '\t' }, 400, /^name must not be empty/],
    [{ group_id: 2_000_000_000 }, 404, /^There is no such group/],
    [{ dismissed: true }, 400, /^Only a detected cluster can be dismissed/],
    [{ auto_cluster_key: 'spock:x' }, 400, /^auto_cluster_key does not belong to this cluster/],
    [{ name: 'Taken' }, 409, /^A cluster of that name exists already/],
  ])('is refused: %j', async (body, status, error) => {
    await call('POST /api/v1/clusters', { name: 'Taken' });
    const id = await makeCluster(test.db);
    const answer = await call(`PUT /api/v1/clusters/${id}`, body);
    expect([answer.status, answer.error]).toEqual([status, expect.stringMatching(error)]);
  });
});

describe('a cluster that detection sees', () => {
  const spock = async (label: string, ...servers: number[]) => {
    await detected(test.db, {
      key: `spock:${label}`,
      name: `${label} nodes`,
      type: 'spock',
      replication_type: 'spock',
      servers: servers.map((connection_id) => ({ connection_id, primary_role: 'spock_node' })),
    });
  };

  it('is stored when somebody says something about it, with its servers', async () => {
    const { add, session } = await person();
    const [a, b] = [await add(), await add()];
    await spock('demand', a, b);
    const path = '/api/v1/clusters/cluster-spock-demand';
    expect((await call(`GET ${path}`)).status).toBe(404);
    const wrong = await call(`PUT ${path}`, { name: 'x', auto_cluster_key: 'spock:other' });
    expect([wrong.status, await stored('spock:demand')]).toEqual([400, []]);
    const named = await call(`PUT ${path}`, { description: 'mine', auto_cluster_key: 'spock:demand' });
    expect(named.body).toMatchObject({
      name: 'demand nodes',
      description: 'mine',
      auto_cluster_key: 'spock:demand',
      replication_type: 'spock',
    });
    const { id } = Object(named.body);
    for (const server of [a, b])
      expect(await clusterOf(server)).toEqual({ cluster_id: id, membership_source: 'auto' });
    expect((await call(`GET ${path}`, undefined, session)).body).toEqual(named.body);
    expect((await call(`GET ${path}`, undefined, (await person()).session)).status).toBe(404);
  });

  it('is stored once by many at a time', async () => {
    const { add } = await person();
    const server = await add();
    await spock('crowd', server);
    const descriptions = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
    const answers = await Promise.all(
      descriptions.map((description) => call('PUT /api/v1/clusters/cluster-spock-crowd', { description })),
    );
    expect(answers.map(({ status }) => status)).toEqual(descriptions.map(() => 200));
    expect(await stored('spock:crowd')).toHaveLength(1);
  });

  it('is found by hostile labels too', async () => {
    for (const label of ['a b"; --', "o'h/../x", '日本%s$1']) {
      await spock(label, await (await person()).add());
      const answer = await call(`PUT /api/v1/clusters/cluster-spock-${encodeURIComponent(label)}`, {
        description: 'x',
      });
      expect([answer.status, Object(answer.body).auto_cluster_key]).toEqual([200, `spock:${label}`]);
    }
  });

  it('is hidden when it is deleted, and comes back as it was', async () => {
    const { add } = await person();
    const server = await add();
    await spock('gone', server);
    await call('PUT /api/v1/clusters/cluster-spock-gone', { name: 'Gone' });
    for (const _twice of [1, 2])
      expect((await call('DELETE /api/v1/clusters/cluster-spock-gone')).status).toBe(204);
    const listed = async (search: string) => {
      const { text } = await call(`GET /api/v1/clusters/list${search}`);
      const rows: { name: string; dismissed: boolean }[] = JSON.parse(text);
      return rows.find(({ name }) => name === 'Gone')?.dismissed;
    };
    expect([await listed(''), await listed('?include_dismissed=true')]).toEqual([undefined, true]);
    expect((await call('GET /api/v1/clusters/cluster-spock-gone')).body).toMatchObject({ dismissed: true });
    const back = await call('PUT /api/v1/clusters/cluster-spock-gone', { dismissed: false });
    expect(back.body).toMatchObject({ name: 'Gone', dismissed: false });
    expect(await listed('')).toBe(false);
  });

  it('can be deleted before it is stored, also as a lone server', async () => {
    const { add, session } = await person();
    const server = await add('lonely');
    expect((await call(`GET /api/v1/clusters/server-${server}`)).status).toBe(404);
    expect((await call(`DELETE /api/v1/clusters/server-${server}`)).status).toBe(204);
    const answer = await call(`GET /api/v1/clusters/server-${server}`, undefined, session);
    expect(answer.body).toMatchObject({
      name: 'lonely',
      auto_cluster_key: `standalone:${server}`,
      dismissed: true,
    });
  });

  it('follows the name of a lone server until somebody names it', async () => {
    const { add } = await person();
    const server = await add('before');
    const path = `/api/v1/clusters/server-${server}`;
    await call(`PUT ${path}`, { description: 'x' });
    await test.db.run(sql`/* test.rename */
      update matriarch.connections set name = 'after' where id = ${server}`);
    expect((await call(`GET ${path}`)).body).toMatchObject({ name: 'after' });
    await call(`PUT ${path}`, { name: `Named ${server}` });
    expect((await call(`GET ${path}`)).body).toMatchObject({ name: `Named ${server}` });
  });

  it('is not made where the server belongs elsewhere, is unknown, or cannot be seen', async () => {
    const { add } = await person();
    const [member, hidden, seen] = [await add(), await add(), await add()];
    await joinCluster(test.db, member, { id: await makeCluster(test.db), membership: 'manual' });
    const token = await manager(member, seen);
    for (const [id, status] of [
      [`server-${member}`, 404],
      [`server-${hidden}`, 404],
      ['server-2000000000', 404],
      ['cluster-spock-nobody', 404],
      ['cluster-2000000000', 404],
      [`server-${seen}`, 200],
    ] as const) {
      const answer = await call(`PUT /api/v1/clusters/${id}`, { description: 'x' }, token);
      expect(answer.status, `${id} ${answer.text}`).toBe(status);
    }
    expect(await stored(`standalone:${hidden}`)).toEqual([]);
  });
});

describe('the name of a cluster in a path', () => {
  it.each(['0', '-1', '01', '1.5', 'abc', 'cluster-', 'cluster-spock-', 'server-x', 'group-1', '2147483648'])(
    'may not be %s',
    async (id) => {
      for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { name: 'x' }]] as const) {
        const answer = await call(`${method} /api/v1/clusters/${id}`, body);
        expect([answer.status, answer.error]).toEqual([
          400,
          'id must be N, cluster-N, server-N or cluster-spock-<prefix>.',
        ]);
      }
    },
  );
});

describe('S12 clusters', () => {
  it('show to who sees a server of theirs, and empty ones to who manages connections', async () => {
    const { add, session } = await person();
    const server = await add();
    const held = await makeCluster(test.db);
    const empty = await makeCluster(test.db);
    await joinCluster(test.db, server, { id: held });
    const stranger = (await person()).session;
    const seen = async (token: string) => {
      const { text } = await call('GET /api/v1/clusters/list', undefined, token);
      const ids = JSON.parse(text).map(({ id }: { id: number }) => id);
      for (const id of [held, empty]) {
        const single = await call(`GET /api/v1/clusters/${id}`, undefined, token);
        expect(single.status).toBe(ids.includes(id) ? 200 : 404);
      }
      return [held, empty].filter((id) => ids.includes(id));
    };
    expect(await seen(session)).toEqual([held]);
    expect(await seen(stranger)).toEqual([]);
    expect(await seen(boss)).toEqual([held, empty]);
    expect(await seen(await manager())).toEqual([empty]);
  });

  it('are changed by who manages connections and sees them, by nobody else', async () => {
    const { add, session } = await person();
    const server = await add();
    const id = await makeCluster(test.db);
    await joinCluster(test.db, server, { id });
    const tries = [
      ['PUT', { name: 'Mine' }],
      ['DELETE', undefined],
    ] as const;
    for (const [method, body] of tries) {
      expect((await call(`${method} /api/v1/clusters/${id}`, body, session)).status).toBe(403);
      expect((await call(`${method} /api/v1/clusters/${id}`, body, await manager())).status).toBe(404);
    }
    expect((await call('POST /api/v1/clusters', { name: 'Mine' }, session)).status).toBe(403);
    expect((await call(`PUT /api/v1/clusters/${id}`, { name: 'Mine' }, await manager(server))).status).toBe(
      200,
    );
  });
});
