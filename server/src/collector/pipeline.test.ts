// A pipeline against a real server: each statement runs under the timeout that it asks for, which is not set more often
// than it changes.
import { expect, it, onTestFinished } from 'vitest';
import { sharedServer } from '../testing/servers/postgres.ts';
import { sessionOn } from '../testing/servers/probing.ts';
import { runPipeline } from './pipeline.ts';

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
