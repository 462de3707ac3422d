// Saved searches through HTTP: each has their own, so many at most, and they go with their person.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Actor, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { logSearchesRoutes } from './log-searches.routes.ts';

let test: TestApi;
let ada: Actor;
beforeAll(async () => {
  test = await startTestApi({ rooms: [logSearchesRoutes] });
  ada = await makeUser(test.db);
});
afterAll(() => test.close());

const ERRORS = { severity: 'ERROR', application_name: 'checkout', search: 'orders "not found"' };

const save = (token: string, name: string, filter: object = ERRORS) =>
  test.call('POST /api/v1/log-searches', { token, body: { name, filter } });

async function named(token: string): Promise<string[]> {
  const { status, text, body } = await test.call('GET /api/v1/log-searches', { token });
  expect(status, text).toBe(200);
  return Object(body).searches.map(({ name }: { name: string }) => name);
}

describe('saved searches', () => {
  it('are kept as they were saved, by name, for their person alone', async () => {
    const bob = await makeUser(test.db);
    const saved = await save(bob.session, 'checkout');
    expect([saved.status, saved.text]).toEqual([201, expect.any(String)]);
    expect(Object(saved.body)).toMatchObject({ name: 'checkout', filter: ERRORS });
    await save(bob.session, 'Archive', { class: 'archive_failed', important: true });
    expect(await named(bob.session)).toEqual(['Archive', 'checkout']);
    expect(await named(ada.session)).toEqual([]);
    expect(await named(test.actors.superuser.session)).toEqual([]);
  });

  it('are renamed and deleted by their person, and are none for others', async () => {
    const { id } = Object((await save(ada.session, 'before')).body);
    for (const { session } of [test.actors.other, test.actors.superuser]) {
      const renamed = await test.call(`PATCH /api/v1/log-searches/${id}`, {
        token: session,
        body: { name: 'x' },
      });
      expect([renamed.status, renamed.error]).toEqual([404, 'You have no such search.']);
      const gone = await test.call(`DELETE /api/v1/log-searches/${id}`, { token: session });
      expect(gone.status).toBe(404);
    }
    const { body } = await test.call(`PATCH /api/v1/log-searches/${id}`, {
      token: ada.session,
      body: { name: 'after' },
    });
    expect(body).toMatchObject({ id, name: 'after', filter: ERRORS });
    const gone = await test.call(`DELETE /api/v1/log-searches/${id}`, { token: ada.session });
    expect(gone.body).toEqual({ status: 'deleted' });
    expect((await test.call(`DELETE /api/v1/log-searches/${id}`, { token: ada.session })).status).toBe(404);
  });

  it('have a name each, and at most 50 of a person', async () => {
    const eve = await makeUser(test.db);
    expect((await save(eve.session, 'one')).status).toBe(201);
    const twice = await save(eve.session, 'one');
    expect([twice.status, twice.error]).toEqual([409, 'You already have a search of that name.']);
    await test.db.run(sql`/* test.many */
      insert into matriarch.log_searches (user_id, name, filter, created_at)
      select ${eve.user_id}::int, 'n' || n, '{}', now() from generate_series(1, 49) n`);
    const more = await save(eve.session, 'two');
    expect([more.status, more.error]).toEqual([
      409,
      'You have 50 saved searches already. Delete some first.',
    ]);
  });

  it.each<[string, object, string]>([
    ['x', {}, 'Set a filter: a search without one finds everything.'],
    ['x', { search: 'a b c d e f g h i j k' }, 'Search for at most 10 words or phrases.'],
    ['x', { sqlstate: 'no' }, 'filter.sqlstate'],
    ['n'.repeat(65), ERRORS, 'name'],
    ['', ERRORS, 'name'],
  ])('are refused: %s %j', async (name, filter, why) => {
    const answer = await save(ada.session, name, filter);
    expect(answer.status).toBe(400);
    expect(answer.error).toContain(why);
  });

  it('need a session, and go with their person', async () => {
    const max = await makeUser(test.db);
    await save(max.session, 'mine');
    const token = await makeToken(test.db, max.user_id);
    expect((await test.call('GET /api/v1/log-searches', { token })).status).toBe(403);
    await test.db.run(sql`/* test.delete */ delete from matriarch.users where id = ${max.user_id}`);
    const { left } = await test.db.one<{ left: number }>(sql`/* test.left */
      select count(*)::int as left from matriarch.log_searches s where s.user_id = ${max.user_id}`);
    expect(left).toBe(0);
  });
});
