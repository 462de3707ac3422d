// What a provider, or somebody between, could try: each opens no session and says so in a sentence of ours.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeToken } from '../../testing/access/actors.ts';
import { authProcess, GOOD_PASSWORD } from '../../testing/access/auth.ts';
import type { Answer, TestApi } from '../../testing/api.ts';
import { type HostileProvider, startHostileProvider } from '../../testing/oidc/hostile-provider.ts';
import { begin, finish, sessionOf, startSignOnApi } from '../../testing/oidc/sign-on-api.ts';
import { createLink } from '../auth/links.service.ts';

const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const now = () => Math.floor(Date.now() / 1000);

let one: HostileProvider;
let two: HostileProvider;
let test: TestApi;
let hostile: HostileProvider;
beforeAll(async () => {
  [one, two] = await Promise.all([startHostileProvider(), startHostileProvider()]);
  hostile = one;
  const flags = (name: string, issuer: string) => [
    ...[`--auth-${name}-issuer`, issuer, `--auth-${name}-client-id`, 'matriarch'],
    ...[`--auth-${name}-create-users`, 'true', `--auth-${name}-username-claim`, 'sub'],
  ];
  const domains = ['--auth-oidc-2-email-domains', 'example.com', '--auth-oidc-2-label', 'Partners'];
  const off = ['--auth-local-sign-in', 'off'];
  test = await startSignOnApi([
    ...[...flags('oidc', one.issuer), ...flags('oidc-2', two.issuer)],
    ...[...domains, ...off],
  ]);
});
afterAll(async () => {
  await test?.close();
  await Promise.all([one?.stop(), two?.stop()]);
});

async function attempt(change: Partial<HostileProvider> = {}): Promise<Answer> {
  const before = { claims: {}, signs: undefined, codes: Number.POSITIVE_INFINITY };
  Object.assign(hostile, before, change);
  try {
    const begun = await begin(test);
    return await finish(test, begun, { answer: hostile.answer(begun.url) });
  } finally {
    Object.assign(hostile, before);
  }
}

const sessions = async () =>
  (
    await test.db.one<{ n: number }>(
      sql`/* test.sessions */ select count(*)::int as n from matriarch.sessions`,
    )
  ).n;

describe('a hostile provider', () => {
  it.each<[string, Partial<HostileProvider>]>([
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'somebody-else' } }],
    ['several audiences for another party', { claims: { aud: ['matriarch', 'x'], azp: 'x' } }],
    ['another nonce', { claims: { nonce: 'another' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['an expired token', { claims: { exp: now() - 120, iat: now() - 600 } }],
    ['a token of the future', { claims: { nbf: now() + 600 } }],
    ['no subject', { claims: { sub: undefined } }],
    ['alg none', { signs: 'none' }],
    ['a key that is not its own', { signs: 'another key' }],
    ['the public key taken for a shared secret', { signs: 'public key as secret' }],
    ['a code that is refused', { codes: 0 }],
  ])('%s opens no session', async (_what, change) => {
    const before = await sessions();
    const answer = await attempt(change);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
    expect(answer.error).toBe(
      'The answer of single sign-on could not be trusted, so you are not signed in. Start again.',
    );
    expect(await sessions()).toBe(before);
  });

  it.each(['x'.repeat(256), 'two\nlines', 'Ω'])(
    'a subject that cannot be copied is refused: %j',
    async (sub) => {
      expect((await attempt({ claims: { sub } })).error).toMatch(/not 1 to 255 ASCII characters/);
    },
  );

  it('a session that the browser brings along is not the one that is opened', async () => {
    const planted = sessionOf(await attempt());
    const begun = await begin(test);
    const cookie = `session_token=${planted}; ${begun.cookie}`;
    const answer = await finish(test, { cookie }, { answer: hostile.answer(begun.url) });
    expect(answer.status).toBe(200);
    expect(sessionOf(answer)).toMatch(/^[\w-]{43}$/);
    expect(sessionOf(answer)).not.toBe(planted);
  });

  it('answers that are refused keep nobody else at that address out', async () => {
    for (let count = 0; count < 12; count += 1)
      expect((await finish(test, { cookie: '' }, { answer: 'code=x&state=y' })).status).toBe(401);
    expect((await attempt()).status).toBe(200);
  });

  it('a token within a minute of skew, and a rotated key at once, do', async () => {
    expect((await attempt({ claims: { exp: now() - 30 } })).status).toBe(200);
    await hostile.rotate();
    expect((await attempt()).status).toBe(200);
  });

  it('an answer works once, in the browser that began, with its own state', async () => {
    const begun = await begin(test);
    const answer = hostile.answer(begun.url);
    const again = /Start again\.$/;
    expect((await finish(test, { cookie: '' }, { answer })).error).toMatch(again);
    expect((await finish(test, { cookie: `${begun.cookie.slice(0, -4)}AAAA` }, { answer })).error).toMatch(
      again,
    );
    expect((await finish(test, begun, { answer })).status).toBe(200);
    const replayed = await finish(test, begun, { answer });
    expect([replayed.status, replayed.error]).toEqual([401, expect.stringMatching(/finished already/)]);
    const fresh = await begin(test);
    expect((await finish(test, fresh, { answer })).status).toBe(401);
  });

  it('the answer of one provider is not taken for that of another', async () => {
    const begun = await begin(test);
    const answer = hostile.answer(begun.url);
    const mixed = await finish(test, begun, { answer, provider: 'oidc_2' });
    expect([mixed.status, mixed.error]).toEqual([401, expect.stringMatching(/not begun in this browser/)]);
    const named = `${answer}&iss=${encodeURIComponent(two.issuer)}`;
    expect((await finish(test, begun, { answer: named })).status).toBe(401);
  });

  it('an unverified email address of the right domain is not enough', async () => {
    const come = async (claims: HostileProvider['claims']) => {
      two.claims = { sub: 'mia', ...claims };
      const begun = await begin(test, 'oidc_2');
      return finish(test, begun, { answer: two.answer(begun.url), provider: 'oidc_2' });
    };
    const email = 'mia@example.com';
    expect((await come({ email })).error).toMatch(/verified email address of example\.com/);
    expect((await come({ email: 'mia@example.com.evil.example', email_verified: true })).status).toBe(401);
    expect((await come({ email, email_verified: true })).status).toBe(200);
  });

  it('a refusal and an outage are said as such', async () => {
    const begun = await begin(test);
    const state = new URLSearchParams(hostile.answer(begun.url)).get('state') ?? '';
    const denied = await finish(test, begun, { answer: `error=access_denied&state=${state}` });
    expect([denied.status, denied.error]).toEqual([401, expect.stringMatching(/You were not let in/)]);
    const second = await begin(test);
    const answer = hostile.answer(second.url);
    hostile.isAway = true;
    const away = await finish(test, second, { answer }).finally(() => {
      hostile.isAway = false;
    });
    expect([away.status, away.error]).toEqual([502, 'Cannot reach single sign-on. Try again in a moment.']);
  });
});

