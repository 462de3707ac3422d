// One function decides: what a list shows, what a single read says and what the gate found have to agree.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { joinCluster, makeCluster, makeGroup as makeClusterGroup } from '../../testing/store/clusters.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { newToken, tokenHash } from '../auth/tokens.ts';
import { findConnectionAccess, levelOf, saveTokenUses, visible } from './access.queries.ts';
import { type Access, createAccess, hasMcpPrivilege } from './access.service.ts';
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
  const [first, second] = people.map(({ user_id }) => user_id);
  const [a = 0, b = 0, c = 0] = ids.slice(-3);
  const bottom = await makeGroup(test.db, { users: [first ?? 0], connections: { [a]: 'read', [b]: 'read' } });
  await makeGroup(test.db, { groups: [bottom], users: [second ?? 0], connections: { [b]: 'read_write' } });
  await makeGroup(test.db, { users: [second ?? 0], connections: { 0: 'read', [c]: 'read_write' } });
  const group = await makeClusterGroup(test.db);
  const [alone, grouped] = [await makeCluster(test.db), await makeCluster(test.db, { group_id: group })];
  for (const [index, id] of [alone, grouped].entries())
    for (const server of ids.slice(index * 4 + 4, index * 4 + 6)) await joinCluster(test.db, server, { id });
  await makeGroup(test.db, { users: [first ?? 0], clusters: { [alone]: 'read', [grouped]: 'read' } });
  await makeGroup(test.db, { users: [first ?? 0, second ?? 0], cluster_groups: { [group]: 'read_write' } });
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

