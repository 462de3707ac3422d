// Signing in with a certified provider over HTTP: users, groups, superusers, and how sessions end at either side.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { authProcess } from '../../testing/access/auth.ts';
import type { Answer, TestApi } from '../../testing/api.ts';
import { groupsOf } from '../../testing/oidc/groups-of.ts';
import { type RealProvider, signInAtProvider, startRealProvider } from '../../testing/oidc/real-provider.ts';
import { BASE_URL, begin, finish, sessionOf, startSignOnApi } from '../../testing/oidc/sign-on-api.ts';
import { requireAccount } from '../auth/accounts.service.ts';
import { bindIdentity, unbindIdentity } from './oidc.service.ts';

const SECRET = 'what-matriarch-and-the-provider-share';
const BACK = `${BASE_URL}/sign-in/callback/oidc`;

let provider: RealProvider;
let test: TestApi;
beforeAll(async () => {
  provider = await startRealProvider({ base_url: BASE_URL, secret: SECRET });
  const flags = {
    issuer: provider.issuer,
    'client-id': 'matriarch',
    label: 'Example account',
    groups: 'dba=Operators,dev=Readers',
    superusers: 'root',
    'create-users': 'true',
  };
  const own = Object.entries(flags).flatMap(([name, value]) => [`--auth-oidc-${name}`, value]);
  test = await startSignOnApi([...own, '--auth-local-sign-in', 'superusers'], SECRET);
  for (const name of ['Operators', 'Readers', 'By hand'])
    await test.call('POST /api/v1/rbac/groups', { token: test.actors.superuser.session, body: { name } });
});
afterAll(async () => {
  await test?.close();
  await provider?.stop();
});

async function signIn(subject: string): Promise<Answer> {
  const begun = await begin(test);
  const back = await signInAtProvider(begun.url, subject, BACK);
  return finish(test, begun, { answer: new URL(back).search.slice(1) });
}

const info = async (answer: Answer) =>
  (await test.call('GET /api/v1/user/info', { cookie: sessionOf(answer) })).body;

const actionsOf = async (username: string) =>
  (
    await test.db.rows<{ action: string }>(sql`/* test.audit */
      select action
      from matriarch.audit_events
      where target_name = ${username} or details ->> 'member_name' = ${username}
      order by id`)
  ).map(({ action }) => action);

