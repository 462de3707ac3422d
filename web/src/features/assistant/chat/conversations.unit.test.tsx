// Conversations of the panel: found by words, opened with what was said, renamed and deleted in their place, open again after a
// reload, also while an answer is still written.
import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import {
  answered,
  asked,
  begun,
  conversation,
  ended,
  openRun,
  replied,
  said,
  summary,
} from '../../../testing/chat-runs.ts';
import { show } from '../../../testing/show.tsx';
import { ChatPanel } from './chat-panel.tsx';

const STEP = {
  ...{ type: 'step', number: 1, tool: 'get_locks', arguments: { connection_id: 1 }, state: 'done' },
  ...{ took_ms: 12, rows: 2, summary: 'Two wait.', source: 'Locks of 12:00.', link: '/servers/1?tab=locks' },
};
const FIGURE = { text: '2', start: 12, end: 13, is_proven: true, step: 1, link: '/servers/1?tab=locks' };
const KEPT = conversation('Who waits?', [
  asked('Who waits?'),
  replied('It holds up 2 others.', { activity: [STEP, { type: 'step' }], evidence: [FIGURE, null] }),
]);
const ANSWERS: Answers = {
  listChatQuestions: { is_model: true, questions: [], findings: [] },
  listConversations: {
    conversations: [summary('conv_1', 'Who waits?'), summary('conv_2', 'Slow orders', 'Why is it slow?')],
  },
  getConversation: KEPT,
};

const panel = () => show(<ChatPanel opened onClose={() => {}} />, { at: '/' });
const list = () => screen.findByRole('region', { name: 'Conversations' });
const open = async () => {
  const shown = panel();
  await shown.user.click(screen.getByRole('button', { name: 'Conversations' }));
  return { ...shown, list: await list() };
};

it('opens a conversation with its steps and evidence, and asks on in it', async () => {
  const api = await startApi({ ...ANSWERS, startChatRun: answered(2, 'Since 9.') });
  const { user } = await open();
  await user.click(await screen.findByRole('button', { name: /^Who waits\?/ }));
  expect((await screen.findByRole('link', { name: '2' })).getAttribute('href')).toBe('/servers/1?tab=locks');
  expect(within(screen.getByRole('group')).getByText(/12 ms · 2 rows/)).toBeTruthy();
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'Since when?{Enter}');
  await screen.findByText('Since 9.');
  expect(api.sent.find(({ operation }) => operation === 'startChatRun')?.body).toMatchObject({
    conversation_id: 'conv_1',
    message: 'Since when?',
  });
});

it('finds by words', async () => {
  const api = await startApi({
    ...ANSWERS,
    listConversations: ({ path }) => ({
      conversations: path.includes('search=orders') ? [summary('conv_2', 'Slow orders')] : [],
    }),
  });
  const { user } = await open();
  await screen.findByText('What you ask is kept here.');
  await user.type(screen.getByRole('searchbox', { name: 'Search conversations' }), 'orders');
  await screen.findByRole('button', { name: /^Slow orders/ });
  const { path } = api.sent.findLast(({ operation }) => operation === 'listConversations') ?? {};
  expect(path).toBe('/api/v1/conversations?limit=50&search=orders');
});

it('renames in place, by keyboard', async () => {
  const api = await startApi({ ...ANSWERS, renameConversation: new Refusal(400, 'That title is too long.') });
  const { user } = await open();
  await user.click(await screen.findByRole('button', { name: 'Rename Slow orders' }));
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'New title of Slow orders' });
  await user.clear(field);
  await user.type(field, 'The slow Sunday{Enter}');
  await screen.findByText('That title is too long.');
  expect(field.value).toBe('The slow Sunday');
  api.answer({
    renameConversation: { success: true },
    listConversations: { conversations: [summary('conv_2', 'The slow Sunday')] },
  });
  await user.type(field, '{Enter}');
  await screen.findByRole('button', { name: /^The slow Sunday/ });
  expect(api.sent.findLast(({ operation }) => operation === 'renameConversation')).toMatchObject({
    path: '/api/v1/conversations/conv_2',
    body: { title: 'The slow Sunday' },
  });
});

