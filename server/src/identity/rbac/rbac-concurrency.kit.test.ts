// S13 under contention: what one request may do alone, two may not do together. Two API processes on one database. Everyday fewer
// rounds.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { callApi, startTestApi, type TestApi } from '../../testing/api.ts';
import { rbacRoom } from '../../testing/rooms/rbac.ts';
import { isProof } from '../../testing/tier.ts';

let here: TestApi;
let there: TestApi;
beforeAll(async () => {
  here = await startTestApi({ rooms: [rbacRoom] });
  there = await startTestApi({ rooms: [rbacRoom], db: here.db });
});
afterAll(async () => {
  await there.close();
  await here.close();
});

/** All requests at once, half of them in each process. */
const together = (requests: readonly { token: string; request: string; body?: object }[]) =>
  Promise.all(
    requests.map(({ token, request, body }, index) =>
      callApi(index % 2 === 0 ? here.api : there.api, request, { token, ...(body && { body }) }),
    ),
  );

const ROUNDS = isProof() ? [1, 2, 3, 4, 5] : [1, 2];

it.each(ROUNDS)('no circle is closed by many who each add one edge (%i)', async () => {
  const token = here.actors.superuser.session;
  const groups = await Promise.all(Array.from({ length: 6 }, () => makeGroup(here.db)));
  const answers = await together(
    groups.map((group, index) => ({
      token,
      request: `POST /api/v1/rbac/groups/${group}/members`,
      body: { group_id: groups[(index + 1) % groups.length] },
    })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([204, 204, 204, 204, 204, 409]);
});

it.each(ROUNDS)('superusers who demote, disable and delete each other leave one (%i)', async () => {
  await here.db.run(sql`/* test.nobody */ update matriarch.users set is_superuser = false`);
  const people = await Promise.all(
    Array.from({ length: 4 }, () => makeUser(here.db, { is_superuser: true })),
  );
  const path = (index: number) => `/api/v1/rbac/users/${people[index % people.length]?.user_id}`;
  await together(
    people.flatMap(({ session: token }, index) => [
      { token, request: `PUT ${path(index + 1)}`, body: { is_superuser: false } },
      { token, request: `PUT ${path(index + 2)}`, body: { enabled: false } },
      { token, request: `DELETE ${path(index + 3)}` },
    ]),
  );
  const { left } = await here.db.one<{ left: number }>(sql`/* test.left */
    select count(*)::int as left from matriarch.users where is_superuser and enabled`);
  expect(left).toBe(1);
});

it('a name is taken once', async () => {
  const owner = await makeUser(here.db, { is_superuser: true });
  const answers = await together(
    Array.from({ length: 6 }, (_none, index) => ({
      token: owner.session,
      request: 'POST /api/v1/rbac/groups',
      body: { name: index % 2 === 0 ? 'Night' : 'night' },
    })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
});
