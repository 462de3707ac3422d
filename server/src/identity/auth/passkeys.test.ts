// Passkeys on a real datastore, with an authenticator in software and the clock moved by hand: what one opens, and every answer that
// must not.
import path from 'node:path';
import { Secret as OtpSecret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { type AuthProcess, authProcess, GOOD_PASSWORD, tally } from '../../testing/access/auth.ts';
import { Authenticator, type Lies } from '../../testing/access/authenticator.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { createAccess } from '../access/access.service.ts';
import type { Ctx } from '../access/principal.ts';
import { openVault, type Vault } from '../secrets/vault.service.ts';
import { login } from './auth.service.ts';
import { PASSKEY_WRONG } from './passkey-check.service.ts';
import { loginWithPasskey } from './passkey-sign-in.service.ts';
import { siteOf } from './passkey-site.service.ts';
import { PASSKEY_COOKIE } from './passkeys.contract.ts';
import * as passkeys from './passkeys.service.ts';
import * as second from './second-factor.service.ts';
import { CODE_NEEDED } from './second-factor-check.service.ts';
import { tokenHash } from './tokens.ts';

const ORIGIN = 'http://localhost:8080';
const reached = { host: 'localhost:8080', secure: false };
const keyFile = path.join(testDirectory('passkeys'), 'secret.key');

let test: TestDatabase;
let vault: Vault;
beforeAll(async () => {
  test = await testDatabase();
  vault = await openVault({ db: test.db, keyFile, createIfMissing: true });
});
afterAll(() => test.close());

const start = () => authProcess(test.db, { vault });
let networks = 0;
/** Each call from a network of its own, so that failures of one test do not count in another. */
function anAddress(): string {
  networks += 1;
  return `10.77.${networks}.1`;
}
const cookieOf = (challenge: string) => `other=1; ${PASSKEY_COOKIE}=${challenge}`;
const password = new Secret(GOOD_PASSWORD);

async function contextOf(here: AuthProcess, username: string): Promise<Ctx> {
  const { token } = await here.signIn(username, GOOD_PASSWORD);
  const row = await test.db.one<{ id: number; user_id: number }>(
    sql`/* test.session */ select id, user_id from matriarch.sessions where token_hash = ${tokenHash(token)}`,
  );
  const via = { kind: 'session', id: row.id } as const;
  return { ...here.ctx, principal: { ...here.ctx.principal, user_id: row.user_id, username, via } };
}

interface Adding {
  ctx: Ctx;
  key: Authenticator;
  lies?: Lies;
  code?: Secret;
  name?: string;
}

async function add(here: AuthProcess, { ctx, key, lies, code, name = 'Laptop' }: Adding) {
  const begun = await passkeys.startPasskey(ctx, here.auth, {
    address: anAddress(),
    password,
    reached,
    ...(code && { code }),
  });
  const answer = key.register(begun.options, lies);
  return passkeys.addPasskey(ctx, here.auth, { name, answer, cookies: cookieOf(begun.challenge), reached });
}

/** A person with one passkey. */
async function enrolled(here: AuthProcess, username: string) {
  await here.person(username);
  const ctx = await contextOf(here, username);
  const key = new Authenticator(ORIGIN);
  return { ctx, key, ...(await add(here, { ctx, key })) };
}

/** What a browser sends for a new challenge. */
async function answered(here: AuthProcess, key: Authenticator, lies: Lies = {}) {
  const begun = await passkeys.startPasskeySignIn(here.ctx, here.auth, reached);
  return { answer: key.answer(begun.options, lies), cookies: cookieOf(begun.challenge), reached };
}

const enter = async (here: AuthProcess, key: Authenticator, lies: Lies = {}) =>
  loginWithPasskey(here.ctx, here.auth, { address: anAddress(), ...(await answered(here, key, lies)) });

const refused = { status: 401, message: PASSKEY_WRONG };

describe('signing in with a passkey', () => {
  it('takes no password and no code, and notes the use', async () => {
    const here = start();
    const { ctx, key } = await enrolled(here, 'anna');
    const session = await enter(here, key);
    expect(await here.whoIs(session.token)).toBe('anna');
    const { passkeys: own } = await passkeys.listOwnPasskeys(ctx, here.auth, reached);
    expect(own).toMatchObject([{ name: 'Laptop', last_used_at: new Date(here.clock.now()).toISOString() }]);
    const { by } = await test.db.one<{ by: string }>(sql`/* test.by */
      select details ->> 'by' as by from matriarch.audit_events
      where action = 'session.create' and target_name = 'anna' order by entry desc limit 1`);
    expect(by).toBe('passkey');
  });

  it('works with an authenticator that does not count', async () => {
    const here = start();
    const { key } = await enrolled(here, 'nocount');
    for (const _ of [1, 2]) await enter(here, key, { counter: 0 });
  });

  it.each<[string, Lies]>([
    ['of another origin', { origin: 'https://evil.example.com' }],
    ['of another port', { origin: 'http://localhost:9090' }],
    ['for another site', { rp_id: 'evil.example.com' }],
    ['to another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['without user verification', { is_verified: false }],
    ['of a registration', { type: 'webauthn.create' }],
    ['that was changed', { is_tampered: true }],
    ['with the handle of another account', { user_handle: Buffer.alloc(32).toString('base64url') }],
    ['without a handle', { user_handle: '' }],
  ])('refuses an answer %s', async (what, lies) => {
    const here = start();
    const { key } = await enrolled(here, `h${what.replaceAll(/[^a-z]/g, '')}`);
    await expect(enter(here, key, lies)).rejects.toMatchObject(refused);
    await enter(here, key);
  });

  it('refuses a counter that does not grow', async () => {
    const here = start();
    const { key } = await enrolled(here, 'counter');
    await enter(here, key, { counter: 50 });
    for (const counter of [50, 49, 0])
      await expect(enter(here, key, { counter })).rejects.toMatchObject(refused);
    await enter(here, key, { counter: 51 });
  });

  it('takes a challenge once, right or wrong, in parallel too, for five minutes, in its browser', async () => {
    const here = start();
    const { key } = await enrolled(here, 'once');
    const send = (given: Awaited<ReturnType<typeof answered>>) =>
      loginWithPasskey(here.ctx, here.auth, { address: anAddress(), ...given });
    const same = await answered(here, key);
    expect(tally(await Promise.allSettled([send(same), send(same), send(same)]))).toEqual({ ok: 1, 401: 2 });
    const begun = await passkeys.startPasskeySignIn(here.ctx, here.auth, reached);
    const given = { cookies: cookieOf(begun.challenge), reached };
    await expect(send({ ...given, answer: 'no JSON' })).rejects.toMatchObject(refused);
    await expect(send({ ...given, answer: key.answer(begun.options) })).rejects.toThrow('Start again');
    const late = await answered(here, key);
    here.clock.advance(5 * MINUTE_MS);
    await expect(send(late)).rejects.toThrow('took longer than five minutes');
    const stolen = await answered(here, key);
    for (const cookies of ['other=1', (await answered(here, key)).cookies, cookieOf('AAAA')])
      await expect(send({ ...stolen, cookies })).rejects.toMatchObject({ status: 401 });
  });

  it.each([
    'null',
    '[]',
    '"x"',
    '{}',
    '{"id":5}',
    '{"id":"AA","response":null}',
    '{"id":"AA","response":{}}',
  ])('refuses %s', async (answer) => {
    const here = start();
    const given = { ...(await answered(here, new Authenticator(ORIGIN))), answer };
    await expect(
      loginWithPasskey(here.ctx, here.auth, { address: anAddress(), ...given }),
    ).rejects.toMatchObject({ status: 401 });
  });

  it('refuses one that is unknown, was removed, or is of a disabled user', async () => {
    const here = start();
    await expect(enter(here, new Authenticator(ORIGIN))).rejects.toThrow('not known here');
    const { key } = await enrolled(here, 'disabled');
    await test.db.run(
      sql`/* test.disable */ update matriarch.users set enabled = false where username = 'disabled'`,
    );
    await expect(enter(here, key)).rejects.toMatchObject(refused);
  });

  it('counts a refusal as a failure of the address', async () => {
    const here = start();
    const { key } = await enrolled(here, 'guessed');
    const address = anAddress();
    const tries = [];
    for (let i = 0; i < 40; i += 1) {
      const given = await answered(here, key, { is_verified: false });
      tries.push(
        ...(await Promise.allSettled([loginWithPasskey(here.ctx, here.auth, { address, ...given })])),
      );
    }
    expect(tally(tries)).toMatchObject({ 429: expect.any(Number) });
  });
});

describe('as a second factor', () => {
  const signIn = (here: AuthProcess, username: string, rest: object = {}) =>
    login(here.ctx, here.auth, { username, password, address: anAddress(), ...rest });

  it('is asked for after the password, with recovery codes in its place', async () => {
    const here = start();
    const { ctx, key, recovery_codes } = await enrolled(here, 'second');
    expect(recovery_codes).toHaveLength(10);
    await expect(signIn(here, 'second')).rejects.toMatchObject({ message: CODE_NEEDED, asksCode: true });
    await signIn(here, 'second', { passkey: await answered(here, key) });
    await signIn(here, 'second', { code: new Secret(recovery_codes[0] ?? '') });
    await expect(signIn(here, 'second', { code: new Secret('123456') })).rejects.toMatchObject({
      status: 401,
    });
    expect(await second.getSecondFactor(ctx)).toMatchObject({ is_set_up: false, recovery_codes_left: 9 });
  });

  it('refuses the passkey of another user, and one that lies, and asks again', async () => {
    const here = start();
    const [mine, other] = [await enrolled(here, 'mine'), await enrolled(here, 'theirs')];
    const again = { ...refused, needsCode: true };
    const others = await answered(here, other.key);
    await expect(signIn(here, 'mine', { passkey: others })).rejects.toMatchObject(again);
    const unverified = await answered(here, mine.key, { is_verified: false });
    await expect(signIn(here, 'mine', { passkey: unverified })).rejects.toMatchObject(again);
  });

  it('is what the settings may require', async () => {
    const here = start();
    const { key } = await enrolled(here, 'required');
    await here.person('without');
    const access = createAccess({ ...here.ctx, sharedAccess: 'read_write', requireSecondFactor: 'all' });
    const stateOf = async (token: Secret) => {
      const { second_factor_required, needs_second_factor } =
        (await access.authenticate(token.reveal()))?.principal ?? {};
      return { second_factor_required, needs_second_factor };
    };
    const without = await signIn(here, 'without');
    expect(await stateOf(without.token)).toEqual({ second_factor_required: true, needs_second_factor: true });
    const having = await enter(here, key);
    expect(await stateOf(having.token)).toEqual({ second_factor_required: true, needs_second_factor: false });
    await access.stop();
  });
});

describe('passkeys of the own account', () => {
  it('ends the other sessions with the first one alone', async () => {
    const here = start();
    await here.person('sessions');
    const [ctx, other] = [await contextOf(here, 'sessions'), await here.signIn('sessions', GOOD_PASSWORD)];
    const key = new Authenticator(ORIGIN);
    const first = await add(here, { ctx, key });
    expect(await here.whoIs(other.token)).toBeUndefined();
    const later = await enter(here, key);
    const code = new Secret(first.recovery_codes[0] ?? '');
    const second_key = new Authenticator(ORIGIN);
    expect((await add(here, { ctx, key: second_key, code, name: 'Key' })).recovery_codes).toEqual([]);
    expect(await here.whoIs(later.token)).toBe('sessions');
    await enter(here, second_key);
  });

  it('asks for what is in force before one is added or removed', async () => {
    const here = start();
    const { ctx, key, passkey, recovery_codes } = await enrolled(here, 'proof');
    const fresh = new Authenticator(ORIGIN);
    await expect(add(here, { ctx, key: fresh })).rejects.toMatchObject({ status: 403 });
    await expect(add(here, { ctx, key: fresh, code: new Secret('000000') })).rejects.toMatchObject({
      status: 403,
    });
    const address = anAddress();
    const wrong = { address, password: new Secret('wrong'), reached, passkey: await answered(here, key) };
    await expect(passkeys.startPasskey(ctx, here.auth, wrong)).rejects.toMatchObject({ status: 403 });
    const other = await enrolled(here, 'proof-other');
    const remove = (id: number, rest: object) =>
      passkeys.removeOwnPasskey(ctx, here.auth, { id, address: anAddress(), password, ...rest });
    await expect(remove(passkey.id, {})).rejects.toMatchObject({ status: 403 });
    await expect(remove(passkey.id, { passkey: await answered(here, other.key) })).rejects.toMatchObject({
      status: 403,
    });
    await expect(remove(other.passkey.id, { passkey: await answered(here, key) })).rejects.toMatchObject({
      status: 404,
    });
    const start2 = { address, password, passkey: await answered(here, key) };
    await expect(second.startSecondFactor(ctx, here.auth, { address, password })).rejects.toMatchObject({
      status: 403,
    });
    await second.startSecondFactor(ctx, here.auth, start2);
    await remove(passkey.id, { passkey: await answered(here, key) });
    await expect(enter(here, key)).rejects.toThrow('not known here');
    await here.signIn('proof', GOOD_PASSWORD);
    expect(await second.getSecondFactor(ctx)).toMatchObject({ recovery_codes_left: 0 });
    expect(recovery_codes).toHaveLength(10);
  });

  it('keeps recovery codes while the app or a passkey is left', async () => {
    const here = start();
    const { ctx, key } = await enrolled(here, 'both');
    const given = { address: anAddress(), password, passkey: await answered(here, key) };
    const offer = await second.startSecondFactor(ctx, here.auth, given);
    const code = new TOTP({ secret: OtpSecret.fromBase32(offer.setup_key) }).generate({
      timestamp: here.clock.now(),
    });
    await second.confirmSecondFactor(ctx, here.auth, { address: anAddress(), code: new Secret(code) });
    const again = { address: anAddress(), password, passkey: await answered(here, key) };
    await second.removeOwnSecondFactor(ctx, here.auth, again);
    expect(await second.getSecondFactor(ctx)).toMatchObject({ is_set_up: false, recovery_codes_left: 10 });
    const replaced = { ...again, passkey: await answered(here, key) };
    expect(await second.replaceRecoveryCodes(ctx, here.auth, replaced)).toHaveLength(10);
    await second.removeSecondFactor(ctx, { id: ctx.principal.user_id, username: 'both' });
    await expect(enter(here, key)).rejects.toThrow('not known here');
    expect(await second.getSecondFactor(ctx)).toMatchObject({ recovery_codes_left: 0 });
    await here.signIn('both', GOOD_PASSWORD);
  });

  it.each<[string, Lies]>([
    ['without user verification', { is_verified: false }],
    ['of another origin', { origin: 'https://evil.example.com' }],
    ['for another site', { rp_id: 'evil.example.com' }],
    ['of a sign-in', { type: 'webauthn.get' }],
    ['to another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
  ])('adds none by an answer %s', async (what, lies) => {
    const here = start();
    const name = `r${what.replaceAll(/[^a-z]/g, '')}`;
    await here.person(name);
    const ctx = await contextOf(here, name);
    await expect(add(here, { ctx, key: new Authenticator(ORIGIN), lies })).rejects.toMatchObject({
      status: 403,
    });
    expect((await passkeys.listOwnPasskeys(ctx, here.auth, reached)).passkeys).toEqual([]);
  });

  it('adds none that another session or another user began, none twice, and at most ten', async () => {
    const here = start();
    const { ctx, key } = await enrolled(here, 'cap');
    await here.person('thief');
    const thief = await contextOf(here, 'thief');
    const proof = async () => ({
      address: anAddress(),
      password,
      reached,
      passkey: await answered(here, key),
    });
    const begun = await passkeys.startPasskey(ctx, here.auth, await proof());
    const answer = new Authenticator(ORIGIN).register(begun.options);
    const given = { name: 'x', answer, cookies: cookieOf(begun.challenge), reached };
    await expect(passkeys.addPasskey(thief, here.auth, given)).rejects.toMatchObject({ status: 403 });
    const otherSession = {
      ...ctx,
      principal: { ...ctx.principal, via: { kind: 'session', id: 1 } as const },
    };
    await expect(passkeys.addPasskey(otherSession, here.auth, given)).rejects.toMatchObject({ status: 403 });
    await passkeys.addPasskey(ctx, here.auth, given);
    await expect(passkeys.addPasskey(ctx, here.auth, given)).rejects.toMatchObject({ status: 403 });
    const twice = await passkeys.startPasskey(ctx, here.auth, await proof());
    const same = { ...given, answer: key.register(twice.options), cookies: cookieOf(twice.challenge) };
    await expect(passkeys.addPasskey(ctx, here.auth, same)).rejects.toMatchObject({ status: 409 });
    for (let i = 2; i < 10; i += 1) {
      const next = await passkeys.startPasskey(ctx, here.auth, await proof());
      const fresh = new Authenticator(ORIGIN).register(next.options);
      await passkeys.addPasskey(ctx, here.auth, {
        ...given,
        answer: fresh,
        cookies: cookieOf(next.challenge),
      });
    }
    await expect(passkeys.startPasskey(ctx, here.auth, await proof())).rejects.toThrow('at most 10');
  });
});

describe('the site', () => {
  const HTTPS = 'https://matriarch.example.com/below';
  it.each<[string | undefined, string, string | undefined]>([
    [HTTPS, 'evil.example.com', 'matriarch.example.com'],
    ['http://matriarch.example.com', 'localhost', undefined],
    ['https://10.0.0.1', 'localhost', undefined],
    ['https://[::1]:8080', 'localhost', undefined],
    [undefined, 'localhost:8080', 'localhost'],
    [undefined, 'matriarch.example.com', undefined],
    [undefined, 'localhost.example.com', undefined],
    [undefined, '127.0.0.1:8080', undefined],
    [undefined, '', undefined],
  ])('with %s, asked at %s, is %s', (publicUrl, host, rpId) => {
    expect(siteOf(publicUrl, { host, secure: true })?.rp_id).toBe(rpId);
  });

  it('says where passkeys cannot work what to do', async () => {
    const here = start();
    const begun = passkeys.startPasskeySignIn(here.ctx, here.auth, { host: '10.0.0.1', secure: false });
    await expect(begun).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('api.public_url'),
    });
    expect(siteOf(HTTPS, { host: 'x', secure: false })?.origin).toBe('https://matriarch.example.com');
  });
});
