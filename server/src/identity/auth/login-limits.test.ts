import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { authProcess, GOOD_PASSWORD, tally } from '../../testing/access/auth.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { cleanLoginAttempts } from './login-attempts.service.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

const waitOf = (error: unknown) => (error instanceof Fault ? error.retryAfterSeconds : undefined);
const fail = (attempt: Promise<unknown>) =>
  attempt.then(
    () => ({ status: 200, wait: undefined }),
    (error: unknown) => ({ status: error instanceof Fault ? error.status : 500, wait: waitOf(error) }),
  );

describe('S10 brute force', () => {
  it('lets 10 of 200 parallel guesses through, over two processes, and the owner in afterwards', async () => {
    const first = authProcess(test.db);
    const second = new Database({ url: test.url, log: silentLog, applicationName: 'second process' });
    const other = authProcess(second, { clock: first.clock });
    await first.person('owner');
    await first.person('neighbour');

    const guesses = Array.from({ length: 200 }, (_, index) =>
      (index % 2 === 0 ? first : other).signIn('owner', `wrong guess ${index}`, '203.0.113.9'),
    );
    const outcomes = await Promise.allSettled(guesses);
    await second.stop();
    expect(tally(outcomes)).toEqual({ 401: 10, 429: 190 });
    expect(first.hashes() + other.hashes()).toBe(10 + 2);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected' && waitOf(outcome.reason) !== undefined)
        expect(waitOf(outcome.reason)).toBe(900);

    expect(await first.signIn('neighbour', GOOD_PASSWORD, '198.51.100.1')).toBeDefined();
    expect(await first.signIn('owner', GOOD_PASSWORD, '198.51.100.1')).toBeDefined();
    expect(await fail(first.signIn('owner', GOOD_PASSWORD, '203.0.113.10'))).toEqual({
      status: 429,
      wait: 60,
    });
    first.clock.advance(60_000);
    expect(await first.signIn('owner', GOOD_PASSWORD, '203.0.113.10')).toBeDefined();
    expect(await fail(first.signIn('owner', GOOD_PASSWORD, '203.0.113.9'))).toEqual({
      status: 429,
      wait: 840,
    });
    first.clock.advance(840_000);
    expect(await first.signIn('owner', GOOD_PASSWORD, '203.0.113.9')).toBeDefined();
    const { enabled } = await test.db.one<{ enabled: boolean }>(
      sql`/* test.enabled */ select enabled from matriarch.users where username = 'owner'`,
    );
    expect(enabled).toBe(true);
  });

  it('allows 20 attempts a minute from one address, right ones too', async () => {
    const here = authProcess(test.db);
    await here.person('busy');
    for (let count = 0; count < 20; count += 1) {
      expect(await here.signIn('busy', GOOD_PASSWORD, '203.0.113.20')).toBeDefined();
      here.clock.advance(1000);
    }
    expect(await fail(here.signIn('busy', GOOD_PASSWORD, '203.0.113.20'))).toEqual({ status: 429, wait: 40 });
    expect(await here.signIn('busy', GOOD_PASSWORD, '203.0.113.21')).toBeDefined();
    here.clock.advance(40_000);
    expect(await here.signIn('busy', GOOD_PASSWORD, '203.0.113.20')).toBeDefined();
  });

  it('counts an IPv6 network as one address', async () => {
    const here = authProcess(test.db);
    const guesses = Array.from({ length: 15 }, (_, index) =>
      here.signIn(`visitor-${index}`, 'wrong guess', `2001:db8:0:9::${index + 1}`),
    );
    expect(tally(await Promise.allSettled(guesses))).toEqual({ 401: 10, 429: 5 });
    expect(await fail(here.signIn('visitor-1', 'wrong guess', '2001:db8:0:a::1'))).toMatchObject({
      status: 401,
    });
  });

  it.each(['paused', 'no-such-account'])(
    'pauses the account %s from the tenth failure in a row on, known or not',
    async (username) => {
      const here = authProcess(test.db);
      if (username === 'paused') await here.person(username);
      let part = 0;
      const guess = () => {
        part += 1;
        return fail(here.signIn(username, 'wrong guess', `10.${username.length}.0.${part}`));
      };
      for (let count = 0; count < 10; count += 1) expect(await guess()).toMatchObject({ status: 401 });
      for (const seconds of [60, 120, 240, 480, 900, 900]) {
        expect(await guess()).toEqual({ status: 429, wait: seconds });
        here.clock.advance(seconds * 1000);
        expect(await guess()).toMatchObject({ status: 401 });
      }
    },
  );

  it('counts failures in a row: a success starts anew', async () => {
    const here = authProcess(test.db);
    await here.person('forgetful');
    let part = 0;
    const attempt = (password: string) => {
      part += 1;
      return fail(here.signIn('forgetful', password, `10.200.0.${part}`));
    };
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 9; count += 1)
        expect(await attempt('wrong guess')).toMatchObject({ status: 401 });
      expect(await attempt(GOOD_PASSWORD)).toMatchObject({ status: 200 });
    }
  });

  it('lets a known address through a pause that others caused, one attempt at a time over two processes', async () => {
    const first = authProcess(test.db);
    const processes = [first, authProcess(test.db, { clock: first.clock })];
    const [home, near] = ['10.202.0.1', (n: number) => `10.202.0.${100 + n}`];
    await first.person('known-here');
    await first.signIn('known-here', GOOD_PASSWORD, home);
    for (let n = 0; n < 10; n += 1) await fail(first.signIn('known-here', 'wrong guess', near(n)));
    let running = 0;
    let most = 0;
    for (const { auth } of processes) {
      const { passwords } = auth;
      const verify: typeof passwords.verify = async (...claim) => {
        running += 1;
        most = Math.max(most, running);
        return passwords.verify(...claim).finally(() => (running -= 1));
      };
      auth.passwords = { ...passwords, verify };
    }
    const guesses = Array.from({ length: 9 }, (_, n) =>
      processes[n % 2]?.signIn('known-here', `wrong guess ${n}`, home),
    );
    expect(tally(await Promise.allSettled(guesses))).toEqual({ 401: 9 });
    expect(most).toBe(1);
    expect(await first.signIn('known-here', GOOD_PASSWORD, home)).toBeDefined();
  });

  it('forgets addresses after a day and accounts after thirty', async () => {
    const here = authProcess(test.db);
    const count = async () =>
      (
        await test.db.one<{ rows: number }>(
          sql`/* test.count */ select count(*) as rows from matriarch.login_attempts`,
        )
      ).rows;
    await test.db.run(sql`/* test.empty */ delete from matriarch.login_attempts`);
    await fail(here.signIn('someone', 'wrong guess', '10.201.0.1'));
    expect(await count()).toBe(3);
    here.clock.advance(23 * 3_600_000);
    await cleanLoginAttempts(here.ctx);
    expect(await count()).toBe(3);
    here.clock.advance(2 * 3_600_000);
    await cleanLoginAttempts(here.ctx);
    expect(await count()).toBe(1);
    here.clock.advance(30 * 24 * 3_600_000);
    await cleanLoginAttempts(here.ctx);
    expect(await count()).toBe(0);
  });
});