describe('grants of groups', () => {
  it('reach members of nested groups, and nobody else', async () => {
    const owner = await makeUser(test.db);
    const [inside, above, outside] = [
      await makeUser(test.db),
      await makeUser(test.db),
      await makeUser(test.db),
    ];
    const own = await makeConnection(test.db, { owner_id: owner.user_id });
    const bottom = await makeGroup(test.db, { users: [inside.user_id], permissions: ['manage_probes'] });
    const middle = await makeGroup(test.db, { groups: [bottom], mcp: ['count_rows'] });
    const top = await makeGroup(test.db, {
      groups: [middle],
      users: [above.user_id],
      connections: { [own]: 'read' },
      permissions: ['manage_blackouts', 'manage_probes'],
    });
    const caller = async (token: string) => (await access.authenticate(token, own)) ?? expect.fail();
    const seen = await caller(inside.session);
    expect(seen.access.level).toBe(1);
    expect([...seen.principal.admin_permissions].sort()).toEqual(['manage_blackouts', 'manage_probes']);
    expect(hasMcpPrivilege(seen.principal, 'count_rows')).toBe(true);
    expect(hasMcpPrivilege(seen.principal, 'query_database')).toBe(false);
    expect(hasMcpPrivilege(seen.principal, 'test_query')).toBe(true);
    expect((await caller(above.session)).principal.mcp_privileges).not.toContain('count_rows');
    expect((await caller(above.session)).access.level).toBe(1);
    expect((await caller(outside.session)).access.level).toBe(0);
    expect((await caller(owner.session)).access.level).toBe(2);
    await test.db.run(sql`/* test.leave */ delete from matriarch.group_groups where group_id = ${top}`);
    expect((await caller(inside.session)).access.level).toBe(0);
    expect((await caller(inside.session)).principal.admin_permissions).toEqual(['manage_probes']);
  });

  it('end even where groups are in a circle', async () => {
    const member = await makeUser(test.db);
    const first = await makeGroup(test.db, { users: [member.user_id] });
    const second = await makeGroup(test.db, { groups: [first], permissions: ['*', 'manage_users'] });
    await test.db.run(sql`/* test.circle */
      insert into matriarch.group_groups (group_id, member_id) values (${first}, ${second})`);
    const caller = await access.authenticate(member.session);
    expect(caller?.principal.admin_permissions).toEqual(['*']);
    expect(caller?.principal.is_superuser).toBe(false);
  });

  it('are cut by the scope of a token, wildcards and public tools too', async () => {
    const owner = await makeUser(test.db);
    const member = await makeUser(test.db);
    const one = await makeConnection(test.db, { owner_id: owner.user_id });
    const two = await makeConnection(test.db, { owner_id: owner.user_id });
    await makeGroup(test.db, { users: [member.user_id], connections: { 0: 'read_write' }, mcp: ['*'] });
    const scope: TokenScope = {
      connections: [{ connection_id: one, level: 'read' }],
      mcp: ['count_rows', 'no_such_tool'],
    };
    const token = await makeToken(test.db, member.user_id, { scope });
    expect((await access.authenticate(member.session, two))?.access.level).toBe(2);
    expect((await access.authenticate(member.session))?.principal.mcp_privileges).toEqual(['*']);
    expect((await access.authenticate(token, one))?.access.level).toBe(1);
    expect((await access.authenticate(token, two))?.access.level).toBe(0);
    expect((await access.authenticate(token))?.principal.mcp_privileges).toEqual(['count_rows']);
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

it('ends a session that was not used for as long as the settings say, in every process', async () => {
  const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
  const { user_id } = await makeUser(test.db);
  const open = async () => {
    const opened = newToken('');
    const [at, until] = [clock.now(), clock.now() + 24 * 3_600_000].map((ms) => new Date(ms).toISOString());
    await test.db.run(sql`/* test.session */
      insert into matriarch.sessions (token_hash, user_id, created_at, expires_at)
      values (${tokenHash(opened)}, ${user_id}, ${at}, ${until})`);
    return opened.reveal();
  };
  const [used, unused] = [await open(), await open()];
  const sharing = { db: test.db, clock, log: silentLog, sharedAccess: 'read' } as const;
  const isIn = async (token: string, sessionIdleMs?: number) => {
    const access = createAccess({ ...sharing, sessionIdleMs });
    const caller = await access.authenticate(token);
    await access.stop();
    return caller !== undefined;
  };
  const idle = 30 * 60_000;
  for (let minutes = 0; minutes < 60; minutes += 20) {
    clock.advance(20 * 60_000);
    expect(await isIn(used, idle)).toBe(true);
  }
  expect(await isIn(unused, idle)).toBe(false);
  expect(await isIn(unused)).toBe(true);
  const api = await makeToken(test.db, user_id);
  clock.advance(2 * idle);
  expect([await isIn(used, idle), await isIn(api, idle)]).toEqual([false, true]);
});

it('notes the uses of tokens while the user of one of them is being deleted, and waits for nobody', async () => {
  const [going, staying] = [await makeUser(test.db), await makeUser(test.db)];
  for (const { user_id } of [going, staying]) await makeToken(test.db, user_id);
  const tokens = await test.db.rows<{
    id: number;
    user_id: number;
    last_used_at: string | null;
  }>(sql`/* test.tokens */
    select id, user_id, last_used_at from matriarch.api_tokens
    where user_id = any(${[going.user_id, staying.user_id]}::int[])`);
  const at = Date.parse('2026-11-20T10:00:00Z');
  await test.db.transaction(async (tx) => {
    await tx.run(sql`/* test.delete_user */ delete from matriarch.users where id = ${going.user_id}`);
    await saveTokenUses(
      test.db,
      tokens.map(({ id }) => ({ kind: 'token', id, at })),
    );
  });
  const left = await test.db.rows<{ user_id: number; last_used_at: string }>(sql`/* test.tokens_left */
    select user_id, last_used_at from matriarch.api_tokens where id = any(${tokens.map(({ id }) => id)}::int[])`);
  expect(left).toEqual([{ user_id: staying.user_id, last_used_at: '2026-11-20T10:00:00.000Z' }]);
});

it('many who come with one token at once cost one statement; none is let in by what was true before they came', async () => {
  const { session } = await makeUser(test.db);
  const db = countedDb(test.db);
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = createAccess({
    db: {
      ...db,
      async maybe(statement) {
        const row = await db.maybe<never>(statement);
        begun.resolve();
        await go.promise;
        return row;
      },
    },
    clock: systemClock,
    log: silentLog,
    sharedAccess: 'read',
  });
  const early = [held.authenticate(session), held.authenticate(session), held.authenticate(session)];
  await begun.promise;
  expect(db.sent).toHaveLength(1);
  await test.db.run(sql`delete from matriarch.sessions`);
  const late = held.authenticate(session);
  go.resolve();
  expect((await Promise.all(early)).every((caller) => caller !== undefined)).toBe(true);
  expect(await late).toBeUndefined();
  await held.stop();
});
