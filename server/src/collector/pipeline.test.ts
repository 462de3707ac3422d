// A pipeline against a real server: each statement runs under the timeout that it asks for, which is not set more often
// than it changes, and what we did ourselves meanwhile is not counted as the server's time.
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { sharedServer } from '../testing/servers/postgres.ts';
import { sessionOn } from '../testing/servers/probing.ts';
import { answersOf, runPipeline } from './pipeline.ts';

it('each statement has its timeout, and whoever asks for none has a few seconds at least', async () => {
  const session = await sessionOn(await sharedServer(18));
  onTestFinished(() => session.client.close());
  const text = `select current_setting('statement_timeout') as timeout`;
  const ask = async (...timeouts: (number | undefined)[]) => {
    const statements = timeouts.map((timeoutMs) => ({ text, ...(timeoutMs && { timeoutMs }) }));
    const answers = await runPipeline(session, statements);
    return answers.map((answer) => (answer.kind === 'answered' ? answer.rows[0]?.timeout : answer.kind));
  };
  expect(await ask(undefined, 7000, undefined, 500)).toEqual(['15s', '7s', '7s', '500ms']);
  // What the last one left behind would be too short.
  expect(await ask(undefined, 500)).toEqual(['15s', '500ms']);
  session.timeouts.inForce = undefined;
  expect(await ask(500)).toEqual(['500ms']);
});

it('what keeps us busy ourselves is not taken for the server’s time', async () => {
  const session = await sessionOn(await sharedServer(18));
  onTestFinished(() => session.client.close());
  const busyMs = 300;
  const ask = async (text: string, work: () => void) => {
    const answers = answersOf(session, [{ text }]);
    const first = answers.next();
    // Sent by now, and not answered.
    setImmediate(work);
    const { value } = await first;
    await answers.return(undefined);
    return value?.kind === 'answered' ? value : expect.fail('no answer');
  };
  const spin = () => {
    const until = systemClock.monotonic() + busyMs;
    while (systemClock.monotonic() < until);
  };
  const delayed = await ask('select pg_sleep(0.05)', spin);
  expect(delayed.took_ms).toBeGreaterThanOrEqual(busyMs);
  expect(delayed.took_ms - delayed.server_ms).toBeGreaterThan(busyMs * 0.8);
  const undisturbed = await ask('select pg_sleep(0.2)', () => undefined);
  expect(undisturbed.server_ms).toBeGreaterThanOrEqual(200);
});
