// The chat where the model looks again and again, or its provider fails. All else of a run is in chat-runs.test.ts.
import { expect, it } from 'vitest';
import { chatTests, dataOf } from '../../testing/llm/chat-tests.ts';

const chat = chatTests();

it('an answer ends with a sentence when the turns are used up, or the provider fails', async () => {
  chat.script(chat.select('select 1'));
  const endless = await chat.ask({
    message: 'Go on for ever.',
    scope: { kind: 'server', id: chat.connection_id },
  });
  expect(dataOf(endless, 'error')).toMatchObject([{ code: 'turns_used_up' }]);
  expect(endless.at(-1)?.data).toMatchObject({ stop_reason: 'budget' });
  chat.mock.failAlways('generate', { kind: 'status', status: 400 });
  const failed = await chat.ask({ message: 'Hello?' });
  expect(dataOf(failed, 'error')).toMatchObject([
    { code: 'provider', error: expect.stringContaining('Anthropic') },
  ]);
  expect(JSON.stringify(failed)).not.toContain('provider-own-text');
});
