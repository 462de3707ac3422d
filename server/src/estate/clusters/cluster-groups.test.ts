// Groups of clusters over HTTP: who sees them, who changes them, and what a deletion leaves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { joinCluster, makeCluster, makeGroup } from '../../testing/store/clusters.ts';
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
const PATH = '/api/v1/cluster-groups';

describe('a group', () => {
  it('is made, read by both of its names, listed and renamed', async () => {
    const made = await call(`POST ${PATH}`, { name: ' Production ', description: 'Live', is_shared: true });
    expect(made.status, made.text).toBe(201);
    const { id, created_at } = Object(made.body);
    const whole = {
      id,
      name: 'Production',
      description: 'Live',
      owner_username: test.actors.superuser.username,
      is_shared: true,
      is_default: false,
      auto_group_key: null,
      created_at,
      updated_at: created_at,
    };
    expect(made.body).toEqual(whole);
    for (const name of [id, `group-${id}`]) expect((await call(`GET ${PATH}/${name}`)).body).toEqual(whole);
    expect((await call(`GET ${PATH}`)).body).toContainEqual(whole);
    const renamed = await call(`PUT ${PATH}/group-${id}`, { name: 'Live' });
    expect(renamed.body).toMatchObject({ id, name: 'Live', description: 'Live', is_shared: true });
    const emptied = await call(`PUT ${PATH}/group-${id}`, { name: 'Live', description: '' });
    expect(emptied.body).toMatchObject({ id, name: 'Live', description: '', is_shared: true });
    expect((await call(`PUT ${PATH}/${id}`, { name: 'Live', is_shared: false })).body).toMatchObject({
      is_shared: false,
    });
  });

  it.each([
    ['POST', '', { name: 'Twice' }, 409, 'A cluster group of that name exists already.'],
    ['POST', '', { name: 'TWICE' }, 409, 'A cluster group of that name exists already.'],
    ['POST', '', {}, 400, 'name is missing.'],
    ['POST', '', { name: ' ' }, 400, 'name must not be empty.'],
    ['PUT', '/group-auto', { name: 'Twice' }, 409, 'A cluster group of that name exists already.'],
    ['PUT', '/1', { is_shared: true }, 400, 'name is missing.'],
    ['PUT', '/2000000000', { name: 'x' }, 404, 'There is no such cluster group.'],
    ['GET', '/2000000000', undefined, 404, 'There is no such cluster group.'],
    ['GET', '/group-auto', undefined, 400, 'id must be N or group-N.'],
    ['GET', '/group-0', undefined, 400, 'id must be N, group-N, group-auto or group-auto-<key>.'],
    ['DELETE', '/group-auto-x', undefined, 400, 'id must be N or group-N.'],
    ['GET', '/group-1/clusters', undefined, 400, 'id must be an integer from 1 to 2147483647.'],
    ['GET', '/2000000000/clusters', undefined, 404, 'There is no such group.'],
    ['DELETE', '/1', undefined, 403, 'The default group cannot be deleted.'],
  ])('%s %s with %j is refused', async (...[method, path, body, status, error]) => {
    await call(`POST ${PATH}`, { name: 'Twice' });
    const answer = await call(`${method} ${PATH}${path}`, body);
    expect([answer.status, answer.error]).toEqual([status, error]);
  });

  it('may be the default one, by the name it has in old trees', async () => {
    const answer = await call(`PUT ${PATH}/group-auto`, { name: 'All the rest', description: 'x' });
    expect(answer.body).toMatchObject({
      id: 1,
      name: 'All the rest',
      is_default: true,
      owner_username: null,
    });
  });

  it('is made on demand for what was detected, once and nobody’s', async () => {
    const path = `${PATH}/group-auto-eu%22%3B%20--`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => call(`PUT ${path}`, { name: 'Europe' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { id } = Object(answers[0]?.body);
    const renamed = await call(`PUT ${path}`, { name: 'EU' });
    expect(renamed.body).toMatchObject({
      id,
      name: 'EU',
      auto_group_key: 'eu"; --',
      owner_username: null,
      is_shared: false,
    });
    const { session } = await makeUser(test.db);
    expect((await call(`PUT ${PATH}/group-auto-none`, { name: 'x' }, session)).status).toBe(404);
  });

  it('leaves its clusters to the default group, and its overrides to nobody', async () => {
    const id = await makeGroup(test.db);
    const cluster = await makeCluster(test.db, { group_id: id });
    await test.db.run(sql`/* test.override */
      with probe as (
        insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
        values ('test_probe', 30, 7) returning probe_name
      )
      insert into matriarch.probe_overrides (scope, scope_id, probe_name, is_enabled, interval_seconds, retention_days)
      select 'group', ${id}, probe_name, true, 30, 7 from probe`);
    expect((await call(`DELETE ${PATH}/group-${id}`)).status).toBe(204);
    expect((await call(`DELETE ${PATH}/group-${id}`)).status).toBe(404);
    expect((await call(`GET /api/v1/clusters/${cluster}`)).body).toMatchObject({ group_id: null });
    const left = await test.db.rows(sql`/* test.left */ select from matriarch.probe_overrides`);
    expect(left).toEqual([]);
  });

  it('holds clusters that are made in it', async () => {
    const id = await makeGroup(test.db);
    const made = await call(`POST ${PATH}/${id}/clusters`, {
      name: `Within ${id}`,
      replication_type: 'spock',
    });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ group_id: id })]);
    await makeCluster(test.db, { group_id: id, key: `spock:d${id}`, dismissed: true });
    expect((await call(`GET ${PATH}/${id}/clusters`)).body).toEqual([made.body]);
    const again = await call(`POST ${PATH}/${id}/clusters`, { name: `within ${id}` });
    expect(again.status).toBe(409);
  });
});

