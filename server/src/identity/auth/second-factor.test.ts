// Second factors on a real datastore, with the clock moved by hand: what is in force when, what a code is good for and how often, and
// what guesses cost.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { Secret as OtpSecret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
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
import { testDirectory } from '../../testing/servers/postgres.ts';
import type { Ctx } from '../access/principal.ts';
import { giveUpLostKey } from '../secrets/replace-key.service.ts';
import { openVault, type Vault } from '../secrets/vault.service.ts';
import { login, loginWithLink } from './auth.service.ts';
import { createLink } from './links.service.ts';
import { STEP_MS } from './one-time-codes.ts';
import * as own from './second-factor.service.ts';
import { CODE_NEEDED, CODE_WRONG } from './second-factor-check.service.ts';
import { tokenHash } from './tokens.ts';
import { requireUser } from './users.service.ts';

const keyFile = path.join(testDirectory('second-factor'), 'secret.key');
const PASSWORD = new Secret(GOOD_PASSWORD);

let test: TestDatabase;
let vault: Vault;
beforeAll(async () => {
  test = await testDatabase();
  vault = await openVault({ db: test.db, keyFile, createIfMissing: true });
});
afterAll(() => test.close());

const start = (clock?: AuthProcess['clock']) => authProcess(test.db, { vault, ...(clock && { clock }) });

const networks: string[] = [];
/** A network of each user's own, so that failures of one test do not count in another. */
function addressOf(username: string): string {
  if (!networks.includes(username)) networks.push(username);
  return `10.88.${networks.indexOf(username)}.1`;
}

/** What the app of somebody shows now, or so many steps away. */
const codeOf = ({ clock }: AuthProcess, setupKey: string, steps = 0) =>
  new TOTP({ secret: OtpSecret.fromBase32(setupKey) }).generate({
    timestamp: clock.now() + steps * STEP_MS,
  });

interface SignInOptions {
  code?: string | undefined;
  password?: string;
  address?: string;
}

const signIn = (here: AuthProcess, username: string, options: SignInOptions = {}) =>
  login(here.ctx, here.auth, {
    username,
    password: new Secret(options.password ?? GOOD_PASSWORD),
    address: options.address ?? addressOf(username),
    ...(options.code !== undefined && { code: new Secret(options.code) }),
  });

async function as(here: AuthProcess, username: string, token: Secret): Promise<Ctx> {
  const row = await test.db.one<{ id: number; user_id: number }>(
    sql`/* test.session */ select id, user_id from matriarch.sessions where token_hash = ${tokenHash(token)}`,
  );
  const via = { kind: 'session', id: row.id } as const;
  return { ...here.ctx, principal: { ...here.ctx.principal, user_id: row.user_id, username, via } };
}

/** Signs in and sets up a second factor, all before the current time step. */
async function enrolled(here: AuthProcess, username: string) {
  await here.person(username);
  const session = await here.signIn(username, GOOD_PASSWORD);
  const ctx = await as(here, username, session.token);
  const address = addressOf(username);
  const offer = await own.startSecondFactor(ctx, here.auth, { address, password: PASSWORD });
  const code = new Secret(codeOf(here, offer.setup_key));
  const recovery = await own.confirmSecondFactor(ctx, here.auth, { address, code });
  here.clock.advance(2 * STEP_MS);
  return { ctx, key: offer.setup_key, app_url: offer.app_url, recovery, session };
}

const refused = (message: string) => ({ status: 401, message, needsCode: true });
const lastSignIn = (username: string) =>
  test.db.one<{ by: string }>(sql`/* test.by */
    select details ->> 'by' as by from matriarch.audit_events
    where action = 'session.create' and target_name = ${username} and outcome = 'ok' order by entry desc limit 1`);

