// Questions that are asked again in other words, and questions that were refused: no text is lost.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { answered, asked, conversation, replied } from '../../../testing/chat-runs.ts';
import { show } from '../../../testing/show.tsx';
import { ChatPanel } from './chat-panel.tsx';

const ANSWERS: Answers = {
  listChatQuestions: { is_model: true, questions: [], findings: [] },
  getConversation: conversation('One?', [
    asked('One?'),
    replied('First.'),
    asked('Two?'),
    replied('Second.'),
  ]),
};

const resumed = async (answers: Answers) => {
  sessionStorage.setItem('matriarch-chat-conversation', 'conv_1');
  const api = await startApi({ ...ANSWERS, ...answers });
  const shown = show(<ChatPanel opened onClose={() => {}} />, { at: '/' });
  await screen.findByText('Second.');
  const edit = async (name: string) => {
    const all = screen.getAllByRole('heading', { level: 3 }).map((one) => one.textContent);
    const button = screen.getAllByRole('button', { name: 'Edit the question' })[all.indexOf(name)];
    if (button) await shown.user.click(button);
    return screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Question in other words' });
  };
  return { ...shown, api, edit };
};

const bodies = (api: Awaited<ReturnType<typeof startApi>>) =>
  api.sent.filter(({ operation }) => operation === 'startChatRun').map(({ body }) => body);

it('asks again from a question on; what was said after it goes, and the next question goes on from there', async () => {
  const { api, user, edit } = await resumed({ startChatRun: answered(3, 'Other.') });
  const field = await edit('One?');
  expect(field.value).toBe('One?');
  await user.clear(field);
  await user.type(field, 'One, by now?{Enter}');
  await screen.findByText('Other.');
  expect(screen.queryByText('Second.')).toBeNull();
  expect(screen.queryByText('First.')).toBeNull();
  expect(bodies(api)).toMatchObject([{ conversation_id: 'conv_1', edit_from: 0, message: 'One, by now?' }]);
  const again = await edit('One, by now?');
  await user.type(again, '{Enter}');
  await expect.poll(() => bodies(api).length).toBe(2);
  expect(bodies(api)[1]).toMatchObject({ edit_from: 0 });
  await screen.findByRole('button', { name: 'Ask' });
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'And then?{Enter}');
  await screen.findByRole('heading', { name: 'And then?' });
  await screen.findByRole('button', { name: 'Ask' });
  await edit('And then?');
  await user.keyboard('{Enter}');
  await expect.poll(() => bodies(api).at(-1)).toMatchObject({ edit_from: 2, message: 'And then?' });
});

it('keeps everything where asking again is refused', async () => {
  const refused = new Refusal(409, 'A question of this conversation is being answered.');
  const { user, edit } = await resumed({ startChatRun: refused });
  const field = await edit('Two?');
  await user.type(field, ' Really?{Enter}');
  await screen.findByText('A question of this conversation is being answered.');
  expect(field.value).toBe('Two? Really?');
  expect(screen.getByText('First.')).toBeTruthy();
  expect(screen.getByText('Second.')).toBeTruthy();
  await user.keyboard('{Escape}');
  await screen.findByRole('heading', { name: 'Two?' });
});

it('gives a question back that was refused, with the reason', async () => {
  const refused = new Refusal(429, 'As many questions as may be are being answered.');
  const { user } = await resumed({ startChatRun: refused });
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Question' });
  await user.type(field, 'Three?{Enter}');
  await screen.findByText('As many questions as may be are being answered.');
  expect(field.value).toBe('Three?');
  expect(screen.queryByRole('heading', { name: 'Three?' })).toBeNull();
  expect(screen.getByText('Second.')).toBeTruthy();
});

it('keeps what a refused question was about, until somebody leaves it out', async () => {
  const refused = new Refusal(429, 'Wait for one of them.');
  const api = await startApi({ ...ANSWERS, startChatRun: refused });
  const wanted = { message: 'Explain this alert.', about: { kind: 'alert', alert_id: 7 } };
  const { user } = show(<ChatPanel opened onClose={() => {}} wanted={wanted} />, { at: '/' });
  await screen.findByText('Wait for one of them.');
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Question' });
  expect(field.value).toBe('Explain this alert.');
  await user.type(field, '{Enter}');
  await expect.poll(() => bodies(api).length).toBe(2);
  expect(bodies(api)[1]).toMatchObject(wanted);
  await user.click(await screen.findByRole('button', { name: 'Leave out the alert that it was about' }));
  await user.type(field, '{Enter}');
  await expect.poll(() => bodies(api).length).toBe(3);
  expect(bodies(api)[2]).not.toHaveProperty('about');
});