describe('S12 groups', () => {
  it('show to their owner, to all when shared, and to who sees a cluster in them', async () => {
    const { user_id, session } = await makeUser(test.db);
    const stranger = await makeUser(test.db);
    const own = await makeGroup(test.db, { owner_id: user_id });
    const shared = await makeGroup(test.db, { is_shared: true });
    const holding = await makeGroup(test.db);
    const empty = await makeGroup(test.db);
    const server = await makeConnection(test.db, { owner_id: user_id });
    const cluster = await makeCluster(test.db, { group_id: holding });
    await joinCluster(test.db, server, { id: cluster });
    const seen = async (token: string) => {
      const { text } = await call(`GET ${PATH}`, undefined, token);
      const ids = JSON.parse(text).map(({ id }: { id: number }) => id);
      for (const id of [own, shared, holding, empty])
        for (const path of [`${PATH}/${id}`, `${PATH}/${id}/clusters`])
          expect((await call(`GET ${path}`, undefined, token)).status).toBe(ids.includes(id) ? 200 : 404);
      expect(ids[0]).toBe(1);
      return [own, shared, holding, empty].filter((id) => ids.includes(id));
    };
    expect(await seen(session)).toEqual([own, shared, holding]);
    expect(await seen(stranger.session)).toEqual([shared]);
    expect(await seen(boss)).toEqual([own, shared, holding, empty]);
    const token = await makeToken(test.db, test.actors.superuser.user_id, {
      scope: { admin: ['manage_connections'], connections: [] },
    });
    expect(await seen(token)).toEqual([own, shared, holding, empty]);
    expect((await call(`GET ${PATH}/${holding}/clusters`, undefined, token)).body).toEqual([]);
  });

  it('are changed by their owner and by who manages connections, by nobody else', async () => {
    const { user_id, session } = await makeUser(test.db);
    const stranger = await makeUser(test.db);
    const own = await makeGroup(test.db, { owner_id: user_id, is_shared: true });
    const change = (token: string, id: number) => call(`PUT ${PATH}/${id}`, { name: `changed ${id}` }, token);
    const remove = (token: string, id: number) => call(`DELETE ${PATH}/${id}`, undefined, token);
    expect((await change(stranger.session, own)).status).toBe(403);
    expect((await remove(stranger.session, own)).status).toBe(403);
    expect((await change(session, 1)).status).toBe(403);
    expect((await call(`POST ${PATH}`, { name: 'mine' }, session)).status).toBe(403);
    expect((await call(`POST ${PATH}/${own}/clusters`, { name: 'mine' }, session)).status).toBe(403);
    expect((await change(session, own)).status).toBe(200);
    expect((await change(boss, own)).status).toBe(200);
    expect((await remove(session, own)).status).toBe(204);
    const hidden = await makeGroup(test.db, { owner_id: user_id });
    expect((await change(stranger.session, hidden)).status).toBe(404);
    expect((await remove(stranger.session, hidden)).status).toBe(404);
  });
});