describe('setting it up', () => {
  it('is not in force before a code has confirmed it, and ends the other sessions then', async () => {
    const here = start();
    const address = addressOf('fresh');
    await here.person('fresh');
    const [session, other] = [await signIn(here, 'fresh'), await signIn(here, 'fresh')];
    const ctx = await as(here, 'fresh', session.token);
    const offer = await own.startSecondFactor(ctx, here.auth, { address, password: PASSWORD });
    expect(offer.app_url).toMatch(/^otpauth:\/\/totp\/Matriarch:fresh\?.*secret=[A-Z2-7]{32}/);
    expect(await own.getSecondFactor(ctx)).toMatchObject({ is_set_up: false, recovery_codes_left: 0 });
    await signIn(here, 'fresh');
    const wrong = own.confirmSecondFactor(ctx, here.auth, { address, code: new Secret('000000') });
    await expect(wrong).rejects.toMatchObject({ status: 403, message: CODE_WRONG });
    await signIn(here, 'fresh');
    const code = new Secret(codeOf(here, offer.setup_key));
    const codes = await own.confirmSecondFactor(ctx, here.auth, { address, code });
    expect(new Set(codes).size).toBe(10);
    for (const one of codes) expect(one).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/);
    expect(await here.whoIs(session.token)).toBe('fresh');
    expect(await here.whoIs(other.token)).toBeUndefined();
    await expect(signIn(here, 'fresh')).rejects.toMatchObject(refused(CODE_NEEDED));
    expect(await own.getSecondFactor(ctx)).toMatchObject({ is_set_up: true, recovery_codes_left: 10 });
    const again = own.startSecondFactor(ctx, here.auth, { address, password: PASSWORD });
    await expect(again).rejects.toMatchObject({ status: 409 });
  });

  it('takes the password, and an hour at most', async () => {
    const here = start();
    const address = addressOf('slow');
    await here.person('slow');
    const ctx = await as(here, 'slow', (await here.signIn('slow', GOOD_PASSWORD)).token);
    const begin = (password: string) =>
      own.startSecondFactor(ctx, here.auth, { address, password: new Secret(password) });
    await expect(begin('lantern orbit staple')).rejects.toMatchObject({ status: 403 });
    const { setup_key } = await begin(GOOD_PASSWORD);
    here.clock.advance(3_600_001);
    const code = new Secret(codeOf(here, setup_key));
    const late = own.confirmSecondFactor(ctx, here.auth, { address, code });
    await expect(late).rejects.toMatchObject({ status: 409 });
  });

  it('stores neither the key nor a recovery code as it is, and logs none', async () => {
    const here = start();
    const { key, recovery } = await enrolled(here, 'sealed');
    const { kept } = await test.db.one<{ kept: string }>(sql`/* test.kept */
      select string_agg(f::text, ' ') || string_agg(r::text, ' ') as kept
      from matriarch.second_factors f join matriarch.recovery_codes r using (user_id)`);
    for (const text of [key, ...recovery]) {
      expect(here.logged()).not.toContain(text);
      expect(kept).not.toContain(Buffer.from(text).toString('hex'));
      expect(kept).not.toContain(Buffer.from(text.replaceAll('-', '')).toString('hex'));
    }
  });
});

