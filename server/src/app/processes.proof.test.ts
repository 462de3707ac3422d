// S8, S10, S21: what two real API processes count together, what they write to the log, and what one dies with, the other still has.
// What one ends or grants: processes-known.proof.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyAudit } from '../identity/audit/verify.service.ts';
import { sql } from '../kernel/sql.ts';
import { GOOD_PASSWORD } from '../testing/access/auth.ts';
import { startApiProcess } from '../testing/api-process.ts';
import { ask, known, person, signIn, type TwoProcesses, twoProcesses } from '../testing/two-processes.ts';

let two: TwoProcesses;
beforeAll(async () => {
  two = await twoProcesses();
});
afterAll(() => two.stop());

it('a process writes no line for each request, unless it is told to', async () => {
  const { test, keyFile } = two;
  const level = ['--log-level', 'info'];
  const [quiet, told] = await Promise.all([
    startApiProcess(test, keyFile, level),
    startApiProcess(test, keyFile, [...level, '--log-requests']),
  ]);
  try {
    for (const one of [quiet, told]) expect((await ask(one, 'GET /health')).status).toBe(200);
    await expect.poll(() => told.child.errors()).toContain('"event":"http.request"');
    // Its log is written: what it said at its start stands there.
    expect(quiet.child.errors()).toContain('"event":"app.started"');
    expect(quiet.child.errors()).not.toContain('http.request');
  } finally {
    await Promise.all([quiet.child.kill('SIGKILL'), told.child.kill('SIGKILL')]);
  }
});

it('S10 S21 guesses count together, and both write one chain of the audit log', async () => {
  const { test, first, second } = two;
  const { username, user_id } = await person(test.db);
  const guesses = Array.from({ length: 40 }, (_, n) =>
    signIn(n % 2 === 0 ? first : second, username, `wrong guess ${n}`),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  const limited = (await signIn(second, username, GOOD_PASSWORD)).status;
  // Earlier sign-ins from this address count too, so fewer than ten may be left.
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
  expect(statuses.filter((status) => status === 401 || status === 429)).toHaveLength(40);
  expect(limited).toBe(429);
  const refused = () =>
    test.db.one<{ times: number }>(sql`/* test.refused */
      select coalesce(sum(occurrences), 0)::int as times from matriarch.audit_events
      where action = 'session.create' and outcome = 'refused' and target_id = ${String(user_id)}`);
  const wrong = statuses.filter((status) => status === 401).length;
  // The first of them is written within a second, those that repeat it when the minute is over or the process stops.
  await expect.poll(async () => (await refused()).times).toBeGreaterThan(0);
  await Promise.all([first.child.kill('SIGTERM'), second.child.kill('SIGTERM')]);
  expect((await refused()).times).toBe(wrong);
  expect(await verifyAudit(test.db)).toMatchObject({ broken: undefined });
  const again = () => startApiProcess(test, two.keyFile);
  [two.first, two.second] = await Promise.all([again(), again()]);
});

it('S8 sessions outlive the process that opened them, killed or not', async () => {
  const { test, first, second } = two;
  await test.db.run(sql`/* test.forgive */ truncate matriarch.login_attempts`);
  const { username } = await person(test.db);
  const { session } = await signIn(first, username, GOOD_PASSWORD);
  await first.child.kill('SIGKILL');
  expect(await known(second, session)).toBe(200);
  two.first = await startApiProcess(test, two.keyFile);
  expect(await known(two.first, session)).toBe(200);
});