describe('a certified provider', () => {
  it('offers its button to the sign-in page', async () => {
    expect((await test.call('GET /api/v1/auth/options')).body).toEqual({
      local_sign_in: 'superusers',
      providers: [{ id: 'oidc', label: 'Example account' }],
    });
  });

  it('creates the user at the first sign-in and gives groups and rights anew at each', async () => {
    provider.people.set('s-anna', {
      preferred_username: 'anna',
      name: 'Anna B',
      groups: ['dba', 'root', 'other'],
    });
    const first = await signIn('s-anna');
    expect([first.status, first.error]).toEqual([200, undefined]);
    expect(first.headers['set-cookie']).toMatch(
      /^session_token=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=/,
    );
    expect(await info(first)).toMatchObject({ username: 'anna', is_superuser: true, by_provider: true });
    expect(await groupsOf(test.db, 'anna')).toEqual(['Operators']);
    await test.db.run(sql`/* test.by_hand */
      insert into matriarch.group_users (group_id, user_id)
      select g.id, u.id from matriarch.groups g, matriarch.users u where g.name = 'By hand' and u.username = 'anna'`);

    provider.people.set('s-anna', { preferred_username: 'renamed', groups: ['dev'] });
    const second = await signIn('s-anna');
    expect(await info(second)).toMatchObject({ username: 'anna', is_superuser: false });
    expect(await groupsOf(test.db, 'anna')).toEqual(['By hand', 'Readers']);
    expect(await actionsOf('anna')).toEqual([
      'user.create',
      'user.change',
      'group.add_member',
      'session.create',
      'user.change',
      'group.add_member',
      'session.create',
    ]);
  });

  it('never takes over a user of that name, and says what an administrator can run', async () => {
    const local = await test.db.one<{ username: string }>(
      sql`/* test.name */ select username from matriarch.users where id = ${test.actors.other.user_id}`,
    );
    await test.db.run(
      sql`/* test.email */ update matriarch.users set email = 'a@b.example' where id = ${test.actors.other.user_id}`,
    );
    provider.people.set("s'x", { preferred_username: local.username.toUpperCase(), email: 'a@b.example' });
    const answer = await signIn("s'x");
    expect(answer.status).toBe(401);
    expect(answer.error).toContain(`--issuer '${provider.issuer}' --subject 's'\\''x'`);
    expect(answer.headers['set-cookie']).toBeUndefined();
    const same = { preferred_username: 'same-mail', email: 'a@b.example', email_verified: true };
    provider.people.set('s-mail', same);
    expect(await info(await signIn('s-mail'))).toMatchObject({ username: 'same-mail', is_superuser: false });
  });

  it('an identity that the command line bound signs the existing user in, until it is taken away', async () => {
    const identity = { issuer: provider.issuer, subject: 's-bound' };
    const { user_id } = test.actors.owner;
    const { ctx } = authProcess(test.db);
    const user = await requireAccount(ctx, user_id);
    provider.people.set('s-bound', { preferred_username: 'another-name' });
    await bindIdentity(ctx, user, identity);
    await expect(bindIdentity(ctx, user, identity)).rejects.toThrow(/belongs to a user already/);
    const answer = await signIn('s-bound');
    expect(await info(answer)).toMatchObject({ user_id, username: user.username });
    await unbindIdentity(ctx, user, identity);
    expect(await info(answer)).toEqual({ authenticated: false });
    await expect(unbindIdentity(ctx, user, identity)).rejects.toThrow(/has no such identity/);
  });

  it('the claims cannot take the last superuser away', async () => {
    provider.people.set('s-last', { preferred_username: 'last', groups: ['root'] });
    await signIn('s-last');
    await test.db.transaction(async (db) => {
      const others = await db.rows<{ id: number }>(sql`/* test.others */
        update matriarch.users set is_superuser = false where is_superuser and username <> 'last' returning id`);
      expect(others.length).toBeGreaterThan(0);
    });
    provider.people.set('s-last', { preferred_username: 'last' });
    const answer = await signIn('s-last');
    await test.db.run(
      sql`/* test.restore */ update matriarch.users set is_superuser = true where id = ${test.actors.superuser.user_id}`,
    );
    expect(await info(answer)).toMatchObject({ username: 'last', is_superuser: true });
    expect(await info(await signIn('s-last'))).toMatchObject({ username: 'last', is_superuser: false });
  });

  it('keeps out who is disabled, and sets no password for who came by a provider', async () => {
    provider.people.set('s-dora', { preferred_username: 'dora' });
    const session = sessionOf(await signIn('s-dora'));
    const password = { new_password: 'lantern orbit staple' };
    expect((await test.call('PUT /api/v1/user/password', { token: session, body: password })).status).toBe(
      403,
    );
    await test.db.run(
      sql`/* test.disable */ update matriarch.users set enabled = false where username = 'dora'`,
    );
    expect((await signIn('s-dora')).error).toMatch(/disabled/);
  });

  it('lets only superusers use a password, who learn so with the right one', async () => {
    provider.people.set('s-carl', { preferred_username: 'carl' });
    await signIn('s-carl');
    const token = test.actors.superuser.session;
    const { id } = await test.db.one<{ id: number }>(
      sql`/* test.id */ select id from matriarch.users where username = 'carl'`,
    );
    const body = { password: 'staple giraffe orbit' };
    expect((await test.call(`PUT /api/v1/rbac/users/${id}`, { token, body })).status).toBe(200);
    const login = async (password: string) =>
      (await test.call('POST /api/v1/auth/login', { body: { username: 'carl', password } })).error;
    expect(await login('staple giraffe orbit')).toMatch(/Only superusers .* Sign in with Example account/);
    expect(await login('not the password')).toBe('The user name or password is not right.');
  });

  it('signs out at the provider too', async () => {
    provider.people.set('s-otto', { preferred_username: 'otto' });
    const cookie = sessionOf(await signIn('s-otto'));
    const answer = await test.call('POST /api/v1/auth/logout', { cookie });
    const url = new URL(String(Object(answer.body).end_session_url));
    expect(url.origin).toBe(provider.issuer);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${BASE_URL}/sign-in`);
    expect((await fetch(url)).status).toBe(200);
    expect((await test.call('GET /api/v1/user/info', { cookie })).body).toEqual({ authenticated: false });
  });
});
