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

it('nobody deletes or disables themselves, though another superuser would be left', async () => {
  const second = await makeUser(test.db, { is_superuser: true });
  const own = `/api/v1/rbac/users/${second.user_id}`;
  expect((await test.as(second.session, `DELETE ${own}`)).status).toBe(409);
  expect((await test.as(second.session, `PUT ${own}`, { enabled: false })).status).toBe(409);
  expect((await test.as(undefined, `DELETE ${own}`)).status).toBe(204);
});
