// S13: somebody who was granted everything there is to grant is still no superuser, and does nothing to one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser } from '../../testing/access/actors.ts';
import { makeHolder, type RbacApi, startRbacApi } from '../../testing/access/rbac.ts';

let test: RbacApi;
beforeAll(async () => {
  test = await startRbacApi();
});
afterAll(() => test.close());

it('every grant together does not reach a superuser', async () => {
  const everything = { permissions: ['*'], mcp: ['*'], connections: { 0: 'read_write' } } as const;
  const delegate = await makeHolder(test.db, everything);
  const superuser = await makeUser(test.db, { is_superuser: true });
  const equal = await makeHolder(test.db, everything);
  const status = async (request: string, body?: object) =>
    (await test.as(delegate.session, request, body)).status;
  const [theirs, ours] = [superuser, equal].map(({ user_id }) => `/api/v1/rbac/users/${user_id}`);
  for (const body of [{ display_name: 'x' }, { password: 'staple giraffe orbit two' }, { enabled: false }]) {
    expect(await status(`PUT ${theirs}`, body)).toBe(403);
    expect(await status(`PUT ${ours}`, body)).toBe(200);
  }
  expect(await status(`DELETE ${theirs}`)).toBe(403);
  expect(await status('POST /api/v1/rbac/tokens', { owner_username: superuser.username })).toBe(403);
  expect(await status(`PUT /api/v1/rbac/users/${delegate.user_id}`, { is_superuser: true })).toBe(403);
  expect(await status(`DELETE ${ours}`)).toBe(204);
});

it('who may manage users ends the sessions of who may no more, and keeps the own one', async () => {
  const manager = await makeHolder(test.db, { permissions: ['manage_users'] });
  const [person, superuser] = [await makeUser(test.db), await makeUser(test.db, { is_superuser: true })];
  const end = (session: string | undefined, { user_id }: { user_id: number }) =>
    test.as(session, `DELETE /api/v1/rbac/users/${user_id}/sessions`);
  const isIn = async (session: string) =>
    (await test.as(session, 'GET /api/v1/user/sessions')).status === 200;
  expect((await end(person.session, manager)).status).toBe(403);
  expect((await end(manager.session, superuser)).status).toBe(403);
  expect(await end(manager.session, person)).toMatchObject({
    status: 200,
    body: { message: 'Ended one session.' },
  });
  expect([await isIn(person.session), await isIn(superuser.session)]).toEqual([false, true]);
  expect(await end(manager.session, manager)).toMatchObject({ body: { message: 'Ended 0 sessions.' } });
  expect(await isIn(manager.session)).toBe(true);
  expect(await end(manager.session, { user_id: 999_999 })).toMatchObject({ status: 404 });
});

it('nobody deletes or disables themselves, though another superuser would be left', async () => {
  const second = await makeUser(test.db, { is_superuser: true });
  const own = `/api/v1/rbac/users/${second.user_id}`;
  expect((await test.as(second.session, `DELETE ${own}`)).status).toBe(409);
  expect((await test.as(second.session, `PUT ${own}`, { enabled: false })).status).toBe(409);
  expect((await test.as(undefined, `DELETE ${own}`)).status).toBe(204);
});
