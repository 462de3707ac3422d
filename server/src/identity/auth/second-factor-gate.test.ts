// Where the settings ask for a second factor: who has none can set it up and nothing else, over HTTP; tokens go on working. And what
// the wire says where a code is missing.
import { Secret as OtpSecret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../api/operations.gen.ts';
import { sql } from '../../kernel/sql.ts';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { GOOD_PASSWORD } from '../../testing/access/auth.ts';
import { makeHolder, type RbacApi, startRbacApi } from '../../testing/access/rbac.ts';
import type { Answer } from '../../testing/api.ts';

const LOGIN = 'POST /api/v1/auth/login';
const FACTOR = '/api/v1/user/second-factor';

let all: RbacApi;
let superusers: RbacApi;
beforeAll(async () => {
  [all, superusers] = await Promise.all([
    startRbacApi({ config: { requireSecondFactor: 'all' } }),
    startRbacApi({ config: { requireSecondFactor: 'superusers' } }),
  ]);
});
afterAll(() => Promise.all([all.close(), superusers.close()]));

const cookieOf = (answer: Answer) =>
  /^session_token=([^;]*)/.exec(answer.headers['set-cookie'] ?? '')?.[1] ?? '';
const now = (key: unknown, steps = 0) =>
  new TOTP({ secret: OtpSecret.fromBase32(String(key)) }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

/** A user with a password, made by the API of superusers, where its own superuser is not asked. */
async function person(api: RbacApi, username: string): Promise<number> {
  const maker = await makeUser(api.db, { is_superuser: true });
  const token = await makeToken(api.db, maker.user_id);
  const answer = await api.as(token, 'POST /api/v1/rbac/users', { username, password: GOOD_PASSWORD });
  expect(answer.status, answer.text).toBe(201);
  return Number(Object(answer.body).id);
}

async function enrol(api: RbacApi, token: string): Promise<{ key: unknown; codes: string[] }> {
  const offer = await api.as(token, `POST ${FACTOR}`, { password: GOOD_PASSWORD });
  const key = Object(offer.body).setup_key;
  const confirmed = await api.as(token, `POST ${FACTOR}/confirm`, { code: now(key) });
  expect(confirmed.status, confirmed.text).toBe(200);
  return { key, codes: Object(confirmed.body).recovery_codes };
}

describe('asked of all', () => {
  it('leaves the setup alone until it is done, and a token untouched', async () => {
    const id = await person(all, 'anna');
    const session = cookieOf(await all.call(LOGIN, { body: { username: 'anna', password: GOOD_PASSWORD } }));
    const token = await makeToken(all.db, id);
    const read = 'GET /api/v1/rbac/users/';
    const refused = await all.as(session, `${read}${id}/privileges`);
    expect([refused.status, refused.error]).toEqual([403, expect.stringMatching(/needs a second factor/)]);
    expect((await all.as(session, 'GET /api/v1/user/sessions')).status).toBe(403);
    expect((await all.as(token, `${read}${id}/privileges`)).status).toBe(200);
    expect((await all.as(session, 'GET /api/v1/user/info')).body).toMatchObject({
      needs_second_factor: true,
    });
    expect((await all.as(token, 'GET /api/v1/user/info')).body).not.toHaveProperty('needs_second_factor');
    expect((await all.as(session, `GET ${FACTOR}`)).body).toMatchObject({
      is_set_up: false,
      is_required: true,
    });
    await enrol(all, session);
    expect((await all.as(session, `${read}${id}/privileges`)).status).toBe(200);
    expect((await all.as(session, 'GET /api/v1/user/info')).body).not.toHaveProperty('needs_second_factor');
  });

  it('does not concern a session that a provider opened', async () => {
    const { session, user_id } = await makeUser(all.db);
    const own = `GET /api/v1/rbac/users/${user_id}/privileges`;
    expect((await all.as(session, own)).status).toBe(403);
    await all.db.run(sql`/* test.provider */
      update matriarch.sessions set issuer = 'https://login.example.com', subject = 'x' where user_id = ${user_id}`);
    expect((await all.as(session, own)).status).toBe(200);
  });

  it('opens to who has none what is needed for the setup, and no more', () => {
    const open = operations.filter(({ beforeSecondFactor }) => beforeSecondFactor).map(({ id }) => id);
    expect(open).toEqual([
      'addPasskey',
      'changeOwnPassword',
      'confirmSecondFactor',
      'getSecondFactor',
      'getUserInfo',
      'listOwnPasskeys',
      'logout',
      'startPasskey',
      'startSecondFactor',
    ]);
  });
});

describe('asked of superusers', () => {
  it('concerns these alone', async () => {
    const [user, root] = [
      await makeUser(superusers.db),
      await makeUser(superusers.db, { is_superuser: true }),
    ];
    const status = async (token: string) => (await superusers.as(token, 'GET /api/v1/user/sessions')).status;
    expect([await status(user.session), await status(root.session)]).toEqual([200, 403]);
  });

  it('says in a header that a code is needed, and why in the sign-ins', async () => {
    const id = await person(superusers, 'bert');
    const body = { username: 'bert', password: GOOD_PASSWORD };
    const session = cookieOf(await superusers.call(LOGIN, { body }));
    const { key } = await enrol(superusers, session);
    const needed = await superusers.call(LOGIN, { body });
    expect([needed.status, needed.body]).toEqual([401, { error: expect.stringMatching(/needs a code/) }]);
    expect(needed.headers['x-second-factor']).toBe('needed');
    expect(needed.headers['set-cookie']).toBeUndefined();
    const wrong = await superusers.call(LOGIN, { body: { ...body, password: 'lantern orbit staple' } });
    expect([wrong.status, wrong.headers['x-second-factor']]).toEqual([401, undefined]);
    const right = await superusers.call(LOGIN, { body: { ...body, code: now(key, 1) } });
    expect([right.status, right.body]).toMatchObject([200, { success: true, message: 'Signed in.' }]);
    const listed = await superusers.as(cookieOf(right), 'GET /api/v1/user/sign-ins');
    expect(Object(listed.body).sign_ins[0]).toMatchObject({
      outcome: 'ok',
      opened_with: 'password_and_code',
    });
    await superusers.refusals.flush();
    const after = await superusers.as(cookieOf(right), 'GET /api/v1/user/sign-ins');
    const outcomes = Object(after.body).sign_ins.map(({ outcome, reason }: Record<string, unknown>) => [
      outcome,
      reason,
    ]);
    expect(outcomes).toContainEqual(['code_asked', expect.stringMatching(/needs a code/)]);
    expect(outcomes).toContainEqual(['refused', expect.stringMatching(/user name or password/)]);
    expect(outcomes).not.toContainEqual(['refused', expect.stringMatching(/needs a code/)]);
    const maker = await makeUser(superusers.db, { is_superuser: true });
    const users = await superusers.as(
      await makeToken(superusers.db, maker.user_id),
      'GET /api/v1/rbac/users',
    );
    expect(Object(users.body).users).toContainEqual(expect.objectContaining({ id, has_second_factor: true }));
  });

  it('is taken away by who may manage users and has no fewer rights, and never from oneself', async () => {
    const id = await person(superusers, 'carl');
    const body = { username: 'carl', password: GOOD_PASSWORD };
    const session = cookieOf(await superusers.call(LOGIN, { body }));
    await enrol(superusers, session);
    const manager = await makeHolder(superusers.db, { permissions: ['manage_users'] });
    const stranger = await makeUser(superusers.db);
    const path = `DELETE /api/v1/rbac/users/${id}/second-factor`;
    expect((await superusers.as(stranger.session, path)).status).toBe(403);
    const root = await makeUser(superusers.db, { is_superuser: true });
    const above = `DELETE /api/v1/rbac/users/${root.user_id}/second-factor`;
    expect((await superusers.as(manager.session, above)).status).toBe(403);
    const own = `DELETE /api/v1/rbac/users/${manager.user_id}/second-factor`;
    expect((await superusers.as(manager.session, own)).status).toBe(409);
    expect((await superusers.as(manager.session, path)).status).toBe(204);
    expect((await superusers.as(session, 'GET /api/v1/user/sessions')).status).toBe(401);
    expect((await superusers.call(LOGIN, { body })).status).toBe(200);
    expect((await superusers.as(manager.session, path)).status).toBe(409);
  });
});