describe('signing in', () => {
  it('takes a code once, of this step or of one beside it, in whatever process', async () => {
    const here = start();
    const { key } = await enrolled(here, 'once');
    const code = codeOf(here, key);
    await signIn(here, 'once', { code: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect(await lastSignIn('once')).toEqual({ by: 'password_and_code' });
    await expect(signIn(here, 'once', { code })).rejects.toMatchObject(refused(CODE_WRONG));
    await expect(signIn(start(here.clock), 'once', { code })).rejects.toMatchObject(refused(CODE_WRONG));
    // An older one is of no use once a newer one was accepted.
    await expect(signIn(here, 'once', { code: codeOf(here, key, -1) })).rejects.toMatchObject({
      status: 401,
    });
    await signIn(here, 'once', { code: codeOf(here, key, 1) });
    here.clock.advance(10 * STEP_MS);
    await expect(signIn(here, 'once', { code: codeOf(here, key, 2) })).rejects.toMatchObject({ status: 401 });
    await expect(signIn(here, 'once', { code: codeOf(here, key, -2) })).rejects.toMatchObject({
      status: 401,
    });
    await signIn(here, 'once', { code: codeOf(here, key, -1) });
  });

  it('opens one session where two processes are given the same code at once', async () => {
    const here = start();
    const db = new Database({ url: test.url, log: silentLog, applicationName: 'second process' });
    const there = authProcess(db, { vault, clock: here.clock });
    const { key, recovery } = await enrolled(here, 'both');
    const nothing = sql`/* test.nothing */ update matriarch.users set enabled = enabled where username = 'both'`;
    for (const code of [codeOf(here, key), recovery[0]]) {
      const outcomes = await changedMeanwhile(test, { change: nothing, waiting: 2 }, () =>
        Promise.allSettled([signIn(here, 'both', { code }), signIn(there, 'both', { code })]),
      );
      expect(tally(outcomes)).toEqual({ ok: 1, 401: 1 });
    }
    await db.stop();
  });

  it('takes each recovery code once, in any case and with or without hyphens', async () => {
    const here = start();
    const { ctx, recovery } = await enrolled(here, 'lost');
    const [first = '', second = ''] = recovery;
    await signIn(here, 'lost', { code: first.toUpperCase().replaceAll('-', '') });
    expect(await lastSignIn('lost')).toEqual({ by: 'password_and_recovery_code' });
    await expect(signIn(here, 'lost', { code: first })).rejects.toMatchObject(refused(CODE_WRONG));
    await signIn(here, 'lost', { code: second });
    expect(await own.getSecondFactor(ctx)).toMatchObject({ recovery_codes_left: 8 });
    const other = await enrolled(here, 'other');
    await expect(signIn(here, 'lost', { code: other.recovery[0] })).rejects.toMatchObject({ status: 401 });
  });

  it('says of a wrong password what it always says, whatever the code', async () => {
    const here = start();
    const { key } = await enrolled(here, 'quiet');
    const password = 'lantern orbit staple';
    const outcomes = [
      await signIn(here, 'quiet', { password }).catch((error: unknown) => error),
      await signIn(here, 'quiet', { password, code: codeOf(here, key) }).catch((error: unknown) => error),
    ];
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: 401,
        needsCode: false,
        message: 'The user name or password is not right.',
      });
    await signIn(here, 'quiet', { code: codeOf(here, key) });
  });

  it('counts wrong codes as failures and missing ones as attempts alone', async () => {
    const here = start();
    const { key } = await enrolled(here, 'guessed');
    const from = (address: string, code?: string) => signIn(here, 'guessed', { address, code });
    for (let n = 0; n < 12; n += 1) {
      await expect(from('198.51.100.30')).rejects.toMatchObject(refused(CODE_NEEDED));
      here.clock.advance(4000);
    }
    const guesses = Array.from({ length: 15 }, (_, n) => from('203.0.113.30', String(100_000 + n)));
    expect(tally(await Promise.allSettled(guesses))).toEqual({ 401: 10, 429: 5 });
    // The right password without a code does not begin the count anew.
    await expect(from('203.0.113.30')).rejects.toMatchObject({ status: 429 });
    await expect(from('203.0.113.31', codeOf(here, key))).rejects.toMatchObject({ status: 429 });
    await from('198.51.100.30', codeOf(here, key));
  });

  it('does not begin the count anew between guesses', async () => {
    const here = start();
    await enrolled(here, 'patient');
    const outcomes: PromiseSettledResult<unknown>[] = [];
    for (let n = 0; n < 11; n += 1) {
      outcomes.push(...(await Promise.allSettled([signIn(here, 'patient', { address: '203.0.113.40' })])));
      const guess = signIn(here, 'patient', { address: '203.0.113.40', code: String(100_000 + n) });
      outcomes.push(...(await Promise.allSettled([guess])));
      here.clock.advance(10_000);
    }
    expect(tally(outcomes)).toEqual({ 401: 20, 429: 2 });
  });

  it('pauses codes of the app after 20 tries in an hour from all addresses, and never recovery codes', async () => {
    const here = start();
    const { key, recovery } = await enrolled(here, 'hunted');
    const from = (n: number, code?: string) =>
      signIn(here, 'hunted', { address: `10.89.${n}.1`, code: code ?? String(100_000 + n) });
    const guesses = Array.from({ length: 30 }, (_, n) => from(n));
    expect(tally(await Promise.allSettled(guesses))).toEqual({ 401: 30 });
    await expect(from(40, codeOf(here, key))).rejects.toMatchObject({
      message: expect.stringContaining('Too many codes were tried'),
    });
    await from(41, recovery[0]);
    here.clock.advance(3_600_000);
    await from(42, codeOf(here, key));
  });

  it('needs no code with a one-time link, which the host gives out', async () => {
    const here = start();
    const address = addressOf('linked');
    await enrolled(here, 'linked');
    const { token } = await createLink(here.ctx, 'linked');
    const session = await loginWithLink(here.ctx, here.auth, { address, token });
    expect(await here.whoIs(session.token)).toBe('linked');
  });
});