it('deletes after a question, and nothing of what was deleted stays open', async () => {
  const api = await startApi({ ...ANSWERS, deleteConversation: { success: true } });
  const { user } = await open();
  await user.click(await screen.findByRole('button', { name: /^Who waits\?/ }));
  await screen.findByText(/It holds up/);
  await user.click(screen.getByRole('button', { name: 'Conversations' }));
  await user.click(await screen.findByRole('button', { name: 'Delete Who waits?' }));
  await user.click(screen.getByRole('button', { name: 'Keep' }));
  expect(api.sent.some(({ operation }) => operation === 'deleteConversation')).toBe(false);
  await user.click(screen.getByRole('button', { name: 'Delete Who waits?' }));
  api.answer({ listConversations: { conversations: [] } });
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await screen.findByText('What you ask is kept here.');
  await user.click(screen.getByRole('button', { name: 'Conversations' }));
  expect(screen.queryByText(/It holds up/)).toBeNull();
});

it('opens again what was open before a reload', async () => {
  await startApi({ ...ANSWERS, startChatRun: answered(1, 'One.') });
  const { user, unmount } = panel();
  await user.type(await screen.findByRole('textbox', { name: 'Question' }), 'Who waits?{Enter}');
  await screen.findByText('One.');
  unmount();
  panel();
  await screen.findByText(/It holds up/);
});

it('follows a run that is still going after a reload, from its beginning', async () => {
  const api = await startApi({
    ...ANSWERS,
    startChatRun: openRun(1, begun(1), said('It ')),
    getConversation: conversation('Who waits?', [asked('Who waits?')]),
  });
  const { user, unmount } = panel();
  await user.type(await screen.findByRole('textbox', { name: 'Question' }), 'Who waits?{Enter}');
  await screen.findByText('It');
  unmount();
  api.answer({ followChatRun: ended(1, 'It waits for 4711.', 2), startChatRun: answered(2, 'Since 9.') });
  const again = panel();
  await screen.findByText('It waits for 4711.');
  expect(api.sent.at(-1)?.path).toBe('/api/v1/chat/runs/run_1/events?after=0');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull());
  await again.user.type(screen.getByRole('textbox', { name: 'Question' }), 'Since when?{Enter}');
  await screen.findByText('Since 9.');
});

it('begins anew where what was open is gone', async () => {
  await startApi({
    ...ANSWERS,
    listChatQuestions: {
      is_model: false,
      questions: [{ question: 'what_is_wrong', asked: 'What is wrong?', says: 'Problems.', hours: 1 }],
      findings: [],
    },
    getConversation: new Refusal(404, 'There is no such conversation.'),
  });
  sessionStorage.setItem('matriarch-chat-conversation', 'conv_9');
  panel();
  await screen.findByRole('button', { name: 'What is wrong?' });
  expect(screen.queryByRole('alert')).toBeNull();
});

it('takes nothing of a foreign shape from a conversation that another client wrote', async () => {
  const foreign = [
    asked('One?'),
    { role: 'tool' as const, content: [{ type: 'tool_result' }] },
    replied('First.', { activity: [{}, { number: 'x' }], evidence: 'all', statements: [{ sql: 1 }] }),
    { role: 'assistant' as const, content: [{ type: 'text', text: 'Second.' }, { type: 'image' }] },
    { role: 'user' as const, content: [{ type: 'text', text: 'Two?' }] },
  ];
  await startApi({ ...ANSWERS, getConversation: conversation('One?', foreign) });
  const { user } = await open();
  await user.click(await screen.findByRole('button', { name: /^Who waits\?/ }));
  await screen.findByRole('heading', { name: 'Two?' });
  expect(screen.getByText('First.')).toBeTruthy();
  expect(screen.getByText('Second.')).toBeTruthy();
  expect(screen.queryByRole('group')).toBeNull();
});
