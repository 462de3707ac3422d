import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { type AuthProcess, authProcess } from '../../testing/access/auth.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { createToken, listTokens, type NewToken, revokeToken } from './tokens.service.ts';

let test: TestDatabase;
let here: AuthProcess;
let ownerId: number;
beforeAll(async () => {
  test = await testDatabase();
  here = authProcess(test.db);
  ownerId = await here.person('owner');
});
afterAll(() => test.close());

const wanted = (part: Partial<NewToken> = {}): NewToken => ({
  owner_username: 'owner',
  name: 'backup job',
  expires_in: '',
  scope: undefined,
  ...part,
});

describe('S7 API tokens', () => {
  it('work until revoked, are stored hashed and listed by the prefix of the hash', async () => {
    const made = await createToken(here.ctx, wanted({ owner_username: 'OWNER', name: '  backup job ' }));
    const text = made.token.reveal();
    expect(text).toMatch(/^mat_[A-Za-z0-9_-]{43}$/);
    expect(await here.whoIs(made.token)).toBe('owner');

    const prefix = createHash('sha256').update(text).digest('hex').slice(0, 12);
    expect(made).toMatchObject({
      token_prefix: prefix,
      owner: 'owner',
      name: 'backup job',
      expires_at: null,
    });
    const listed = (await listTokens(here.ctx)).find((one) => one.id === made.id);
    expect(listed).toMatchObject({
      token_prefix: prefix,
      username: 'owner',
      name: 'backup job',
      scope: null,
    });
    const { row } = await test.db.one<{ row: string }>(
      sql`/* test.row */ select t::text as row from matriarch.api_tokens t where id = ${made.id}`,
    );
    for (const place of [JSON.stringify(listed), JSON.stringify(made), row, here.logged()])
      expect(place).not.toContain(text.slice(4));

    expect(await revokeToken(here.ctx, made.id)).toEqual({ name: 'backup job' });
    expect(await here.whoIs(made.token)).toBeUndefined();
    await expect(revokeToken(here.ctx, made.id)).rejects.toMatchObject({ status: 404 });
  });

  it('end when they said they would', async () => {
    const { expires_at } = await createToken(here.ctx, wanted({ expires_in: '8w' }));
    expect(Date.parse(expires_at ?? '')).toBe(here.clock.now() + 56 * 24 * 3_600_000);
    for (const expires_in of ['11y', 'soon', '0d', '3s'])
      await expect(createToken(here.ctx, wanted({ expires_in }))).rejects.toMatchObject({ status: 400 });
  });

  it('keep their scope, also one that allows nothing', async () => {
    const connection_id = await makeConnection(test.db, { owner_id: ownerId });
    const scope = {
      connections: [
        { connection_id, level: 'read' as const },
        { connection_id: 0, level: 'read_write' as const },
      ],
      mcp: ['*'],
      admin: [],
    };
    const { id } = await createToken(here.ctx, wanted({ scope }));
    expect((await listTokens(here.ctx)).find((one) => one.id === id)?.scope).toEqual(scope);
  });

  it.each([
    ['an unknown connection', { connections: [{ connection_id: 2147483647, level: 'read' as const }] }],
    ['an id that is none', { connections: [{ connection_id: 1e12, level: 'read' as const }] }],
    ['an unknown permission', { admin: ['manage_everything'] }],
    ['an odd identifier', { mcp: ['drop table'] }],
    ['too many entries', { mcp: Array.from({ length: 1001 }, () => '*') }],
  ])('refuse a scope with %s', async (_what, scope) => {
    await expect(createToken(here.ctx, wanted({ scope }))).rejects.toMatchObject({ status: 400 });
  });

  it('refuse a deleted connection in a scope', async () => {
    const connection_id = await makeConnection(test.db, { owner_id: ownerId, deleted: true });
    const scope = { connections: [{ connection_id, level: 'read' as const }] };
    await expect(createToken(here.ctx, wanted({ scope }))).rejects.toMatchObject({ status: 400 });
  });

  it('need a name, and an owner who may use them', async () => {
    for (const name of ['', '   ', 'x'.repeat(4001), 'a\0b'])
      await expect(createToken(here.ctx, wanted({ name }))).rejects.toMatchObject({ status: 400 });
    await expect(createToken(here.ctx, wanted({ owner_username: 'nobody' }))).rejects.toMatchObject({
      status: 404,
    });
    await here.person('gone');
    await test.db.run(
      sql`/* test.disable */ update matriarch.users set enabled = false where username = 'gone'`,
    );
    await expect(createToken(here.ctx, wanted({ owner_username: 'gone' }))).rejects.toMatchObject({
      status: 409,
    });
  });
});
