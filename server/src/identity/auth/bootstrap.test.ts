import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../kernel/errors.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { authProcess, GOOD_PASSWORD } from '../../testing/access/auth.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { changeOwnPassword, loginWithLink } from './auth.service.ts';
import { type EnsureAdminOptions, ensureAdmin } from './bootstrap.service.ts';
import { createUser, listUsers } from './users.service.ts';

const OTHER_PASSWORD = 'lantern orbit staple';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
beforeEach(() => test.db.run(sql`/* test.empty */ truncate matriarch.users restart identity cascade`));
afterAll(() => test.close());

function start(settings: Pick<EnsureAdminOptions, 'username' | 'password'> = {}) {
  const here = authProcess(test.db);
  const { clock, log } = here.ctx;
  const ensure = () => ensureAdmin({ db: test.db, clock, log, passwords: here.auth.passwords, ...settings });
  return { here, ensure };
}

const named = { username: 'Chief', password: new Secret(GOOD_PASSWORD) };

describe('without settings', () => {
  it('makes admin without a password and a link at each start, until there is a password', async () => {
    const { here, ensure } = start();
    const first = await ensure();
    const second = await ensure();
    expect(second.admin_user_id).toBe(first.admin_user_id);
    expect(second.link_token?.reveal()).not.toBe(first.link_token?.reveal());
    expect(await listUsers(here.ctx)).toMatchObject([
      { username: 'admin', is_superuser: true, enabled: true, has_password: false },
    ]);

    for (const token of [first.link_token, second.link_token])
      expect(
        token && (await loginWithLink(here.ctx, here.auth, { address: '192.0.2.1', token })),
      ).toBeDefined();
    expect(here.logged()).not.toContain('mlk_');

    const principal = { ...here.ctx.principal, user_id: first.admin_user_id, username: 'admin' };
    await changeOwnPassword({ ...here.ctx, principal }, here.auth, {
      address: '192.0.2.1',
      current_password: undefined,
      new_password: new Secret(GOOD_PASSWORD),
    });
    expect(await ensure()).toEqual({ admin_user_id: first.admin_user_id, link_token: undefined });
  });

  it('makes one admin when several processes start at once', async () => {
    const { here, ensure } = start();
    const all = await Promise.all([ensure(), ensure(), ensure(), ensure()]);
    expect(new Set(all.map(({ admin_user_id }) => admin_user_id)).size).toBe(1);
    expect(await listUsers(here.ctx)).toHaveLength(1);
  });

  it('needs no link while any enabled superuser has a password', async () => {
    const { here, ensure } = start();
    await ensure();
    const chief = await here.person('chief', { is_superuser: true });
    expect(await ensure()).toEqual({ admin_user_id: chief, link_token: undefined });
    await test.db.run(sql`/* test.disable */ update matriarch.users set enabled = false where id = ${chief}`);
    expect((await ensure()).link_token).toBeDefined();
  });

  it('needs no link for a superuser who signs in with a provider', async () => {
    const { here, ensure } = start();
    const { admin_user_id } = await ensure();
    await test.db.run(sql`/* test.identity */
      insert into matriarch.user_identities (issuer, subject, user_id, created_at)
      values ('https://login.example.com', 'a', ${admin_user_id}, now())`);
    expect(await ensure()).toEqual({ admin_user_id, link_token: undefined });
    expect(await listUsers(here.ctx)).toHaveLength(1);
  });

  it('never makes a superuser of an ordinary account that happens to be called admin', async () => {
    const { here, ensure } = start();
    await here.person('Admin');
    await expect(ensure()).rejects.toThrow(UsageError);
    expect(await listUsers(here.ctx)).toMatchObject([{ username: 'Admin', is_superuser: false }]);
  });
});

describe('with a user name and password in the settings', () => {
  it('creates the superuser once and keeps it as it is', async () => {
    const { here, ensure } = start(named);
    const first = await ensure();
    expect(first.link_token).toBeUndefined();
    const session = await here.signIn('chief', GOOD_PASSWORD);
    expect(await ensure()).toEqual(first);
    expect(await here.whoIs(session.token)).toBe('Chief');
  });

  it('makes an existing account an enabled superuser with that password, ending its sessions', async () => {
    const { here, ensure } = start({ ...named, password: new Secret(OTHER_PASSWORD) });
    const id = await here.person('chief');
    const session = await here.signIn('chief', GOOD_PASSWORD);
    await test.db.run(sql`/* test.disable */ update matriarch.users set enabled = false where id = ${id}`);
    expect(await ensure()).toEqual({ admin_user_id: id, link_token: undefined });
    expect(await listUsers(here.ctx)).toMatchObject([{ is_superuser: true, enabled: true }]);
    expect(await here.whoIs(session.token)).toBeUndefined();
    expect(await here.signIn('chief', OTHER_PASSWORD)).toBeDefined();
  });

  it.each([
    [{ username: 'chief' }, /both, or neither/],
    [{ password: new Secret(GOOD_PASSWORD) }, /both, or neither/],
    [{ username: 'chief', password: new Secret('') }, /both, or neither/],
    [
      { username: 'no spaces', password: new Secret(GOOD_PASSWORD) },
      /MATRIARCH_ADMIN_USERNAME.*letters, digits/,
    ],
    [{ username: 'chief', password: new Secret('short') }, /MATRIARCH_ADMIN_PASSWORD.*at least 12/],
    [{ username: 'chief', password: new Secret('password1234') }, /MATRIARCH_ADMIN_PASSWORD.*common/],
  ])('stops the start when %j cannot be used', async (settings, sentence) => {
    const { here, ensure } = start(settings);
    const outcome = ensure();
    await expect(outcome).rejects.toThrow(UsageError);
    await expect(outcome).rejects.toThrow(sentence);
    expect(await listUsers(here.ctx)).toEqual([]);
  });

  it('refuses the name of a service account', async () => {
    const { here, ensure } = start(named);
    const robot = { username: 'chief', password: undefined, is_superuser: true, is_service_account: true };
    await createUser(here.ctx, here.auth.passwords, robot);
    await expect(ensure()).rejects.toThrow(/service account/);
  });
});
