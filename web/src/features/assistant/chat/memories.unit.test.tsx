// Memories of the panel: found, added with the rights of the tool, pinned and forgotten by those who may.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { answered } from '../../../testing/chat-runs.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { ChatPanel } from './chat-panel.tsx';

const AT = { created_at: '2026-11-22T12:00:00.000Z', updated_at: '2026-11-22T12:00:00.000Z' };
const memory = (id: number, content: string, scope: 'user' | 'system' = 'user') => ({
  ...{ id, username: 'anna', scope, category: 'schedule', content, pinned: false, model_name: '' },
  ...AT,
});
const BATCH = memory(1, 'The batch runs at 02:00.');
const UTC = memory(2, 'Reports in UTC.', 'system');
const TOOL = { name: 'store_memory', description: '', inputSchema: { type: 'object', properties: {} } };
const ANSWERS: Answers = {
  getUserInfo: { ...ADMIN, is_superuser: false, admin_permissions: [] },
  listChatQuestions: { is_model: true, questions: [], findings: [] },
  listMcpTools: { tools: [TOOL] },
  listMemories: { memories: [BATCH, UTC] },
};

async function open(answers: Answers = {}) {
  const api = await startApi({ ...ANSWERS, ...answers });
  const shown = show(<ChatPanel opened onClose={() => {}} />, { at: '/' });
  await shown.user.click(screen.getByRole('button', { name: 'Memories' }));
  await screen.findByRole('region', { name: 'Memories' });
  return { ...shown, api };
}

it('finds by words, pins, and forgets after a question', async () => {
  const { user, api } = await open({
    pinMemory: { id: 1, pinned: true },
    deleteMemory: { status: 'deleted' },
  });
  await screen.findByText('Reports in UTC.');
  await user.type(screen.getByRole('searchbox', { name: 'Search memories' }), '02:00 schedule');
  expect(screen.queryByText('Reports in UTC.')).toBeNull();
  api.answer({ listMemories: { memories: [{ ...BATCH, pinned: true }, UTC] } });
  await user.click(screen.getByRole('button', { name: 'Pin The batch runs at 02:00.' }));
  await screen.findByText(/^Pinned/);
  expect(api.sent.findLast(({ operation }) => operation === 'pinMemory')).toMatchObject({
    path: '/api/v1/memories/1',
    body: { pinned: true },
  });
  await user.click(screen.getByRole('button', { name: 'Delete The batch runs at 02:00.' }));
  const question = within(screen.getByRole('alertdialog'));
  expect(api.sent.some(({ operation }) => operation === 'deleteMemory')).toBe(false);
  api.answer({ listMemories: { memories: [UTC] } });
  await user.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('None of them holds these words.');
});

it('leaves what is for everybody to those who may change it', async () => {
  const { unmount, api } = await open();
  await screen.findByText('Reports in UTC.');
  expect(screen.queryByRole('button', { name: 'Pin Reports in UTC.' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Delete Reports in UTC.' })).toBeNull();
  unmount();
  api.answer({ getUserInfo: { ...ADMIN, is_superuser: false, admin_permissions: ['store_system_memory'] } });
  const { user } = show(<ChatPanel opened onClose={() => {}} />, { at: '/' });
  await user.click(screen.getByRole('button', { name: 'Memories' }));
  await screen.findByRole('button', { name: 'Pin Reports in UTC.' });
});

it('remembers an answer, shortened, and keeps the text where that is refused', async () => {
  const refused = {
    isError: true,
    content: [{ type: 'text' as const, text: 'There are 1000 notes already.' }],
  };
  const { user, api } = await open({
    startChatRun: answered(1, 'The batch runs at 02:00, as the log says.'),
    callMcpTool: refused,
  });
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'When?{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Remember this' }));
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Remember' });
  expect(field.value).toBe('The batch runs at 02:00, as the log says.');
  await user.clear(field);
  await user.type(field, 'The batch runs at 03:00.');
  await user.click(screen.getByRole('checkbox', { name: /^Pin/ }));
  await user.click(screen.getByRole('button', { name: 'Remember' }));
  await screen.findByText('There are 1000 notes already.');
  expect(field.value).toBe('The batch runs at 03:00.');
  expect(screen.queryByRole('checkbox', { name: 'For all users' })).toBeNull();
  api.answer({
    callMcpTool: { content: [{ type: 'text', text: 'Remembered as memory 3.' }] },
    listMemories: { memories: [memory(3, 'The batch runs at 03:00.')] },
  });
  await user.click(screen.getByRole('button', { name: 'Remember' }));
  await screen.findByRole('button', { name: 'Pin The batch runs at 03:00.' });
  expect(field.value).toBe('');
  expect(api.sent.findLast(({ operation }) => operation === 'callMcpTool')?.body).toEqual({
    name: 'store_memory',
    arguments: { content: 'The batch runs at 03:00.', category: 'fact', scope: 'user', pinned: true },
  });
});

it('says what is needed to add memories to those who may not', async () => {
  await open({ listMcpTools: { tools: [] }, listMemories: { memories: [] } });
  await screen.findByText(/an administrator gives it to a group of yours/);
  expect(screen.queryByRole('textbox', { name: 'Remember' })).toBeNull();
});

it('says why the list cannot be read', async () => {
  await open({ listMemories: new Refusal(403, 'No.') });
  await screen.findByText('You may not see your memories');
});