describe('with passwords off and the provider away', () => {
  it('no password signs in, a link of the command line and tokens do', async () => {
    const here = authProcess(test.db);
    await here.person('root', { is_superuser: true });
    const login = { username: 'root', password: GOOD_PASSWORD };
    const refused = await test.call('POST /api/v1/auth/login', { body: login });
    expect([refused.status, refused.error]).toEqual([
      401,
      'Signing in with a password is switched off here. Sign in with single sign-on or Partners.',
    ]);
    hostile.isAway = true;
    try {
      const { token } = await createLink(here.ctx, 'root');
      const opened = await test.call('POST /api/v1/auth/link', { body: { token: token.reveal() } });
      expect(opened.status).toBe(200);
      const users = 'GET /api/v1/rbac/users';
      expect((await test.call(users, { cookie: sessionOf(opened) })).status).toBe(200);
      const api = await makeToken(test.db, test.actors.superuser.user_id);
      expect((await test.call(users, { token: api })).status).toBe(200);
    } finally {
      hostile.isAway = false;
    }
  });
});

describe('back-channel logout', () => {
  const end = (token: string) =>
    test.call('POST /api/v1/auth/providers/oidc/logout', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `logout_token=${token}`,
    });
  const claims = (jti: string) => ({
    ...{ iss: hostile.issuer, aud: 'matriarch', iat: now(), exp: now() + 120, jti, events: EVENT },
  });

  it('ends the session that it names and no other, once', async () => {
    const named = sessionOf(await attempt({ claims: { sid: 'session-1' } }));
    const other = sessionOf(await attempt({ claims: { sid: 'session-2' } }));
    const token = await hostile.sign({ ...claims('a'), sub: 'eve', sid: 'session-1' });
    expect(await end(token)).toMatchObject({ status: 200, body: { message: 'Sessions ended: 1.' } });
    const isIn = async (cookie: string) =>
      Object((await test.call('GET /api/v1/user/info', { cookie })).body).authenticated;
    expect([await isIn(named), await isIn(other)]).toEqual([false, true]);
    expect((await end(token)).error).toBe('The logout token was used already.');
    await end(await hostile.sign({ ...claims('b'), sub: 'eve' }));
    expect(await isIn(other)).toBe(false);
  });

  it('takes nothing else for a logout token', async () => {
    const cookie = sessionOf(await attempt());
    const own = { sub: 'eve' };
    const tokens = [
      await hostile.sign({ ...claims('c'), ...own, events: undefined }),
      await hostile.sign({ ...claims('d'), ...own, nonce: 'n' }),
      await hostile.sign({ ...claims('e'), ...own, aud: 'another' }),
      await hostile.sign({ ...claims('f'), ...own, iss: 'https://evil.example' }),
      await hostile.sign({ ...claims('g'), ...own, iat: now() - 3600 }),
      await hostile.sign(claims('h')),
      await Object.assign(hostile, { signs: 'none' }).sign({ ...claims('i'), ...own }),
      await Object.assign(hostile, { signs: 'another key' }).sign({ ...claims('j'), ...own }),
      await Object.assign(hostile, { signs: 'public key as secret' }).sign({ ...claims('k'), ...own }),
      'nonsense',
    ];
    hostile.signs = undefined;
    for (const token of tokens) expect(await end(token)).toMatchObject({ status: 400 });
    expect((await test.call('GET /api/v1/user/info', { cookie })).body).toMatchObject({
      authenticated: true,
    });
  });
});
