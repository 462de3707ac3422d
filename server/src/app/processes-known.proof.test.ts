// S7, S8, S12: two real API processes on one datastore know the same of everybody. What one of them ends or grants, the other knows
// at its next request. What they count together, and one that dies, are in processes.proof.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { makeConnection, makeSession, makeToken } from '../testing/access/actors.ts';
import { GOOD_PASSWORD } from '../testing/access/auth.ts';
import { makeGroup } from '../testing/access/groups.ts';
import { ask, known, person, signIn, type TwoProcesses, twoProcesses } from '../testing/two-processes.ts';

let two: TwoProcesses;
beforeAll(async () => {
  two = await twoProcesses();
});
afterAll(() => two.stop());

it('S8 a session that one opened is good at the other, until either ends it', async () => {
  const { test, first, second } = two;
  const { username } = await person(test.db);
  const { session } = await signIn(first, username, GOOD_PASSWORD);
  expect([await known(first, session), await known(second, session)]).toEqual([200, 200]);
  expect((await ask(second, 'POST /api/v1/auth/logout', { token: session })).status).toBe(200);
  expect([await known(first, session), await known(second, session)]).toEqual([401, 401]);
});

it('S7 S8 what a superuser ends at one has ended at the other: tokens, sessions, passwords, accounts', async () => {
  const { test, first, second } = two;
  const boss = (await person(test.db, { is_superuser: true })).session;
  const { user_id, session } = await person(test.db);
  const token = await makeToken(test.db, user_id);
  const { id } = await test.db.one<{ id: number }>(sql`/* test.token */
    select id from matriarch.api_tokens where user_id = ${user_id}`);
  expect([await known(first, token), await known(second, token)]).toEqual([200, 200]);
  expect((await ask(first, `DELETE /api/v1/rbac/tokens/${id}`, { token: boss })).status).toBe(204);
  expect([await known(second, token), await known(first, token)]).toEqual([401, 401]);

  const body = { current_password: GOOD_PASSWORD, new_password: 'staple giraffe orbit two' };
  const kept = await makeSession(test.db, user_id);
  expect((await ask(first, 'PUT /api/v1/user/password', { token: kept, body })).status).toBe(200);
  expect([await known(second, session), await known(second, kept)]).toEqual([401, 200]);

  const disable = { token: boss, body: { enabled: false } };
  const later = await makeToken(test.db, user_id);
  expect(await known(second, later)).toBe(200);
  expect((await ask(first, `PUT /api/v1/rbac/users/${user_id}`, disable)).status).toBe(200);
  expect([await known(second, kept), await known(second, later)]).toEqual([401, 401]);
});

it('S12 what is granted, scoped or taken away at one holds at the next request to the other', async () => {
  const { test, first, second } = two;
  const boss = (await person(test.db, { is_superuser: true })).session;
  const owner = await person(test.db);
  const reader = await person(test.db);
  const target = await makeConnection(test.db, { owner_id: owner.user_id });
  const group = await makeGroup(test.db, { users: [reader.user_id] });
  const read = async (token: string) =>
    (await ask(second, `GET /api/v1/connections/${target}`, { token })).status;
  const grants = `/api/v1/rbac/groups/${group}/privileges/connections`;
  expect(await read(reader.session)).toBe(403);
  await ask(first, `POST ${grants}`, { token: boss, body: { connection_id: target, access_level: 'read' } });
  expect(await read(reader.session)).toBe(200);

  const token = await makeToken(test.db, owner.user_id);
  const { id } = await test.db.one<{ id: number }>(sql`/* test.token */
    select id from matriarch.api_tokens where user_id = ${owner.user_id}`);
  expect(await read(token)).toBe(200);
  await ask(first, `PUT /api/v1/rbac/tokens/${id}/scope`, { token: boss, body: { connections: [] } });
  expect(await read(token)).toBe(403);

  await ask(first, `DELETE ${grants}/${target}`, { token: boss });
  expect(await read(reader.session)).toBe(403);
});
