// S10 over HTTP: whoever guesses at an account, from wherever, keeps its owner out neither for a while nor for ever.
// Two processes behind a trusted proxy, which says where each request comes from. Everyday the limits are tried without
// processes of their own, in login-limits.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { makeUser } from '../../testing/access/actors.ts';
import { CHEAP_COST, GOOD_PASSWORD } from '../../testing/access/auth.ts';
import { type ApiProcess, newKeyFile, startApiProcess } from '../../testing/api-process.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { createPasswords } from './passwords.ts';

let test: TestDatabase;
let processes: ApiProcess[];
beforeAll(async () => {
  test = await testDatabase();
  const keyFile = newKeyFile();
  const start = () => startApiProcess(test, keyFile, ['--api-trusted-proxies', '127.0.0.0/8,::1']);
  processes = [await start(), await start()];
}, 120_000);
afterAll(async () => {
  await Promise.all(processes.map(({ child }) => child.kill('SIGKILL')));
  await test.close();
});

let asked = 0;
/** From that address, at the processes in turn. */
async function signIn(username: string, password: string, address: string) {
  asked += 1;
  const { url } = processes[asked % processes.length] ?? { url: '' };
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ username, password }),
  });
  await response.arrayBuffer();
  return { status: response.status, wait: Number(response.headers.get('retry-after') ?? 0) };
}

async function person(): Promise<string> {
  const { user_id, username } = await makeUser(test.db);
  const hash = await createPasswords({ cost: CHEAP_COST }).hash(new Secret(GOOD_PASSWORD));
  await test.db.run(sql`/* test.password */
    update matriarch.users set password_hash = ${hash} where id = ${user_id}`);
  return username;
}

/** How often each status was answered. */
function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const guesses = (username: string, addresses: readonly string[]) =>
  Promise.all(addresses.map((address, index) => signIn(username, `wrong guess ${index}`, address)));
const repeated = (address: string, times: number) => Array.from({ length: times }, () => address);

describe('S10 lock-out', () => {
  it('200 parallel guesses from two networks leave the owner in, at his address and from other networks', async () => {
    const owner = await person();
    expect(await signIn(owner, GOOD_PASSWORD, '198.51.100.7')).toMatchObject({ status: 200 });
    const attackers = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? `198.51.100.${100 + n}` : `203.0.113.${100 + n}`,
    );
    const answers = await guesses(
      owner,
      attackers.flatMap((address) => repeated(address, 10)),
    );
    // Ten of each network were looked at, and the rest was paused.
    expect(tally(answers)).toEqual({ 401: 20, 429: 180 });
    expect(await signIn(owner, GOOD_PASSWORD, '198.51.100.8')).toMatchObject({ status: 429 });
    expect(await signIn(owner, GOOD_PASSWORD, '198.51.100.7')).toMatchObject({ status: 200 });
    expect(await signIn(owner, GOOD_PASSWORD, '192.0.2.44')).toMatchObject({ status: 200 });
  });

  it('an attacker who never stops never pauses the owner, neither from IPv4 nor from IPv6', async () => {
    const owner = await person();
    const home = ['10.1.0.7', '2001:db8:1:1::7'];
    for (const address of home)
      expect(await signIn(owner, GOOD_PASSWORD, address)).toMatchObject({ status: 200 });
    for (let round = 0; round < 3; round += 1) {
      const near = Array.from({ length: 12 }, (_, n) => `10.1.0.${50 + round * 12 + n}`);
      await guesses(owner, near);
      for (const address of home)
        expect(await signIn(owner, GOOD_PASSWORD, address)).toMatchObject({ status: 200 });
      // Signing in has cleared the count of the owner's network, and the guessing goes on.
    }
  });

  it('a refused attempt costs the attacker his address, for every account', async () => {
    const [owner, neighbour] = [await person(), await person()];
    await guesses(
      owner,
      Array.from({ length: 10 }, (_, n) => `10.2.0.${n + 1}`),
    );
    expect(tally(await guesses(owner, repeated('10.2.0.99', 10)))).toEqual({ 429: 10 });
    const { status, wait } = await signIn(neighbour, GOOD_PASSWORD, '10.2.0.99');
    expect(status).toBe(429);
    expect(wait).toBeGreaterThan(600);
    expect(await signIn(neighbour, GOOD_PASSWORD, '10.2.0.98')).toMatchObject({ status: 200 });
    await guesses(owner, repeated('10.2.0.99', 60));
    const { rows } = await test.db.one<{ rows: number }>(sql`/* test.rows */
      select count(*) as rows from matriarch.login_attempts where address = '10.2.0.99'`);
    expect(rows).toBeLessThanOrEqual(20);
  });

  it('who shares an address with an attacker is let in where he signed in before, and has limits of his own', async () => {
    const [owner, neighbour] = [await person(), await person()];
    const shared = '10.3.0.1';
    expect(await signIn(owner, GOOD_PASSWORD, shared)).toMatchObject({ status: 200 });
    expect(tally(await guesses('nobody-here', repeated(shared, 15)))).toEqual({ 401: 10, 429: 5 });
    expect(await signIn(neighbour, GOOD_PASSWORD, shared)).toMatchObject({ status: 429 });
    expect(await signIn(owner, GOOD_PASSWORD, shared)).toMatchObject({ status: 200 });
    expect(tally(await guesses(owner, repeated(shared, 15)))).toEqual({ 401: 10, 429: 5 });
    expect(await signIn(owner, GOOD_PASSWORD, shared)).toMatchObject({ status: 429 });
  });

  it('an address is known for 30 days, of the account that signed in there and of no other', async () => {
    const [owner, neighbour] = [await person(), await person()];
    const [home, old] = ['10.4.0.1', '10.5.0.1'];
    expect(await signIn(owner, GOOD_PASSWORD, home)).toMatchObject({ status: 200 });
    expect(await signIn(owner, GOOD_PASSWORD, old)).toMatchObject({ status: 200 });
    await test.db.run(sql`/* test.age */
      update matriarch.sign_in_addresses set signed_in_at = signed_in_at - interval '30 days' where address = ${old}`);
    for (const network of ['10.4.0', '10.5.0'])
      for (const username of [owner, neighbour])
        await guesses(
          username,
          Array.from({ length: 10 }, (_, n) => `${network}.${100 + n}`),
        );
    expect(await signIn(neighbour, GOOD_PASSWORD, home)).toMatchObject({ status: 429 });
    expect(await signIn(owner, GOOD_PASSWORD, old)).toMatchObject({ status: 429 });
    expect(await signIn(owner, GOOD_PASSWORD, home)).toMatchObject({ status: 200 });
  });
});
