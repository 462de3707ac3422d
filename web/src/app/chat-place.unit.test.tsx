// Where the chat is opened from: key, button, and parts of pages that ask about themselves; not at all for who sees no server.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Events, startApi } from '../testing/api.ts';
import { EVERYWHERE } from '../testing/estate.ts';
import { show } from '../testing/show.tsx';
import { useAskAbout } from '../ui/ask-about.ts';
import { ChatButton, ChatPlace } from './chat-place.tsx';

const QUESTION = { message: 'Explain this alert.', about: { kind: 'alert', alert_id: 7 } };
const RUN = { type: 'run', run_id: 'run_1', conversation_id: 'conv_1', model: 'm', is_model: true };
const DONE = {
  ...{ type: 'done', stop_reason: 'end_turn', took_ms: 5 },
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};
const ANSWERED = new Events(
  [RUN, { type: 'text', delta: 'It waits.' }, DONE].map((data, index) => ({
    ...{ id: `run_1:${index + 1}`, event: data.type, data },
  })),
);

function Explain() {
  const ask = useAskAbout();
  return (
    <>
      <p>The page</p>
      {ask ? (
        <button type="button" onClick={() => ask(QUESTION)}>
          Explain this
        </button>
      ) : null}
    </>
  );
}

const place = (at: string) =>
  show(
    <ChatPlace>
      <ChatButton />
      <Explain />
    </ChatPlace>,
    { at },
  );

const ANSWERS = {
  ...EVERYWHERE,
  startChatRun: ANSWERED,
  listChatQuestions: { is_model: true, questions: [], findings: [] },
};
const asked = (api: Awaited<ReturnType<typeof startApi>>) =>
  api.sent.filter(({ operation }) => operation === 'startChatRun').map(({ body }) => body);

it('asks about a part of the page at once, in its scope and time, as often as somebody wants', async () => {
  const api = await startApi(ANSWERS);
  const { user } = place('/servers/1?from=2026-11-22T10:00:00Z&to=2026-11-22T11:00:00Z');
  await user.click(await screen.findByRole('button', { name: 'Explain this' }));
  await screen.findByText('It waits.');
  const sent = {
    ...QUESTION,
    scope: { kind: 'server', id: 1 },
    time: { start: '2026-11-22T10:00:00.000Z', end: '2026-11-22T11:00:00.000Z' },
    page: '/servers/1?from=2026-11-22T10:00:00Z&to=2026-11-22T11:00:00Z',
  };
  expect(asked(api)).toEqual([sent]);
  await user.click(screen.getByRole('button', { name: 'Explain this' }));
  await expect.poll(() => asked(api).length).toBe(2);
  expect(asked(api)[1]).toEqual({ ...sent, conversation_id: 'conv_1' });
});

it('opens by key and gives the cursor back to where it was', async () => {
  await startApi(ANSWERS);
  const { user } = place('/');
  const explain = await screen.findByRole('button', { name: 'Explain this' });
  explain.focus();
  await user.keyboard('{Control>}j{/Control}');
  const field = await screen.findByRole('textbox', { name: 'Question' });
  expect(document.activeElement).toBe(field);
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('complementary', { name: 'Chat' })).toBeNull();
  expect(document.activeElement).toBe(explain);
});

it('gives the cursor back to the page also where it was asked for from within the chat', async () => {
  await startApi(ANSWERS);
  const { user } = place('/');
  const explain = await screen.findByRole('button', { name: 'Explain this' });
  explain.focus();
  await user.keyboard('{Control>}j{/Control}');
  const field = await screen.findByRole('textbox', { name: 'Question' });
  expect(document.activeElement).toBe(field);
  await user.keyboard('{Control>}j{/Control}{Escape}');
  await expect.poll(() => screen.queryByRole('complementary', { name: 'Chat' })).toBeNull();
  expect(document.activeElement).toBe(explain);
});

it('is not there for who sees no server', async () => {
  const api = await startApi({
    ...ANSWERS,
    getEstate: { generated_at: '2026-11-22T12:00:00.000Z', servers: [] },
  });
  const { user } = place('/');
  await expect.poll(() => api.sent.some(({ operation }) => operation === 'getEstate')).toBe(true);
  await screen.findByText('The page');
  await user.keyboard('{Control>}j{/Control}');
  expect(screen.queryByRole('button')).toBeNull();
  expect(screen.queryByRole('complementary')).toBeNull();
  expect(api.sent.some(({ path }) => path.includes('/chat'))).toBe(false);
});
