import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import {
  type AuthProcess,
  authProcess,
  changedMeanwhile,
  GOOD_PASSWORD,
  tally,
} from '../../testing/access/auth.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import type { Ctx } from '../access/principal.ts';
import { changeOwnPassword, getUserInfo, loginWithLink } from './auth.service.ts';
import { createLink } from './links.service.ts';
import type { OpenedSession } from './sessions.service.ts';
import { tokenHash } from './tokens.ts';
import { createUser } from './users.service.ts';

const NEW_PASSWORD = 'lantern orbit staple';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

const useLink = (here: AuthProcess, token: Secret, address = '192.0.2.50') =>
  loginWithLink(here.ctx, here.auth, { address, token });

/** The context of somebody who is signed in with that session. */
async function as(here: AuthProcess, username: string, session: OpenedSession): Promise<Ctx> {
  const row = await test.db.one<{ id: number; user_id: number }>(
    sql`/* test.session */ select id, user_id from matriarch.sessions where token_hash = ${tokenHash(session.token)}`,
  );
  return {
    ...here.ctx,
    principal: {
      user_id: row.user_id,
      username,
      is_superuser: false,
      admin_permissions: [],
      via: { kind: 'session', id: row.id },
      scope: undefined,
    },
  };
}

async function withoutPassword(here: AuthProcess, username: string): Promise<void> {
  const user = { username, password: undefined, is_superuser: false, is_service_account: false };
  await createUser(here.ctx, here.auth.passwords, user);
}

describe('one-time links', () => {
  it('open one session, once, under 20 parallel uses', async () => {
    const here = authProcess(test.db);
    await withoutPassword(here, 'linked');
    const { token } = await createLink(here.ctx, 'linked');
    expect(token.reveal()).toMatch(/^mlk_[A-Za-z0-9_-]{43}$/);
    const uses = Array.from({ length: 20 }, (_, index) => useLink(here, token, `198.51.100.${index + 1}`));
    const outcomes = await Promise.allSettled(uses);
    expect(tally(outcomes)).toEqual({ ok: 1, 401: 19 });
    const session = outcomes.find((outcome) => outcome.status === 'fulfilled')?.value;
    expect(session && (await here.whoIs(session.token))).toBe('linked');
    expect(here.logged()).not.toContain(token.reveal());
  });

  it('are refused when too old, unknown, a session token, or of a disabled account', async () => {
    const here = authProcess(test.db);
    await withoutPassword(here, 'late');
    const refused = { status: 401, message: 'This link is not valid any more. Ask for a new one.' };
    const old = await createLink(here.ctx, 'late');
    here.clock.advance(3_600_000);
    await expect(useLink(here, old.token)).rejects.toMatchObject(refused);
    await expect(useLink(here, new Secret('mlk_unknown'))).rejects.toMatchObject(refused);
    const fresh = await createLink(here.ctx, 'late');
    const session = await useLink(here, fresh.token);
    await expect(useLink(here, session.token)).rejects.toMatchObject(refused);
    const last = await createLink(here.ctx, 'late');
    await test.db.run(
      sql`/* test.disable */ update matriarch.users set enabled = false where username = 'late'`,
    );
    await expect(useLink(here, last.token)).rejects.toMatchObject(refused);
    await expect(createLink(here.ctx, 'late')).rejects.toMatchObject({ status: 409 });
  });

  it('count toward the limit of the address', async () => {
    const here = authProcess(test.db);
    const guesses = Array.from({ length: 30 }, (_, index) =>
      useLink(here, new Secret(`mlk_${index}`), '203.0.113.77'),
    );
    expect(tally(await Promise.allSettled(guesses))).toEqual({ 401: 10, 429: 20 });
  });

  it('are made for people only', async () => {
    const here = authProcess(test.db);
    const robot = { username: 'robot', password: undefined, is_superuser: false, is_service_account: true };
    await createUser(here.ctx, here.auth.passwords, robot);
    await expect(createLink(here.ctx, 'robot')).rejects.toMatchObject({ status: 409 });
    await expect(createLink(here.ctx, 'nobody')).rejects.toMatchObject({ status: 404 });
  });
});

