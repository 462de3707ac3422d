// The chat without a model: questions that rules answer, on a server that is there, and what it says to all else.
import { expect, it } from 'vitest';
import { chatTests, dataOf, textOf } from '../../testing/llm/chat-tests.ts';

const chat = chatTests({ isModel: false });

it('answers a question that rules answer, with its step, and says that no model did', async () => {
  const scope = { kind: 'server', id: chat.connection_id };
  const frames = await chat.ask({ message: 'Tell me: who blocks whom?', scope });
  expect(dataOf(frames, 'run')).toMatchObject([{ is_model: false, model: null }]);
  expect(dataOf(frames, 'step')).toMatchObject([
    {
      tool: 'who_blocks_whom',
      state: 'done',
      link: expect.stringContaining(`/servers/${chat.connection_id}`),
    },
  ]);
  expect(textOf(frames)).not.toBe('');
  const figures = dataOf(frames, 'evidence').flatMap(({ figures: all }) => all);
  expect(figures.filter((figure) => !Object(figure).is_proven)).toEqual([]);
  expect(dataOf(frames, 'done')).toMatchObject([{ stop_reason: 'end_turn', usage: { total_tokens: 0 } }]);
});

it('says kindly what it can answer', async () => {
  const text = textOf(await chat.ask({ message: 'Write me a poem.' }));
  expect(text).toContain('No language model is configured');
  expect(text).toContain('Who blocks whom?');
});

it('lists its questions, and hides servers that one cannot see', async () => {
  const path = 'GET /api/v1/chat/questions';
  const all = Object(await (await chat.request(path)).json());
  expect(all).toMatchObject({ is_model: false, findings: [] });
  expect(all.questions).toHaveLength(5);
  const token = chat.test.actors.other.session;
  const hidden = `${path}?scope_kind=server&scope_id=${chat.connection_id}`;
  expect((await chat.request(hidden, { token })).status).toBe(404);
  expect((await chat.request(hidden)).status).toBe(200);
  expect((await chat.request(`${path}?scope_kind=server`)).status).toBe(400);
});
