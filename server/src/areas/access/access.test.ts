// One function decides: what a list shows, what a single read says and what the gate found have to agree.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock, systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/actors.ts';
import { countedDb } from '../../testing/counted-db.ts';
import { type TestDatabase, testDatabase } from '../../testing/database.ts';
import { findConnectionAccess, levelOf, visible } from './access.queries.ts';
import { type Access, createAccess } from './access.service.ts';
import type { Principal, TokenScope } from './principal.ts';

let test: TestDatabase;
let access: Access;
beforeAll(async () => {
  test = await testDatabase();
  access = createAccess({ db: test.db, clock: systemClock, log: silentLog, sharedAccess: 'read' });
});
afterAll(async () => {
  await access.stop();
  await test.close();
});

const scopes: (TokenScope | undefined)[] = [
  undefined,
  {},
  { connections: [] },
  { connections: [{ connection_id: 0, level: 'read' }] },
  { connections: [{ connection_id: 1, level: 'read_write' }] },
  {
    connections: [
      { connection_id: 0, level: 'read' },
      { connection_id: 3, level: 'read_write' },
    ],
  },
  { admin: [] },
  { admin: [], connections: [{ connection_id: 2, level: 'read_write' }] },
];

it('S12 a list, a single read and the gate agree for everybody on everything', async () => {
  const people = [
    await makeUser(test.db),
    await makeUser(test.db),
    await makeUser(test.db, { is_superuser: true }),
  ];
  const ids: number[] = [];
  for (const { user_id } of people)
    for (const is_shared of [true, false])
      for (const deleted of [true, false])
        ids.push(await makeConnection(test.db, { owner_id: user_id, is_shared, deleted }));
  let seen = 0;
  for (const { user_id, session } of people) {
    const tokens = await Promise.all(
      scopes.map((scope) => makeToken(test.db, user_id, scope ? { scope } : {})),
    );
    for (const token of [session, ...tokens]) {
      const caller = await access.authenticate(token);
      const { principal } = caller ?? expect.fail();
      const rows = await test.db.rows<{ id: number; level: number }>(sql`/* test.visible */
        select c.id, ${levelOf(principal)} as level from matriarch.connections c where ${visible(principal)}`);
      const levels = new Map(rows.map(({ id, level }) => [id, level]));
      seen += rows.length;
      for (const id of [...ids, 99_999]) {
        const single = await findConnectionAccess(test.db, principal, id);
        const gate = await access.authenticate(token, id);
        expect(single.level).toBe(levels.get(id) ?? 0);
        expect(gate?.access).toEqual(single);
      }
    }
  }
  expect(seen).toBeGreaterThan(0);
});

describe('levels', () => {
  it('come from ownership, sharing and the account, and are cut by scope', async () => {
    const owner = await makeUser(test.db);
    const other = await makeUser(test.db);
    const shared = await makeConnection(test.db, { owner_id: owner.user_id, is_shared: true });
    const level = async (principal: Principal) =>
      (await findConnectionAccess(test.db, principal, shared)).level;
    const base: Principal = {
      user_id: other.user_id,
      username: 'x',
      is_superuser: false,
      admin_permissions: [],
      via: { kind: 'token', id: 1 },
      scope: undefined,
    };
    expect(await level(base)).toBe(2);
    expect(await level({ ...base, shared_access: 'read' })).toBe(1);
    expect(await level({ ...base, user_id: owner.user_id, shared_access: 'read' })).toBe(2);
    expect(await level({ ...base, is_superuser: true, shared_access: 'read' })).toBe(2);
    expect(await level({ ...base, is_superuser: true, scope: { connections: [] } })).toBe(0);
    expect(await level({ ...base, scope: { connections: [{ connection_id: shared, level: 'read' }] } })).toBe(
      1,
    );
  });

  it('are none where a stored scope makes no sense', async () => {
    const owner = await makeUser(test.db);
    const own = await makeConnection(test.db, { owner_id: owner.user_id });
    for (const connections of [
      'null',
      '"all"',
      '{"0":"read"}',
      '[null]',
      '[{"connection_id":0}]',
      '[{"connection_id":0,"level":"all"}]',
    ]) {
      const token = await makeToken(test.db, owner.user_id);
      await test.db.run(sql`/* test.scope */
        update matriarch.api_tokens
        set scope = ${`{"connections":${connections}}`}::jsonb
        where id = (select max(id) from matriarch.api_tokens)`);
      expect((await access.authenticate(token, own))?.access.level, connections).toBe(0);
    }
  });
});

describe('a principal', () => {
  it('acts as superuser only while its token leaves every permission', async () => {
    const { user_id } = await makeUser(test.db, { is_superuser: true });
    const principal = async (scope: TokenScope) =>
      (await access.authenticate(await makeToken(test.db, user_id, { scope })))?.principal;
    expect(await principal({ connections: [] })).toMatchObject({
      is_superuser: true,
      admin_permissions: ['*'],
    });
    expect(await principal({ admin: ['*'] })).toMatchObject({ is_superuser: true });
    expect(await principal({ admin: ['manage_users'] })).toMatchObject({
      is_superuser: false,
      admin_permissions: ['manage_users'],
    });
  });

  it('costs one statement', async () => {
    const { user_id } = await makeUser(test.db);
    const token = await makeToken(test.db, user_id);
    const db = countedDb(test.db);
    const counting = createAccess({ db, clock: systemClock, log: silentLog, sharedAccess: 'read' });
    await counting.authenticate(token, 1);
    expect(db.sent).toHaveLength(1);
    await counting.stop();
  });
});

it('notes the use of a token in the background, once a minute', async () => {
  const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
  const { user_id } = await makeUser(test.db);
  const token = await makeToken(test.db, user_id);
  const used = async () =>
    (
      await test.db.one<{ last_used_at: string | null }>(sql`/* test.used */
        select last_used_at from matriarch.api_tokens where user_id = ${user_id}`)
    ).last_used_at;
  const first = createAccess({ db: test.db, clock, log: silentLog, sharedAccess: 'read' });
  await first.authenticate(token);
  expect(await used()).toBeNull();
  clock.advance(30_000);
  await first.authenticate(token);
  await first.stop();
  expect(await used()).toBe('2026-11-20T10:00:00.000Z');
});
