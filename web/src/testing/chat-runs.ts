// Streams of answers and kept conversations, for tests of the chat: as the server sends and keeps them.
import type { Result } from '../api/client.ts';
import { Events } from './api.ts';

type Data = { type: string } & Record<string, unknown>;

const DONE = {
  ...{ type: 'done', stop_reason: 'end_turn', took_ms: 5 },
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

const framesOf = (run: number, data: readonly Data[], from = 1) =>
  data.map((one, index) => ({ id: `run_${run}:${from + index}`, event: one.type, data: one }));

/** Of the run with that number, whose stream stays open. */
export const openRun = (run: number, ...data: Data[]) => new Events(framesOf(run, data), true);

export const begun = (run: number, conversation = 'conv_1'): Data => ({
  ...{ type: 'run', run_id: `run_${run}`, conversation_id: conversation },
  ...{ model: 'm', is_model: true },
});
export const said = (delta: string): Data => ({ type: 'text', delta });

/** A whole answer. */
export const answered = (run: number, text: string, ...more: Data[]) =>
  new Events(framesOf(run, [begun(run), said(text), ...more, DONE]));

/** How one ends whose events were told up to `from`. */
export const ended = (run: number, text: string, from: number) =>
  new Events(framesOf(run, [said(text), DONE], from));

type Conversation = Result<'getConversation'>;
export type Message = Conversation['messages'][number];

export const asked = (content: string): Message => ({ role: 'user', content });
export const replied = (content: string, more: Record<string, unknown> = {}): Message => ({
  ...{ role: 'assistant' as const, content, model: 'm', run_id: 'run_1' },
  ...more,
});

const AT = { created_at: '2026-11-22T12:00:00.000Z', updated_at: '2026-11-22T12:01:00.000Z' };

export const conversation = (title: string, messages: Message[], id = 'conv_1'): Conversation => ({
  ...{ id, username: 'anna', title, messages },
  ...AT,
});

export const summary = (id: string, title: string, preview = title) => ({ id, title, preview, ...AT });
