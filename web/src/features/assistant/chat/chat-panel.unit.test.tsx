// The chat beside the page: what the stream tells, figures that nothing proves, links that lead elsewhere, breaks of the line.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Events, Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { ChatPanel } from './chat-panel.tsx';

const RUN = { type: 'run', run_id: 'run_1', conversation_id: 'conv_1', model: 'm', is_model: true };
const STEP = {
  ...{ type: 'step', number: 1, tool: 'get_locks', arguments: { connection_id: 1 }, state: 'done' },
  ...{ took_ms: 12, rows: 2, summary: 'Two wait.', source: 'Locks of 12:00.', link: '/servers/1?tab=locks' },
};
const TEXT = 'It holds up 2 others for 9 min. ![x](http://evil.example/p.png) <img src=x>';
const EVIDENCE = {
  type: 'evidence',
  figures: [
    { text: '2', start: 12, end: 13, is_proven: true, step: 1, link: '/servers/1?tab=locks' },
    { text: '9', start: 25, end: 26, is_proven: false },
  ],
};
const DONE = {
  ...{ type: 'done', stop_reason: 'end_turn', took_ms: 5 },
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};
const streamed = (first: number, ...data: { type: string }[]) =>
  new Events(data.map((one, index) => ({ id: `run_1:${first + index}`, event: one.type, data: one })));
const text = (delta: string) => ({ type: 'text', delta });

const ANSWERS: Answers = {
  listChatQuestions: {
    is_model: false,
    questions: [{ question: 'who_blocks_whom', asked: 'Who blocks whom?', says: 'Sessions.', hours: 1 }],
    findings: [],
  },
  startChatRun: streamed(1, RUN, STEP, text(TEXT), EVIDENCE, DONE),
};

const panel = () => show(<ChatPanel opened onClose={() => {}} />, { at: '/servers/1?tab=locks' });

it('asks about the page, unfolds its steps, leads from figures to their page and marks those without proof', async () => {
  const api = await startApi(ANSWERS);
  const { user } = panel();
  await user.click(await screen.findByRole('button', { name: 'Who blocks whom?' }));
  expect((await screen.findByRole('link', { name: '2' })).getAttribute('href')).toBe('/servers/1?tab=locks');
  expect(screen.getByText(/not shown by any step/).parentElement?.textContent).toMatch(/^9/);
  expect(within(screen.getByRole('group')).getByText(/12 ms · 2 rows/)).toBeTruthy();
  expect(document.querySelector('aside img')).toBeNull();
  expect(api.sent.find(({ operation }) => operation === 'startChatRun')?.body).toEqual({
    message: 'Who blocks whom?',
    scope: { kind: 'server', id: 1 },
    page: '/servers/1?tab=locks',
  });
});

it('goes on from the newest event when the stream breaks', async () => {
  const api = await startApi({
    ...ANSWERS,
    startChatRun: streamed(1, RUN, text('One ')),
    followChatRun: streamed(3, text('whole.'), DONE),
  });
  const { user } = panel();
  await user.type(await screen.findByRole('textbox', { name: 'Question' }), 'Why?{Enter}');
  await screen.findByText('One whole.', {}, { timeout: 5000 });
  expect(api.sent.at(-1)?.path).toBe('/api/v1/chat/runs/run_1/events?after=2');
});

it('says why nothing was answered', async () => {
  await startApi({ ...ANSWERS, startChatRun: new Refusal(409, 'An answer is being written.') });
  const { user } = panel();
  await user.type(await screen.findByRole('textbox', { name: 'Question' }), 'Why?{Enter}');
  await screen.findByText('An answer is being written.');
});

it('offers what is found already where no model is configured, and nothing of it beside a model', async () => {
  const finding = {
    ...{ connection_id: 1, server_name: 'orders', severity: 'critical' as const },
    ...{ title: 'Ids run out', link: '/findings/7' },
  };
  const questions = { questions: [], findings: [finding] };
  const api = await startApi({ listChatQuestions: { is_model: false, ...questions } });
  const { unmount } = panel();
  const link = await screen.findByRole('link', { name: 'Ids run out' });
  expect(link.getAttribute('href')).toBe('/findings/7');
  unmount();
  api.answer({
    listChatQuestions: {
      is_model: true,
      questions: [{ question: 'who_blocks_whom', asked: 'Who waits?', says: '', hours: 1 }],
      findings: [finding],
    },
  });
  panel();
  await screen.findByRole('button', { name: 'Who waits?' });
  expect(screen.queryByRole('link')).toBeNull();
  expect(screen.queryByText(/No model/)).toBeNull();
});
