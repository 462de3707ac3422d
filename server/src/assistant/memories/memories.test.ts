// Memories through HTTP: one's own and everybody's, in their order, and who may change which.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Actor, makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { memoriesRoutes } from './memories.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [memoriesRoutes] });
});
afterAll(() => test.close());

interface Made {
  owner?: Actor;
  content: string;
  category?: string;
  pinned?: boolean;
  age_seconds?: number;
}

async function remembered({
  owner,
  content,
  category = 'fact',
  pinned = false,
  age_seconds = 0,
}: Made): Promise<number> {
  const { id } = await test.db.one<{ id: number }>(sql`/* test.remember */
    insert into matriarch.memories (
      owner_id, username, scope, category, content, pinned, model_name, created_at, updated_at
    )
    select ${owner?.user_id ?? null}::int, ${owner?.username ?? 'somebody'}, ${owner ? 'user' : 'system'},
      ${category}, ${content}, ${pinned}::boolean, 'm', t, t
    from (values (now() - ${age_seconds}::int * interval '1 second')) as times (t)
    returning id`);
  return id;
}

async function contents(token: string, query = ''): Promise<string[]> {
  const { status, text, body } = await test.call(`GET /api/v1/memories${query}`, { token });
  expect(status, text).toBe(200);
  return Object(body).memories.map(({ content }: { content: string }) => content);
}

describe('a list', () => {
  it("has one's own and everybody's, pinned first, then newest, by category and pin", async () => {
    const [ada, bob] = [await makeUser(test.db), await makeUser(test.db)];
    await remembered({ owner: ada, content: 'old pinned', pinned: true, age_seconds: 60 });
    await remembered({ owner: ada, content: 'new', category: 'taste' });
    await remembered({ content: 'of all', age_seconds: 30 });
    await remembered({ owner: bob, content: "bob's" });
    expect(await contents(ada.session)).toEqual(['old pinned', 'new', 'of all']);
    expect(await contents(bob.session)).toEqual(["bob's", 'of all']);
    expect(await contents(ada.session, '?pinned=true')).toEqual(['old pinned']);
    expect(await contents(ada.session, '?category=taste&limit=1')).toEqual(['new']);
    expect(await contents(await makeToken(test.db, ada.user_id))).toContain('new');
    expect((await test.call('GET /api/v1/memories?limit=1001', { token: ada.session })).status).toBe(400);
  });
});

describe('a change', () => {
  it("of one's own pins, unpins and deletes", async () => {
    const ada = await makeUser(test.db);
    const id = await remembered({ owner: ada, content: 'x' });
    const pin = await test.call(`PATCH /api/v1/memories/${id}`, {
      token: ada.session,
      body: { pinned: true },
    });
    expect(pin.body).toEqual({ id, pinned: true });
    expect(await contents(ada.session, '?pinned=true')).toContain('x');
    const gone = await test.call(`DELETE /api/v1/memories/${id}`, { token: ada.session });
    expect(gone.body).toEqual({ status: 'deleted' });
    expect((await test.call(`DELETE /api/v1/memories/${id}`, { token: ada.session })).status).toBe(404);
  });

  it('belongs to its owner, with whatever token', async () => {
    const ada = await makeUser(test.db);
    const id = await remembered({ owner: ada, content: 'x' });
    const token = await makeToken(test.db, ada.user_id, {
      scope: { connections: [{ connection_id: 1, level: 'read' }] },
    });
    for (const pinned of [true, false])
      expect((await test.call(`PATCH /api/v1/memories/${id}`, { token, body: { pinned } })).status).toBe(200);
  });

  it("of somebody else's is as if there were none, for a superuser too", async () => {
    const ada = await makeUser(test.db);
    const id = await remembered({ owner: ada, content: 'x' });
    for (const { session } of [test.actors.other, test.actors.superuser]) {
      const pin = await test.call(`PATCH /api/v1/memories/${id}`, { token: session, body: { pinned: true } });
      expect([pin.status, pin.error]).toEqual([404, 'There is no such memory.']);
      expect((await test.call(`DELETE /api/v1/memories/${id}`, { token: session })).status).toBe(404);
    }
  });

  it("of everybody's takes the permission, which a token's scope can leave out", async () => {
    const [id, ada, keeper] = [
      await remembered({ content: 'y' }),
      await makeUser(test.db),
      await makeUser(test.db),
    ];
    await makeGroup(test.db, { users: [keeper.user_id], permissions: ['store_system_memory'] });
    const narrow = await makeToken(test.db, keeper.user_id, { scope: { admin: [] } });
    for (const token of [ada.session, narrow]) {
      const pin = await test.call(`PATCH /api/v1/memories/${id}`, { token, body: { pinned: true } });
      expect([pin.status, pin.error]).toEqual([403, 'You need the permission store_system_memory.']);
      expect((await test.call(`DELETE /api/v1/memories/${id}`, { token })).status).toBe(403);
    }
    const pin = await test.call(`PATCH /api/v1/memories/${id}`, {
      token: keeper.session,
      body: { pinned: true },
    });
    expect(pin.status).toBe(200);
    expect((await test.call(`DELETE /api/v1/memories/${id}`, { token: keeper.session })).status).toBe(200);
  });

  it("of people: one's own go with them, everybody's stay", async () => {
    const ada = await makeUser(test.db);
    const own = await remembered({ owner: ada, content: 'mine' });
    const all = await remembered({ content: 'ours' });
    await test.db.run(sql`/* test.delete */ delete from matriarch.users where id = ${ada.user_id}`);
    const left = await test.db.rows<{ id: number }>(
      sql`select id from matriarch.memories where id in (${own}, ${all})`,
    );
    expect(left).toEqual([{ id: all }]);
  });
});