describe('the own password', () => {
  const change = (ctx: Ctx, here: AuthProcess, texts: { current?: string; new: string }) =>
    changeOwnPassword(ctx, here.auth, {
      address: '192.0.2.60',
      current_password: texts.current === undefined ? undefined : new Secret(texts.current),
      new_password: new Secret(texts.new),
    });

  it('is set without a current one while there is none, then needed', async () => {
    const here = authProcess(test.db);
    await withoutPassword(here, 'fresh');
    const session = await useLink(here, (await createLink(here.ctx, 'fresh')).token);
    const spare = await createLink(here.ctx, 'fresh');
    const ctx = await as(here, 'fresh', session);
    expect(await getUserInfo(ctx, ctx.principal)).toMatchObject({ authenticated: true, has_password: false });
    await change(ctx, here, { new: GOOD_PASSWORD });
    expect(await getUserInfo(ctx, ctx.principal)).toMatchObject({ username: 'fresh', has_password: true });
    expect(await here.signIn('fresh', GOOD_PASSWORD)).toBeDefined();
    await expect(useLink(here, spare.token)).rejects.toMatchObject({ status: 401 });
    await expect(change(ctx, here, { new: NEW_PASSWORD })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('current_password'),
    });
  });

  it('ends all other sessions when it changes', async () => {
    const here = authProcess(test.db);
    await here.person('changing');
    const [own, other] = [
      await here.signIn('changing', GOOD_PASSWORD),
      await here.signIn('changing', GOOD_PASSWORD),
    ];
    const ctx = await as(here, 'changing', own);
    await change(ctx, here, { current: GOOD_PASSWORD, new: NEW_PASSWORD });
    expect(await here.whoIs(own.token)).toBe('changing');
    expect(await here.whoIs(other.token)).toBeUndefined();
    expect(await here.signIn('changing', NEW_PASSWORD)).toBeDefined();
    await expect(here.signIn('changing', GOOD_PASSWORD)).rejects.toMatchObject({ status: 401 });
  });

  it('is refused with a wrong current one, and guesses pause the account', async () => {
    const here = authProcess(test.db);
    await here.person('stolen');
    const ctx = await as(here, 'stolen', await here.signIn('stolen', GOOD_PASSWORD));
    const guesses = Array.from({ length: 15 }, (_, index) =>
      change(ctx, here, { current: `wrong guess ${index}`, new: NEW_PASSWORD }),
    );
    expect(tally(await Promise.allSettled(guesses))).toEqual({ 403: 10, 429: 5 });
    await expect(change(ctx, here, { current: GOOD_PASSWORD, new: NEW_PASSWORD })).rejects.toMatchObject({
      status: 429,
    });
    here.clock.advance(15 * 60_000);
    await change(ctx, here, { current: GOOD_PASSWORD, new: NEW_PASSWORD });
  });

  it.each([
    ['short', /at least 12/],
    ['x1'.repeat(65), /at most 128/],
    ['password1234', /common/],
    ['picky1234567', /user name/],
    [GOOD_PASSWORD, /same as the current/],
  ])('refuses %s with a sentence', async (text, sentence) => {
    const here = authProcess(test.db);
    await here.person(`picky`).catch(() => undefined);
    const ctx = await as(here, 'picky', await here.signIn('picky', GOOD_PASSWORD));
    await expect(change(ctx, here, { current: GOOD_PASSWORD, new: text })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(sentence),
    });
    expect(await here.signIn('picky', GOOD_PASSWORD)).toBeDefined();
  });

  it('is changed once when two try at the same time', async () => {
    const here = authProcess(test.db);
    await withoutPassword(here, 'twice');
    const ctx = await as(here, 'twice', await useLink(here, (await createLink(here.ctx, 'twice')).token));
    const nothing = sql`/* test.nothing */ update matriarch.users set enabled = enabled where username = 'twice'`;
    const both = await changedMeanwhile(test, { change: nothing, waiting: 2 }, () =>
      Promise.allSettled([
        change(ctx, here, { new: GOOD_PASSWORD }),
        change(ctx, here, { new: NEW_PASSWORD }),
      ]),
    );
    expect(tally(both)).toEqual({ ok: 1, 409: 1 });
  });
});

describe('accounts', () => {
  it('have names of the allowed form, unique in any case', async () => {
    const here = authProcess(test.db);
    await here.person('Taken.Name@x-1_y');
    await expect(here.person('taken.NAME@X-1_Y')).rejects.toMatchObject({ status: 409 });
    await here.person('a'.repeat(128));
    for (const name of ['', ' ', '_x', '.x', 'a b', 'a/b', 'ä', 'a\n', 'a\0', 'a'.repeat(129)])
      await expect(here.person(name)).rejects.toMatchObject({ status: 400 });
  });

  it('of services have no password', async () => {
    const here = authProcess(test.db);
    const robot = {
      username: 'robot-2',
      password: new Secret(GOOD_PASSWORD),
      is_superuser: false,
      is_service_account: true,
    };
    await expect(createUser(here.ctx, here.auth.passwords, robot)).rejects.toMatchObject({ status: 400 });
  });
});
