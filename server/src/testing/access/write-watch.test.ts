// The matrix of access believes the watch when it sees no write, so here it has to see every kind of write.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../servers/database.ts';
import { makeConnection, makeToken, makeUser } from './actors.ts';
import { type WriteWatch, watchWrites } from './write-watch.ts';

let test: TestDatabase;
let watch: WriteWatch;
let user_id = 0;
beforeAll(async () => {
  test = await testDatabase();
  watch = await watchWrites(test.db);
  ({ user_id } = await makeUser(test.db));
  await makeToken(test.db, user_id);
  await makeConnection(test.db, { owner_id: user_id });
});
afterAll(() => test.close());

const run = (text: string) => test.db.run({ text, values: [] });

/** The tables that were written meanwhile, and how many rows of each. */
async function written(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await watch.counts();
  await work();
  const after = await watch.counts();
  const grown = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, count]) => count !== 0));
}

it.each([
  [`insert into matriarch.groups (name) values ('one'), ('two')`, { groups: 2 }],
  [`update matriarch.users set username = username || 'x'`, { users: 1 }],
  ['update matriarch.connections set name = name', { connections: 1 }],
  ['delete from matriarch.groups', { groups: 2 }],
  [`update matriarch.api_tokens set name = 'renamed', last_used_at = now()`, { api_tokens: 1 }],
  ['truncate matriarch.memories', { memories: 1 }],
  [
    `with w as (insert into matriarch.groups (name) values ('hidden') returning 1) select 1 from w`,
    { groups: 1 },
  ],
])('sees %s', async (text, rows) => {
  expect(await written(() => run(text))).toEqual(rows);
});

it('sees what goes along with what is deleted', async () => {
  expect(await written(() => run('delete from matriarch.api_tokens'))).toEqual({ api_tokens: 1 });
  await makeToken(test.db, user_id);
  await run('delete from matriarch.connections');
  expect(await written(() => run('delete from matriarch.users'))).toEqual({
    users: 1,
    sessions: 1,
    api_tokens: 1,
  });
  ({ user_id } = await makeUser(test.db));
});

it('sees what was rolled back', async () => {
  const takenBack = () =>
    test.db.transaction(async (tx) => {
      await tx.run({ text: `insert into matriarch.groups (name) values ('gone')`, values: [] });
      throw new Error('taken back');
    });
  expect(await written(() => expect(takenBack()).rejects.toThrow('taken back'))).toEqual({ groups: 1 });
});

it('sees nothing in reading, in statements that touch no row, and in what a refusal may leave', async () => {
  await makeToken(test.db, user_id);
  const quiet = [
    'select * from matriarch.users for update',
    'update matriarch.users set enabled = false where false',
    'update matriarch.api_tokens set last_used_at = now()',
    `insert into matriarch.login_attempts (address) values ('192.0.2.1')`,
  ];
  for (const text of quiet) expect([text, await written(() => run(text))]).toEqual([text, {}]);
});