describe('changing it', () => {
  it('takes password and code for new recovery codes and for its removal', async () => {
    const here = start();
    const { ctx, key, recovery } = await enrolled(here, 'changing');
    const given = (code: string, password = GOOD_PASSWORD) => ({
      address: addressOf('changing'),
      password: new Secret(password),
      code: new Secret(code),
    });
    const wrong = [given('000000'), given(codeOf(here, key), 'lantern orbit staple')];
    for (const input of wrong) {
      await expect(own.replaceRecoveryCodes(ctx, here.auth, input)).rejects.toMatchObject({ status: 403 });
      await expect(own.removeOwnSecondFactor(ctx, here.auth, input)).rejects.toMatchObject({ status: 403 });
    }
    const next = await own.replaceRecoveryCodes(ctx, here.auth, given(codeOf(here, key)));
    await expect(signIn(here, 'changing', { code: recovery[1] })).rejects.toMatchObject({ status: 401 });
    await signIn(here, 'changing', { code: next[0] });
    await own.removeOwnSecondFactor(ctx, here.auth, given(next[1] ?? ''));
    await signIn(here, 'changing');
    await expect(own.removeOwnSecondFactor(ctx, here.auth, given('000000'))).rejects.toMatchObject({
      status: 409,
    });
    const actions = await test.db.rows<{ action: string }>(sql`/* test.actions */
      select action from matriarch.audit_events
      where target_name = 'changing' and action like 'user.%' and action not like '%create' order by entry`);
    expect(actions.map(({ action }) => action)).toEqual([
      'user.set_second_factor',
      'user.set_recovery_codes',
      'user.remove_second_factor',
    ]);
  });

  it('is taken away by an administrator, which ends the sessions', async () => {
    const here = start();
    const { session } = await enrolled(here, 'helped');
    const user = await requireUser(here.ctx, 'helped');
    await own.removeSecondFactor(here.ctx, user);
    expect(await here.whoIs(session.token)).toBeUndefined();
    await signIn(here, 'helped');
    await expect(own.removeSecondFactor(here.ctx, user)).rejects.toMatchObject({ status: 409 });
  });
});

// The last one: the key of all the others is lost by it.
it('leaves recovery codes, and lets no app in, once the secret key is lost', async () => {
  const here = start();
  const address = addressOf('keyless');
  const { key, recovery } = await enrolled(here, 'keyless');
  rmSync(keyFile);
  await giveUpLostKey(here.ctx, keyFile);
  const after = authProcess(test.db, {
    vault: await openVault({ db: test.db, keyFile, createIfMissing: true }),
    clock: here.clock,
  });
  await expect(signIn(after, 'keyless')).rejects.toMatchObject(refused(CODE_NEEDED));
  await expect(signIn(after, 'keyless', { code: codeOf(here, key) })).rejects.toMatchObject({
    status: 401,
    message: expect.stringContaining('Use a recovery code'),
  });
  const { token } = await signIn(after, 'keyless', { code: recovery[0] });
  const ctx = await as(after, 'keyless', token);
  const app = { address, password: PASSWORD, code: new Secret(codeOf(here, key)) };
  await expect(own.removeOwnSecondFactor(ctx, after.auth, app)).rejects.toMatchObject({ status: 403 });
  const code = new Secret(recovery[1] ?? '');
  await own.removeOwnSecondFactor(ctx, after.auth, { address, password: PASSWORD, code });
  await signIn(after, 'keyless');
});
