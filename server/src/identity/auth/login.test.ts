import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { authProcess, CHEAP_COST, changedMeanwhile, GOOD_PASSWORD } from '../../testing/access/auth.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { createPasswords } from './passwords.ts';
import { endSession } from './sessions.service.ts';
import { tokenHash } from './tokens.ts';
import { createUser, setPassword } from './users.service.ts';

const REFUSED = 'The user name or password is not right.';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

describe('login', () => {
  it('opens a session of 24 hours that is stored hashed and survives a restart', async () => {
    const before = authProcess(test.db);
    await before.person('restart');
    const session = await before.signIn('ReStart', GOOD_PASSWORD);
    expect(session.token.reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Date.parse(session.expires_at)).toBe(before.clock.now() + 24 * 3_600_000);

    const other = new Database({ url: test.url, log: silentLog, applicationName: 'second process' });
    expect(await authProcess(other).whoIs(session.token)).toBe('restart');
    await endSession(authProcess(other).ctx, session.token.reveal());
    await other.stop();
    expect(await before.whoIs(session.token)).toBeUndefined();
  });

  it('answers the same words for the same work, whatever is wrong', async () => {
    const here = authProcess(test.db);
    await here.person('known');
    await here.person('disabled');
    await test.db.run(
      sql`/* test.disable */ update matriarch.users set enabled = false where username = 'disabled'`,
    );
    const service = { username: 'robot', password: undefined, is_superuser: false, is_service_account: true };
    await createUser(here.ctx, here.auth.passwords, service);
    await createUser(here.ctx, here.auth.passwords, {
      ...service,
      username: 'linked',
      is_service_account: false,
    });

    const cases = [
      'known',
      'nobody',
      'disabled',
      'robot',
      'linked',
      'odd \0 name',
      "'; drop table users",
      '🐘',
    ];
    for (const username of cases) {
      const hashed = here.hashes();
      const right = username === 'known' ? 'not the password' : GOOD_PASSWORD;
      await expect(here.signIn(username, right)).rejects.toMatchObject({ status: 401, message: REFUSED });
      expect(here.hashes() - hashed).toBe(1);
    }
    expect(await here.signIn('known', GOOD_PASSWORD)).toBeDefined();
  });

  it('keeps the ten newest sessions of a user', async () => {
    const here = authProcess(test.db);
    await here.person('many');
    const sessions = [];
    for (let count = 0; count < 12; count += 1) {
      sessions.push(await here.signIn('many', GOOD_PASSWORD));
      here.clock.advance(1000);
    }
    const alive = await Promise.all(sessions.map(({ token }) => here.whoIs(token)));
    expect(alive.map((name) => name === 'many')).toEqual([false, false, ...Array(10).fill(true)]);
  });

  it('never leaves more than ten when many sign in at once', async () => {
    const here = authProcess(test.db);
    const id = await here.person('crowd');
    for (let round = 0; round < 4; round += 1)
      await Promise.all(
        [1, 2, 3, 4, 5].map((part) => here.signIn('crowd', GOOD_PASSWORD, `198.51.${round}.${part}`)),
      );
    const { sessions } = await test.db.one<{ sessions: number }>(
      sql`/* test.count */ select count(*) as sessions from matriarch.sessions where user_id = ${id}`,
    );
    expect(sessions).toBe(10);
  });

  it('stores a hash with new parameters at the next login', async () => {
    const here = authProcess(test.db);
    const id = await here.person('outdated');
    const stored = () =>
      test.db.one<{ password_hash: string }>(
        sql`/* test.hash */ select password_hash from matriarch.users where id = ${id}`,
      );
    const older = await createPasswords({ cost: { ...CHEAP_COST, memory_kib: 32 } }).hash(
      new Secret(GOOD_PASSWORD),
    );
    await test.db.run(
      sql`/* test.old */ update matriarch.users set password_hash = ${older} where id = ${id}`,
    );
    await here.signIn('outdated', GOOD_PASSWORD);
    expect((await stored()).password_hash).toContain('m=64,t=1,p=1');
    const after = (await stored()).password_hash;
    await here.signIn('outdated', GOOD_PASSWORD);
    expect((await stored()).password_hash).toBe(after);
  });

  it('opens nothing for an account that is disabled while its password is being compared', async () => {
    const here = authProcess(test.db);
    const id = await here.person('racing');
    const change = sql`/* test.disable */ update matriarch.users set enabled = false where id = ${id}`;
    const outcome = await changedMeanwhile(test, { change, waiting: 1 }, () =>
      here.signIn('racing', GOOD_PASSWORD).then(
        () => 'signed in',
        (error: unknown) => (error instanceof Error ? error.message : 'odd'),
      ),
    );
    expect(outcome).toBe(REFUSED);
  });

  it('ends all sessions when somebody sets the password', async () => {
    const here = authProcess(test.db);
    await here.person('reset');
    const session = await here.signIn('reset', GOOD_PASSWORD);
    const password = new Secret('lantern orbit staple');
    await setPassword(here.ctx, here.auth.passwords, { username: 'RESET', password });
    expect(await here.whoIs(session.token)).toBeUndefined();
    await expect(here.signIn('reset', GOOD_PASSWORD)).rejects.toThrow(REFUSED);
    expect(await here.signIn('reset', 'lantern orbit staple')).toBeDefined();
  });
});

describe('secrets', () => {
  it('stand neither in the log nor in the datastore', async () => {
    const here = authProcess(test.db);
    await here.person('canary');
    const session = await here.signIn('canary', GOOD_PASSWORD);
    const canary = 'canary-fj2m-kx81-wrong';
    await expect(here.signIn('canary', canary)).rejects.toThrow();
    await expect(here.signIn(canary, GOOD_PASSWORD)).rejects.toThrow();

    const stored = await test.db.rows<{ row: string }>(sql`/* test.dump */
      select u::text as row from matriarch.users u
      union all select s::text from matriarch.sessions s
      union all select a::text from matriarch.login_attempts a`);
    const dump = stored.map(({ row }) => row).join('\n');
    for (const secret of [session.token.reveal(), GOOD_PASSWORD, canary]) {
      expect(here.logged()).not.toContain(secret);
      expect(dump).not.toContain(secret);
    }
    expect(dump).toContain(tokenHash(session.token).toString('hex'));
    expect(here.logged()).toContain('auth.signed_in');
    expect(here.logged()).toContain('auth.login_failed');
  });
});
